# Guidepost needs Node 20 or later, npm and make. The Node it runs on comes with its packages.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

installed := node_modules/.installed
sources := $(shell find contract server client -type f \( -name '*.ts' -o -name '*.css' -o -name '*.sql' -o -name '*.html' \) -not -path '*/node_modules/*')

.PHONY: help run dev test check generate build bench bench-export bench-retrieval bench-llm eval clean

help: ## Say what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: dist/guidepost.js ## Start the service on PORT (8787), with a demo on an empty data folder
	@exec node --enable-source-maps dist/guidepost.js serve

dev: $(installed) ## Start it from the sources and start again when one changes
	@trap 'kill 0' EXIT; \
	node --watch-path=client/embed --watch-preserve-output client/embed/build.ts & \
	node --watch-path=client --watch-preserve-output client/dashboard/build.ts & \
	node --watch-path=server --watch-path=contract --watch-preserve-output server/cli/guidepost.ts serve

test: $(installed) check ## Run every check and every test that needs no outside service
	vitest run

check: $(installed) ## Format, lint, types, imports, and whether what is generated is what the contract says
	biome check --error-on-warnings .
	tsc -p .
	tsc -p client
	node contract/publish/write.ts --check
	node server/publish-settings.ts --check

generate: $(installed) ## Write openapi.yaml, its twins and everything else that derives from the contract
	node contract/publish/write.ts
	node server/publish-settings.ts

build: dist/guidepost.js ## Build the server, the script tag and the client into dist/

bench: $(installed) dist/guidepost.js ## Measure boots and chat turns against bare node servers, side by side
	node bench/bench.ts

bench-export: $(installed) dist/guidepost.js ## Measure the export of a million events beside the sqlite3 command line
	node bench/export.ts

bench-retrieval: $(installed) ## Measure search and answers per language beside SQLite FTS5 and MiniSearch
	node bench/retrieval.ts

bench-llm: $(installed) dist/guidepost.js ## Measure what the service adds to the answers of a language model
	node bench/llm.ts

eval: $(installed) ## Have conversations with the model of LLM_BASE_URL, LLM_API_KEY, LLM_MODEL and judge its answers
	node eval/eval.ts

clean: ## Remove what was built and installed; data stays
	rm -rf dist node_modules

$(installed): package.json package-lock.json client/package.json
	npm ci
	@touch $@

dist/guidepost.js dist/guide.js dist/dashboard/setup.js &: $(installed) $(sources)
	node server/build.ts

# Guidepost needs Node 20 or later, npm and make. The Node it runs on comes with its packages.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

installed := node_modules/.installed
sources := $(shell find contract server client generated -type f -not -name '*.md' -not -path '*/node_modules/*')

.PHONY: help run dev test test-chance test-clients test-runtimes test-black-box check lint-openapi generate release-document build pack bench bench-embed bench-export bench-retrieval bench-llm eval pictures clean

help: ## Say what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: dist/guidepost.js ## Start the service on PORT (8787), with a demo on an empty data folder
	@exec node dist/guidepost.js serve

dev: $(installed) ## Start it from the sources and start again when one changes
	@trap 'kill 0' EXIT; \
	node --watch-path=client/embed --watch-preserve-output client/embed/build.ts & \
	node --watch-path=client --watch-preserve-output client/dashboard/build.ts & \
	node --watch-path=server --watch-path=contract --watch-preserve-output server/cli/guidepost.ts serve

test: $(installed) check ## Run every check and every test that needs no outside service
	vitest run

test-chance: $(installed) ## Try every property with a number of its own: SEED, or a new one
	SEED=$${SEED:-$$RANDOM} vitest run $$(grep -rl chance.ts test --include=*.test.ts)

test-clients: $(installed) ## Make a client with every known generator, and let each of them talk to a real server
	node test/clients/run.ts

test-runtimes: $(installed) test/runtimes/node_modules/.installed ## Walk through the packed client in Node 20 to 26, Deno, Bun and workerd
	node test/runtimes/run.ts

test-black-box: $(installed) ## Let tools that know only openapi.yaml judge the running service
	node test/black-box/run.ts

check: $(installed) ## Format, lint, types, imports, and whether what is generated is what the contract says
	biome check --error-on-warnings .
	tsc -p .
	tsc -p client
	node contract/openapi/write.ts --check
	node contract/openapi/release.ts --check
	node server/publish-settings.ts --check
	@$(MAKE) --no-print-directory lint-openapi

lint-openapi: $(installed) lint/openapi/node_modules/.installed ## Lint the published documents with Redocly and Spectral, unless they have passed already
	node lint/openapi/lint.ts

generate: $(installed) ## Write openapi.yaml, its twins and everything else that derives from the contract
	node contract/openapi/write.ts
	node server/publish-settings.ts

release-document: generate ## Keep openapi.yaml as the document of this version, for later ones to be compared with
	node contract/openapi/release.ts

build: dist/guidepost.js pack ## Build the server, the script tag and the client into dist/

pack: dist/guidepost.js ## Write the package of the client into dist/client, and its tarball beside it
	node client/pack.ts

bench: $(installed) bench/peers/node_modules/.installed dist/guidepost.js ## Compare boots and chat turns with servers that do the same work
	node bench/bench.ts

bench-embed: $(installed) bench/embed/node_modules/.installed dist/guidepost.js ## Measure what the script tag costs a page beside other chat widgets
	node bench/embed.ts

bench-export: $(installed) dist/guidepost.js ## Measure the export of a million events beside the sqlite3 command line
	node bench/export.ts

bench-retrieval: $(installed) ## Measure search and answers per language beside SQLite FTS5 and MiniSearch
	node bench/retrieval.ts

bench-llm: $(installed) dist/guidepost.js ## Measure what the service adds to the answers of a language model
	node bench/llm.ts

eval: $(installed) ## Have conversations with the model of LLM_BASE_URL, LLM_API_KEY, LLM_MODEL and judge its answers
	node eval/eval.ts

pictures: $(installed) dist/guidepost.js ## Take the pictures of dashboard and guide that the documentation shows
	node test/dashboard/pictures.ts
	node test/embed/write-pictures.ts

clean: ## Remove what was built and installed; data stays
	rm -rf dist node_modules

$(installed): package.json package-lock.json client/package.json
	npm ci
	@touch $@

bench/peers/node_modules/.installed: bench/peers/package.json bench/peers/package-lock.json
	cd bench/peers && npm ci
	@touch $@

bench/embed/node_modules/.installed: bench/embed/package.json bench/embed/package-lock.json
	cd bench/embed && npm ci
	@touch $@

lint/openapi/node_modules/.installed: lint/openapi/package.json lint/openapi/package-lock.json
	cd lint/openapi && npm ci
	@touch $@

test/runtimes/node_modules/.installed: test/runtimes/package.json test/runtimes/package-lock.json
	cd test/runtimes && npm ci
	@touch $@

dist/guidepost.js dist/guide.js dist/dashboard/manifest.json &: $(installed) $(sources)
	node server/build.ts

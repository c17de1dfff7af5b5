# Everything that is done with this repository. `make help` lists the targets with their comments.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Where `make run` and `make demo` listen. Empty means the server's default.
ADDR ?=
# More flags for the server: make run ARGS='--agents-dir ~/agents'
ARGS ?=
# More flags for go test: make test TESTFLAGS='-run Parse ./internal/memories'
TESTFLAGS ?=
# The time of `make fuzz` per target, and a pattern of targets: FUZZ='Parse|Compile|Index|Walk'.
FUZZTIME ?= 30s
FUZZ ?= .
# The duration of `make soak`.
SOAKTIME ?= 1h
# The faults of `make torture`: each step of every operation, or also all pairs of steps, which
# takes hours.
FAULTS ?= each
# The number of server kills in `make torture` (other kills are added) and their seed. 0 means a
# new seed.
KILLS ?= 200
SEED ?= 0
# For `make torture`: how long Postgres is stopped, how often each model runs, and the number of
# broken files.
AWAY ?= 1m
CHECKS ?= 200
BROKEN ?= 10000

# The version of `make release`: the tag of the commit, else one before all releases.
VERSION ?= $(shell git describe --exact-match --tags 2>/dev/null || TZ=UTC git log -1 --format=v0.0.0-%cd.g%h --date=format-local:%Y%m%d)
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

# A release for this machine alone, for the tests of its packages.
release_here = scripts/release '$(VERSION)' .cache/packages "$$(go env GOOS)/$$(go env GOARCH)"

demo := .cache/demo
queries := internal/postgres/internal/queries

# Without cgo, sqlc builds in half a minute instead of two and needs no C compiler.
sqlc := CGO_ENABLED=0 go tool -modfile=tools/sqlc.mod sqlc
staticcheck := go tool -modfile=tools/staticcheck.mod staticcheck

address := $(if $(ADDR),--addr='$(ADDR)')

# With an external database the server needs no installed Postgres.
server_needs := $(if $(MEMOIR_DATABASE_URL)$(DATABASE_URL),,postgres)

# The packages with queries, or whose tests observe the database.
asks_postgres := $(addprefix ./internal/,postgres/... sync api jobs recall embedding askedas extraction consolidation verification outage) ./cmd/server

# The packages with the longest tests. They begin first, so that none of them runs alone at the end.
longest := $(addprefix ./internal/,pages sync torture)

# The packages that need no Postgres and no Chromium.
quick := $(addprefix ./internal/,agents architecture chart claudesettings credentials diff fence files/... findings/... gate hooksettings lockfile logs markdown marked \
	memories/... memorytool model postgres/search problem recallbench sync/publish transcript waittest words) ./examples ./web/templates/address ./web/templates/wording

# The commit of recorded long runs; + means uncommitted changes, apart from the recorded results.
commit = $(shell git rev-parse --short HEAD)$(if $(shell git status --porcelain -- . ':!docs/RELIABILITY.md' ':!internal/longrun/testdata'),+)

.PHONY: help
help: ## list the targets
	@sed -En 's/^([a-z]+):.*## (.*)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS=$$'\t' read -r target purpose; do printf '  make %-12s %s\n' "$$target" "$$purpose"; done

.PHONY: run
run: setup build ## install what is missing and serve your agents at http://127.0.0.1:8080
	exec bin/memoir $(address) $(ARGS)

.PHONY: demo
demo: build ## serve a copy of the example agents, kept until `make clean`
	scripts/setup postgres
	if [[ ! -e $(demo)/agents ]]; then go run ./examples/copy $(demo)/agents; fi
	@# Nothing of the caller's own settings: the demo keeps to its own files and its own database.
	exec env -u MEMOIR_MEMORY_DIR bin/memoir $(address) --agents-dir=$(demo)/agents --claude-dir= --data-dir=$(demo)/data --database-url= $(ARGS)

.PHONY: test
test: ## install what is missing and run every test
	scripts/setup postgres chromium axe mcp-client markdown-parsers sshd
	@# Of one package: the pages, in a browser, take 6 minutes by themselves, and 9 beside all else on two slow cores.
	@# Without vet, because `make check` runs all of it.
	go test -vet=off -timeout 40m $(or $(TESTFLAGS),$(longest) ./...)

.PHONY: test-quick
test-quick: ## run the tests that need no database and no browser
	scripts/setup markdown-parsers
	go test $(quick)

.PHONY: newest
newest: ## run the tests of what asks Postgres on its newest release as well
	scripts/with-newest-postgres go test -vet=off -timeout 40m $(asks_postgres)

.PHONY: client
client: ## install Claude Code and other clients from npm and run them against Memoir, with stand-ins for their models
	scripts/setup postgres
	go test -timeout 30m -count=1 -v -run=^TestClient_ ./internal/client -real

.PHONY: bench
bench: ## measure against the floor of this machine
	scripts/setup postgres
	go test -timeout 90m -run='^$$' -bench=. -benchtime=1x ./internal/bench

.PHONY: fuzz
fuzz: ## fuzz every target, or those of FUZZ, for FUZZTIME (30s); `scripts/fuzz` lists them
	scripts/fuzz '$(FUZZTIME)' '$(FUZZ)' '$(commit)'

.PHONY: torture
torture: ## kill the server KILLS (200) times, its Postgres too, take Postgres away, fail each step, run the models for long
	scripts/setup postgres
	go test -timeout 3h -count=1 -v -run=^TestKill_ ./internal/torture -kills=$(KILLS) -seed=$(SEED) -record='$(commit)'
	@# Beside the blows there would be no quiet to measure in.
	go test -timeout 1h -count=1 -v -run=^TestServers_ ./internal/torture -kills=$(KILLS) -seed=$(SEED) -record='$(commit)'
	go test -timeout 1h -count=1 -v -run=^TestPostgresAway_ ./internal/torture -away=$(AWAY) -seed=$(SEED) -record='$(commit)'
	go test -timeout 1h -count=1 ./internal/outage -away=$(AWAY) -record='$(commit)'
	go test -timeout 1h -count=1 -run=TestScan_BrokenFiles ./internal/sync -broken=$(BROKEN) -record='$(commit)'
	go test -timeout 3h -count=1 -run=^TestModel_ ./internal/sync -rapid.checks=$(CHECKS) -record='$(commit)'
	go test -timeout 24h -count=1 -parallel=8 -run=TestFaults_OperationsAreAtomic ./internal/sync -faults=$(FAULTS) -record='$(commit)'

.PHONY: soak
soak: ## work for SOAKTIME (1h) at a hundred changes a second, and see what grows
	scripts/setup postgres
	go test -timeout 0 -count=1 -v -run=^TestSoak_ ./internal/torture -soak=$(SOAKTIME) -record='$(commit)'

.PHONY: generate
generate: ## regenerate the code made from templates and queries
	@# The old output goes first, so that none outlives its source.
	find web -name '*_templ.go' -delete
	go tool templ generate
	rm -rf $(queries)
	$(sqlc) generate

.PHONY: check
check: ## formatting, vet, staticcheck, and generated code that is current
	@sums() { find web $(queries) -name '*.go' \( -name '*_templ.go' -o -path '$(queries)/*' \) | sort | xargs sha256sum; }; \
	before=$$(sums); $(MAKE) --no-print-directory generate; if [[ $$before != "$$(sums)" ]]; then \
		printf 'generated files were not current, and are now; commit them:\n%s\n' "$$(git status --short -- '*_templ.go' $(queries))" >&2; exit 1; fi
	@unformatted=$$(gofmt -l .); if [[ -n $$unformatted ]]; then printf 'not formatted by gofmt:\n%s\n' "$$unformatted" >&2; exit 1; fi
	go tool templ fmt -fail web
	go vet ./...
	$(staticcheck) ./...

.PHONY: screenshots
screenshots: build ## take the pictures of README and docs, and of difficult states into .cache/states
	scripts/setup postgres chromium
	go run ./tools/screenshots bin/memoir docs/pictures .cache/states

.PHONY: build
build: ## build bin/memoir
	go build -o bin/memoir ./cmd/server

.PHONY: release
release: ## build the files of a release of the current commit, VERSION for PLATFORMS, into dist
	scripts/release '$(VERSION)' dist $(PLATFORMS)

.PHONY: packages
packages: ## build a release for this machine, install its packages as a new user, and run them
	$(release_here)
	go test -timeout 30m -count=1 ./packaging -dist='$(CURDIR)/.cache/packages'

.PHONY: container
container: ## build the container image with buildah, and run it in a chroot; needs root and Debian
	scripts/setup container
	$(release_here)
	go test -timeout 30m -count=1 -run=^TestContainer_ ./packaging -dist='$(CURDIR)/.cache/packages' -debian='$(CURDIR)/.cache/debian'

.PHONY: clean
clean: ## remove the built files, and the demo with its database
	rm -rf bin dist .cache/packages $(demo)

.PHONY: setup
setup:
	$(if $(server_needs),scripts/setup $(server_needs))

# The entry points of outboard. Everything else is called from here.
export PATH := $(PATH):$(HOME)/.cargo/bin
CACHE = $${OUTBOARD_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/outboard}

.PHONY: help demo build install uninstall packages kit release test test-all test-debug-kernel test-upstream bench lint check verify fuzz clean clean-cache

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 28

demo: ## a virtual router whose slow CPU hands AES to an accelerator, with figures that repeat and proof; leaves target/report.html (ARCH=armhf: a router with 32-bit Arm; BOARD=helios4: such a router with that board's driver, on models of its engines)
	@vm/demo '$(ARCH)' '$(BOARD)'

build: ## the command, the laboratory and the provider, for make install
	@command -v cargo >/dev/null || { echo 'make build: cargo is not installed. Rust 1.85 or newer is needed: apt install cargo (Debian 13), or rustup (https://rustup.rs)' >&2; exit 1; }
	cargo build --release -p outboard-cli -p outboard-lab -p outboard-provider

install: ## what make build built, and the module's source: PREFIX=/usr/local, DESTDIR, ... (scripts/install --help)
	@scripts/install install

uninstall: ## remove what make install installed
	@scripts/install uninstall

packages: ## Debian packages in target/packages: ARCH=amd64, or several of vm/architectures
	@scripts/setup packages
	@scripts/packages $(ARCH)

kit: ## what the owner of a board unpacks and sends one file from, in target/kit: ARCH=armhf, or several (docs/first-board.md)
	@scripts/setup packages
	@scripts/kit $(ARCH)

release: ## the files of a release in target/dist: source, packages built twice, kits, lists of crates, checksums
	@scripts/setup packages
	@scripts/release $(ARCH)

test: ## unit tests, and the end-to-end tests on the legs where they can differ (twenty minutes)
	@scripts/test fast

test-all: ## unit tests, fuzzers for two minutes, mutants of what differs from SINCE=origin/main, and each end-to-end test on every leg (an hour)
	@scripts/test all
	@vm/debug-kernel --apply || [ $$? = 77 ]

test-debug-kernel: ## the module on a kernel with KASAN, lockdep and kmemleak (a quarter of an hour, the first time more; not part of test)
	@scripts/test-debug-kernel

test-upstream: ## the series of docs/upstream on the newest kernel source that Debian has, which is built and booted (a hundred minutes; test-all applies it)
	@scripts/test-upstream

bench: ## /dev/outboard compared with the kernel and AF_ALG, the provider and look-ahead with OpenSSL, applications with and without (forty minutes)
	@scripts/setup for amd64
	@benchmarks/interface
	@benchmarks/provider
	@benchmarks/look-ahead
	@benchmarks/applications
	@cargo bench --quiet --package outboard-provider --bench constant_time

lint: ## formatting, clippy, checkpatch, shellcheck, manual pages, Markdown
	@scripts/setup lint
	@scripts/lint

check: lint ## lint and the unit tests, which need no test machine
	@scripts/unit-tests

verify: ## properties of threads, the module, memory and time, for all cases within named bounds; then that seeded defects are found (ten minutes of CPU; not part of test)
	@scripts/setup for amd64
	@scripts/verify

fuzz: ## the fuzzers, for ten minutes
	@scripts/setup for amd64
	@scripts/fuzz --seconds 600

clean: ## remove what was built here
	rm -rf target fuzz/target

clean-cache: ## remove the images of the test machines too
	rm -rf "$(CACHE)"

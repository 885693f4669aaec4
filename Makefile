# dbdyno: every target sets up what it needs and may be run again at any time.
#
#   make compare   compare real servers on this machine: results/first and its report
#   make test      every check: format, lints, types, import order, unit, contract, browser and real-server tests
#   make setup     only set up: afterwards .venv/bin/dbdyno and .venv/bin/dbdyno-load are there
#   make bench     what the load generator costs, as multiples of the floor and beside sysbench (if it is installed);
#                  half an hour on an idle machine; writes docs/measurements/client-cost.md; TOOLS names the programs
#                  that TPC-C and LinkBench are held against (see benches/against_tools.py)
#   make engines   obtain and measure every engine known to be had on this kind of machine, some 700 MB; writes
#                  docs/reference/engines.md
#   make fuzz      feed damaged server streams to the wire client for MINUTES (10); needs a C++ compiler
#   make soak      an hour (SOAK_MINUTES) of 1,000 connections against a failing null server: memory flat, none stuck
#   make statistics  simulate how often intervals, verdicts and the stopping rule are right, for some minutes; writes the
#                  figures into docs/concepts/steady-state.md
#   make attack    rogue servers, faults in each phase, damaged files, throttled clients: for an hour (MINUTES), after which
#                  no trial begins; first what make test does once, or its longer form, then up to 20 rounds of further trials
#   make sanitize  AddressSanitizer over the fibers and the scripts that run in them; some minutes
#   make pages     bundle the scripts of the pages anew after a change in web/; needs Node.js 20, which users don't
#   make wheels    build the packages dbdyno and dbdyno-load for this machine into target/packages
#   make release   the same for other machines, too, with checksums and a bill of materials; nothing is published
#   make sentences print every sentence that users see, by file and line, for an editor who reads them in one sitting
#   make docs      build the site of the documents into target/site; a broken link fails
#   make clean     remove what was built here; engines and datasets in DBDYNO_HOME stay

SHELL := /bin/bash
PYTHON ?= python3
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
# Programs are expected here, wherever the user's other projects are built.
export CARGO_TARGET_DIR := $(CURDIR)/target

# All files, since statements, scripts and lists that are no Rust become part of the program, too.
RUST_SOURCES := Cargo.toml Cargo.lock rust-toolchain.toml .cargo/config.toml $(shell find crates -type f)
UV := .tools/bin/uv
LOAD := .venv/bin/dbdyno-load

.PHONY: wheels release setup compare test bench engines fuzz soak attack sanitize statistics pages sentences docs clean

setup: .venv/.synced $(LOAD)

compare: setup
	@.venv/bin/dbdyno run studies/first.toml -o results/first

test:
	@bash .ci/run

TOOLS ?=
bench: setup
	@.venv/bin/python benches/client_cost && held=0 || held=$$?; \
	if command -v sysbench >/dev/null; then \
	  { .venv/bin/python benches/against_sysbench.py && .venv/bin/python benches/populate.py; } || held=1; fi; \
	.venv/bin/python benches/against_tools.py $(TOOLS) || held=1; exit $$held

engines: setup
	@.venv/bin/python benches/engines.py --write

MINUTES ?= 10
fuzz:
	@fuzz/run $(MINUTES)

SOAK_MINUTES ?= 60
soak: setup
	@.venv/bin/python benches/soak.py --minutes $(SOAK_MINUTES)

MINUTES ?= 60
WORKERS ?= 4
SEED ?= $(shell date +%j%H%M)
attack: setup
	@echo "make attack SEED=$(SEED) repeats these draws"
	@DBDYNO_ATTACK_MINUTES=$(MINUTES) DBDYNO_ATTACK_SEED=$(SEED) .venv/bin/pytest -q -n $(WORKERS) --dist load \
	  --maxschedchunk 1 -rs tests/attack tests/truth/test_throttled_client.py

# The pinned toolchain has the sanitizer; the variable lets it take the option. One test is left out: it counts on
# frames that the sanitizer makes larger.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
sanitize:
	@RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=detect_leaks=0 cargo test --locked --quiet --lib --tests \
	  --target $(HOST) --target-dir target/sanitize --package dbdyno-fiber --package dbdyno-lua \
	  --features dbdyno-fiber/sanitizer -- --skip a_stack_overflow_is_reported

statistics: .venv/.synced
	@OPENBLAS_NUM_THREADS=1 DBDYNO_WRITE_FIGURES=1 .venv/bin/pytest -q -s -m slow tests/statistics

sentences: .venv/.synced
	@.venv/bin/python tests/sentences.py

pages:
	@npm --prefix web ci --silent && npm --prefix web run --silent build

# The program that the targets above build is used again.
wheels: $(UV) $(LOAD)
	@rm -rf target/packages
	@$(UV) build --quiet --wheel --out-dir target/packages --python $(PYTHON)
	@$(UV) build --quiet --wheel --out-dir target/packages --python $(PYTHON) crates/load
	@ls target/packages/*.whl

release: setup
	@packaging/release

# mkdocs has an environment of its own, so that .venv does not grow.
docs: .tools/docs/.synced
	@NO_MKDOCS_2_WARNING=1 .tools/docs/bin/mkdocs build --strict --quiet
	@echo target/site/index.html

.tools/docs/.synced: pyproject.toml uv.lock $(UV)
	@UV_PROJECT_ENVIRONMENT=$(CURDIR)/.tools/docs $(UV) sync --only-group docs --locked --quiet --python $(PYTHON)
	@touch $@

clean:
	rm -rf .venv .tools web/node_modules target fuzz/target fuzz/corpus fuzz/artifacts

# uv lives in a small environment of its own: nothing is installed outside this folder.
$(UV): .ci/prerequisites
	@bash .ci/prerequisites $(PYTHON)
	@rm -rf .tools
	@$(PYTHON) -m venv .tools
	@.tools/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'
	@touch $@

.venv/.synced: pyproject.toml uv.lock $(UV)
	$(UV) sync --locked --quiet --compile-bytecode --no-install-package dbdyno-load --python $(PYTHON)
	@.venv/bin/python -m compileall -q src
	@touch $@

$(LOAD): $(RUST_SOURCES) | .venv/.synced
	cargo build --release --locked --package dbdyno-load
	@install -m 755 target/release/dbdyno-load $@

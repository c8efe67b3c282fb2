# `make demo` shows the product, `make test` checks it. A machine with Python >= 3.11, a C compiler and make is enough.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

at_least_3_11 := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c '$(at_least_3_11)' 2>/dev/null && echo $$python && break; done)
PY := .venv/bin/python
# -qq: errors only. Most modules of large packages are never imported: Python compiles the others at their first import.
PIP_FLAGS := -qq --disable-pip-version-check --no-input --no-compile
PIP := -m pip install $(PIP_FLAGS)
RESULTS := test-results
skip_hook := INSIGHT_HOST_SKIP_FRONTEND=1 INSIGHT_HOST_SKIP_KERNEL=1

.PHONY: help demo dev test verify rest frameworks ready lint types bytecode page vitest fuzz conformance comparable bench soak dist docs sbom assets browser proto \
	clean distclean

help:
	@echo 'make demo         serve the logs of a sweep, a GPU profile and a run that is training (PORT=...)'
	@echo 'make test         ruff, mypy, tsc, oxlint, oxfmt, Vitest, pytest with a browser test of each tab and of what changed'
	@echo 'make verify       the other browser tests, packaging, fuzzing, frameworks, conformance'
	@echo 'make fuzz         changed bytes for every reader, made-up requests for every route (SECONDS=60 for each half)'
	@echo 'make conformance  compare with tensorboard and mindinsight, in environments of their own'
	@echo 'make bench        measure ours beside its peers: one table'
	@echo 'make soak         logs that grow for MINUTES=10 while clients follow them: one table'
	@echo 'make sbom         bills of materials (CycloneDX) of what is installed and of what the page bundles'
	@echo 'make dist         sdists and wheels in dist/, installed and tried without Node and a compiler'
	@echo 'make docs         a site of the documents, readable without a network, in build/docs/site'
	@echo 'make proto        message classes from the .proto files'
	@echo 'make dev          the environment to work in; serves nothing'
	@echo 'make clean        remove what was built; distclean: environments and node_modules too'

demo: .venv/.runtime assets
	@exec $(PY) -m insight_core.cli demo $(if $(PORT),--port $(PORT))

dev: .venv/.dev assets
	@echo 'ready: `. .venv/bin/activate`, then `insight-host demo`'

# --- environments ---------------------------------------------------------------------------------

.venv/bin/python:
	@if [ -z '$(PYTHON)' ]; then echo 'make: no Python 3.11 or newer found; install one, or say PYTHON=/path/to/python3' >&2; exit 1; fi
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo 'make: $(PYTHON) cannot make environments: `apt install python3-venv` (or $(PYTHON)-venv)' >&2; exit 1; }
	@echo 'creating .venv'
	@$(PYTHON) -m venv .venv

# Editable: assets and compiled modules are made by the target `assets`, from the same hook.
.venv/.runtime: pyproject.toml insight_record/pyproject.toml | .venv/bin/python
	@echo 'installing insight-host'
	@$(PY) $(PIP) 'cython>=3.1' editables 'hatchling>=1.27' 'setuptools>=77'
	@$(skip_hook) $(PY) $(PIP) --no-build-isolation -e ./insight_record -e .
	@touch $@

.venv/.dev: pyproject.toml | .venv/.runtime .venv/.node # not beside .node: pip writes to one environment at a time
	@echo 'installing development tools'
	@$(skip_hook) $(PY) $(PIP) --no-build-isolation -e '.[dev]'
	@touch $@

# What .venv has and the frameworks whose trainings are recorded. PyTorch is the build for processors, some hundred MB;
# PyPI has only the one for CUDA, some GB, which nobody should get who runs tests.
.venv-frameworks/.installed: tests/peers/frameworks.txt | .venv/.dev
	@echo 'installing PyTorch, Keras, JAX and libraries that train with them'
	@$(PY) -m venv --clear --without-pip $(@D)
	@$(PY) -c 'import sys; print(*filter(None, sys.path), sep="\n")' \
		> "$$($(@D)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/host.pth"
	@if $(PY) -m pip --python $(@D)/bin/python install $(PIP_FLAGS) -r $<; then touch $@; \
	else echo 'make: their tests will be skipped; for torch+cpu, pip needs --extra-index-url https://download.pytorch.org/whl/cpu' >&2; fi

# Node from PATH, else from a Python package; nothing is asked for when there is one.
.venv/.node: hatch_build.py | .venv/.runtime
	@wheel=$$($(PY) hatch_build.py requirements); \
		if [ -n "$$wheel" ]; then echo "no Node.js on PATH: installing $$wheel"; $(PY) $(PIP) "$$wheel"; fi
	@touch $@

assets: .venv/.runtime .venv/.node
	@$(PY) hatch_build.py

# Browsers of the tests: Debian's packages where they can be installed, else whatever is on PATH.
# Pages open in chromium-headless-shell in two thirds of the time that chromium takes.
browser:
	@$(call browser_of,chromium-headless-shell,chromium chromium-browser google-chrome,chromium-headless-shell fonts-noto-cjk)
	@$(call browser_of,firefox-esr,firefox,firefox-esr)

# $(1): the program; $(2): programs that can take its place; $(3): Debian packages to install
define browser_of
command -v $(1) >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo 'installing $(1) for the browser tests'; \
		log=$$(mktemp); \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			$(3); } >"$$log" 2>&1 && rm "$$log" && exit 0; \
		cat "$$log" >&2; rm "$$log"; \
	fi; \
	for name in $(2); do command -v $$name >/dev/null && exit 0; done; \
	echo 'make: no $(1) on PATH: its tests will be skipped (Debian: `apt install $(3)`)' >&2
endef

# Debian's nginx, unpacked: a package that is installed would start a server.
# Not beside the browsers: apt-get holds a lock.
.nginx/usr/sbin/nginx: | browser
	@mkdir -p .nginx; cd .nginx; \
	fetch='apt-get download -qq nginx'; \
	if command -v apt-get >/dev/null && { $$fetch || { [ "$$(id -u)" = 0 ] && apt-get update -qq && $$fetch; }; } >log 2>&1 \
		&& dpkg -x nginx_*.deb .; then rm -f nginx_*.deb log; \
	else echo 'make: no nginx here: its test will be skipped' >&2; fi

# --- checks ---------------------------------------------------------------------------------------

# Runs side by side what does not need each other; each command's output is printed when it has ended.
side_by_side = $(MAKE) --output-sync=line -j $(shell echo $$(($(processors) > 2 ? $(processors) : 2)))
processors := $(shell getconf _NPROCESSORS_ONLN)

# More processes than processors, since tests also wait: for pages, for processes, for limits of time. Each takes a file
# of tests at a time, so that what a module opens is opened once.
# A browser test that fails runs once more (tests/conftest.py), and the summary lists it.
# The hundreds of hosts that tests start load bytecode; without it each compiles every module again.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest -n $(shell expr $(processors) + 1) --maxprocesses 4 \
	--dist loadfile --no-loadscope-reorder --reruns 1 -r R

test:
	@$(side_by_side) ready types bytecode page vitest lint
	@mkdir -p $(RESULTS)
	$(PYTEST) -m 'not conformance and not frameworks and not verify' 2>&1 | tee $(RESULTS)/pytest.log

# What `make test` leaves out (tests/support/tiers.py).
verify: docs rest frameworks conformance

rest: ready
	@mkdir -p $(RESULTS)
	$(PYTEST) -m 'verify and not conformance and not frameworks' 2>&1 | tee $(RESULTS)/rest.log

frameworks: .venv-frameworks/.installed assets
	@mkdir -p $(RESULTS)
	$(PYTEST:.venv/%=.venv-frameworks/%) -m frameworks $$(grep -rl mark.frameworks tests) 2>&1 | tee $(RESULTS)/frameworks.log

ready: .venv/.dev assets browser .nginx/usr/sbin/nginx

lint: .venv/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: .venv/.dev
	$(PY) -m mypy

# Imports what tests import: else each of pytest's processes compiles all of it, 28 s of processor time.
bytecode: .venv/.dev assets
	@env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest --collect-only -qq >/dev/null || $(PY) -m pytest --collect-only -q

page: assets
	$(PY) hatch_build.py npm run check

vitest: assets
	@mkdir -p $(RESULTS)
	$(PY) hatch_build.py npm test 2>&1 | tee $(RESULTS)/vitest.log

# Two halves: readers, guided by coverage where atheris can be installed; then hosts and data servers on damaged logs.
# Bounds of the second are requests, not seconds: about one for each second, path and kind of log in 60 s.
fuzz: seconds := $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),60)
fuzz: .venv/.dev
	@$(skip_hook) $(PY) $(PIP) --no-build-isolation -e '.[fuzz]' || echo 'make: no atheris here: hypothesis alone' >&2
	@if $(PY) -c 'import atheris' 2>/dev/null; then $(PY) -m tests.fuzz --seconds $(seconds); fi
	$(PY) -m pytest tests/fuzz --fuzz-examples $$(($(seconds) * 20)) --fuzz-mutants $$(($(seconds) * 8)) \
		--fuzz-requests $$((1 + $(seconds) / 10)) --fuzz-seed $$RANDOM

conformance bench: export INSIGHT_PEER_TENSORBOARD := $(CURDIR)/.venv-peers/tensorboard/bin/python
conformance bench: export INSIGHT_PEER_MINDINSIGHT := $(CURDIR)/.venv-peers/mindinsight/bin/python
conformance: export INSIGHT_PEER_TORCH = $(if $(wildcard .venv-frameworks/.installed),$(CURDIR)/.venv-frameworks/bin/python)
peers := .venv-peers/tensorboard/.installed .venv-peers/mindinsight/.installed
hosting := .venv-peers/hosting/.installed
servers := .venv-peers/servers/.installed

conformance: export INSIGHT_PEER_HOSTING := $(CURDIR)/.venv-peers/hosting/bin/python
conformance: comparable
	@mkdir -p $(RESULTS)
	$(PYTEST) -m conformance tests/conformance $$(grep -rl mark.conformance tests/browser) 2>&1 | tee $(RESULTS)/conformance.log

comparable: # before the recipe of conformance, whose variables depend on what is installed
	@$(side_by_side) .venv/.dev .venv-frameworks/.installed assets $(peers) $(hosting)

.venv-peers/tensorboard/.installed: tests/peers/tensorboard.txt | .venv/bin/python
	@echo 'installing tensorboard as a peer'
	@$(PY) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $<
	@touch $@

# This host beside TensorBoard; what is compiled of it is there already, by the target `assets`.
.venv-peers/hosting/.installed: tests/peers/hosting.txt pyproject.toml | .venv/.runtime # both build in the checkout
	@echo 'installing insight-host beside tensorboard'
	@$(PY) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $<
	@$(@D)/bin/python $(PIP) --no-deps tensorboard-plugin-3d==1.0.3 # without TensorFlow, so that it fails
	@$(@D)/bin/python $(PIP) 'cython>=3.1' editables 'hatchling>=1.27' 'setuptools>=77'
	@$(skip_hook) $(@D)/bin/python $(PIP) --no-build-isolation -e ./insight_record -e '.[grpc]'
	@touch $@

# HTTP servers and parsers that `python -m benchmarks.http_servers` compares with ours.
$(servers): tests/peers/servers.txt | .venv/bin/python
	@echo 'installing HTTP servers as peers'
	@$(PY) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $<
	@touch $@

# Converts event files into Parquet; only the benchmark of exports has it.
.venv-peers/tblike/.installed: tests/peers/tblike.txt | .venv/bin/python
	@echo 'installing tb-like as a peer'
	@$(PY) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $<
	@touch $@

# MindInsight is at its end of life; it imports on Python 3.11 and 3.12 only.
.venv-peers/mindinsight/.installed: tests/peers/mindinsight.txt
	@echo 'installing mindinsight as a peer'
	@for python in $(PYTHON) python3.11 python3.12; do \
		$$python -c 'import ensurepip, sys; sys.exit(sys.version_info >= (3, 13))' 2>/dev/null || continue; \
		$$python -m venv $(@D); $(@D)/bin/python $(PIP) --no-deps -r $<; touch $@; exit 0; \
	done; echo 'make: mindinsight needs Python 3.11 or 3.12' >&2; exit 1

proto: .venv/.dev
	$(PY) -m insight_core.rpc.schema.generate

# Rounds, parts and corpora: make bench ARGUMENTS='--quick' (`.venv/bin/python -m benchmarks --help` tells more).
bench: export INSIGHT_PEER_TBLIKE := $(CURDIR)/.venv-peers/tblike/bin/python
bench: .venv/.dev assets $(peers) .venv-peers/tblike/.installed
	@mkdir -p $(RESULTS)
	$(PY) -m benchmarks $(ARGUMENTS) | tee $(RESULTS)/bench.log

# Rounds by hand: the same with other flags (`.venv/bin/python -m tests.soak --help`).
MINUTES := 10
soak: .venv/.dev assets
	@mkdir -p $(RESULTS)
	bash -o pipefail -c '$(PY) -m tests.soak --minutes $(MINUTES) | tee $(RESULTS)/soak.log'

# --- distributions ----------------------------------------------------------------------------------

# Sdists and wheels of host and recorder; the front ends of all tabs are in them. Files have the time of the commit:
# another build of it, elsewhere and later, gives the same bytes.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1580601600)
dist: .venv/.dev assets .venv-peers/dist/.installed
	@rm -rf dist
	@echo 'building dist/'
	@for source in ./insight_record .; do $(PY) -m build --no-isolation --outdir dist $$source >/dev/null; done
	@.venv-peers/dist/bin/twine check --strict dist/*
	@$(PY) -m tests.packaging.released dist
	@ls -sh dist

# --- bill of materials ------------------------------------------------------------------------------

# An environment with what `pip install insight-host` brings, and nothing else, not even pip.
docs: assets .venv-peers/docs/.installed
	@.venv-peers/docs/bin/python docs/site/build.py

sbom: .venv/.dev assets .venv-peers/sbom/.installed
	@mkdir -p $(RESULTS)
	@rm -rf .venv-peers/released
	@$(PY) -m venv --without-pip .venv-peers/released
	@$(skip_hook) $(PY) -m pip --python .venv-peers/released/bin/python install $(PIP_FLAGS) ./insight_record .
	@sed "s/^dynamic = .*/$$(grep '^version = ' insight_record/pyproject.toml)/" pyproject.toml > $(RESULTS)/pyproject.toml
	@.venv-peers/sbom/bin/cyclonedx-py environment --pyproject $(RESULTS)/pyproject.toml --output-reproducible \
		-o $(RESULTS)/insight-host.cdx.json .venv-peers/released
	@$(PY) hatch_build.py npm sbom --package-lock-only --omit dev --sbom-format cyclonedx > $(RESULTS)/insight-host-page.cdx.json
	@echo 'written: $(RESULTS)/insight-host.cdx.json, $(RESULTS)/insight-host-page.cdx.json'

.venv-peers/sbom/.installed .venv-peers/dist/.installed .venv-peers/docs/.installed: .venv-peers/%/.installed: tests/peers/%.txt | .venv/bin/python
	@echo 'installing what $(*) needs'
	@$(PY) -m venv $(@D)
	@$(@D)/bin/python $(PIP) -r $<
	@touch $@

clean:
	rm -rf dist build $(RESULTS) frontend/insight_frontend/static frontend/insight_frontend/packages plugins/*/insight_*/static \
		.mypy_cache .ruff_cache .pytest_cache .hypothesis insight_core/.compiled
	find insight_core insight_record plugins -name '_*.so' -delete
	find . -name __pycache__ -not -path './.venv*' -not -path './node_modules/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf .venv .venv-peers node_modules

# Everything a newcomer needs: `make demo` and `make test`. Set-up is part of both.

VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest

.PHONY: help demo test check format bench bench-peers bench-scale package soak clean

help:
	@echo "make demo   invent people, release their sums, show the intervals"
	@echo "make test   run every test"
	@echo "make check  format, lint and types"
	@echo "make bench  benchmarks, one line per figure: name value target"
	@echo "make bench-scale  a billion rows under 2 GB of memory; 20 GB of files in build"
	@echo "make bench-peers  the same release with other tools, for comparison"
	@echo "make package  wheel and sdist, installed and tried on every Python, many minutes"
	@echo "make soak   the attacks on the ledger, many times over"

demo: $(VENV)/.ready
	$(BIN)/dpratio demo

test: $(VENV)/.ready-test $(VENV)/.ready-browser $(VENV)/.ready-java
	rm -f .coverage .coverage.*
	$(PYTEST) -n 2 --cov --cov-report=
	$(BIN)/python tools/require_coverage.py

check: $(VENV)/.ready-check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.ready-check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The long version of the attacks on the ledger: hours of kills and races; and of the
# comparison of engines on a Spark cluster.
soak: $(VENV)/.ready-test $(VENV)/.ready-java
	DPRATIO_SOAK=1 $(PYTEST) -n 2 tests/curator/ledger/attacks \
		tests/curator/warehouse

bench: $(VENV)/.ready-bench
	$(BIN)/python bench/run.py

# Up to 10 to the power ROWS rows (7, 8 or 9); files that are whole are kept for the next run.
ROWS := 9
bench-scale: $(VENV)/.ready-bench
	$(BIN)/python bench/scale.py $(ROWS)

# Other tools, each in a virtual environment of its own. They pin old packages that
# Python 3.11 has; one that cannot be installed is reported and stops no other.
PEERS := opendp diffprivlib tumult smartnoise pipelinedp
PEER_PYTHON := python3.11

bench-peers: $(VENV)/.ready-bench $(PEERS:%=build/peers/%/.ready)
	$(BIN)/python bench/run.py side_by_side

build/peers/%/.ready: bench/peers/requirements/%.txt tools/make_venv
	rm -rf $(@D) && mkdir -p build/peers
	{ PYTHON=$(PEER_PYTHON) tools/make_venv $(@D) && \
	  $(@D)/bin/python -m pip install --quiet --requirement $< && \
	  touch $@; } >build/peers/$*.log 2>&1 || echo "$* is not installed: build/peers/$*.log"

# Every Python × lowest and newest dependencies × every extra, each in an environment of
# its own. PYTHONS="python3.12 …" names interpreters; ROWS_WITH="3.12 lowest" some rows.
ROWS_WITH :=
package: $(VENV)/.ready-package
	$(BIN)/python tools/package/try_matrix.py $(ROWS_WITH)

clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*

$(VENV)/.ready: pyproject.toml tools/make_venv
	tools/make_venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.ready-%: pyproject.toml $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --group $*
	touch $@

$(VENV)/.ready-browser: tools/install_browser $(VENV)/.ready
	tools/install_browser build/axe
	touch $@

$(VENV)/.ready-java: tools/install_java $(VENV)/.ready
	tools/install_java
	touch $@

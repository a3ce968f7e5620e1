# Everything a newcomer needs: `make demo` and `make test`. Set-up is part of both.

VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest

# Tests start hundreds of processes: what Python compiled is kept, whatever is set.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all coverage check format docs bench bench-peers bench-scale \
	bench-warehouse bench-cluster faults \
	mutation soak package audit-dependencies clean

help:
	@echo "make demo   invent people, release their sums, show the intervals"
	@echo "make test   run the quick tests: no server, no browser, no JVM"
	@echo "make test-all  run every test: what CI runs"
	@echo "make coverage  demand every branch of the rooms that privacy rests on"
	@echo "make check  format, lint and types"
	@echo "make docs   the documentation, into build/site"
	@echo "make bench  benchmarks, one line per figure: name value target"
	@echo "make bench-scale  a billion rows under 2 GB of memory; 20 GB of files in build"
	@echo "make bench-warehouse  PostgreSQL and Spark against plain SQL sums in floats"
	@echo "make bench-cluster  a Spark cluster with two workers, one of which is killed"
	@echo "make bench-peers  the same release with other tools, for comparison"
	@echo "make package  wheel and sdist, installed and tried on every Python, many minutes"
	@echo "make faults  plant every fault in turn: the tests it names must fail"
	@echo "make mutation  small mistakes in the code of noise and prices: a test must notice each"
	@echo "make soak   attacks and hostile inputs, many times over"
	@echo "make audit-dependencies  look packages up in PyPI's list of vulnerabilities"

demo: $(VENV)/.ready
	$(BIN)/dpratio demo

# What needs no server, no browser and no JVM.
test: $(VENV)/.ready-test
	$(PYTEST) -n 2 -m "not outside and not slow"

# Three workers for two cores: servers, browsers and clusters are waited for.
test-all: $(VENV)/.ready-test $(VENV)/.ready-browser $(VENV)/.ready-java \
		$(VENV)/.ready-pooler
	$(PYTEST) -n 3

# Every branch of the rooms that privacy rests on, by the tests of these rooms alone.
GUARDED := terms plan release curator
coverage: $(VENV)/.ready-test $(VENV)/.ready-java $(VENV)/.ready-pooler
	rm -f .coverage .coverage.*
	$(PYTEST) -n 3 --cov --cov-report=term:skip-covered --cov-fail-under=100 \
		$(GUARDED:%=tests/%)

check: $(VENV)/.ready-check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.ready-check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Opens from the folder: build/site/index.html. Nothing in it comes from another host.
docs: $(VENV)/.ready-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# One file per fault, in tests/faults; some start PostgreSQL or Spark.
faults: $(VENV)/.ready-test $(VENV)/.ready-java
	$(BIN)/python tools/faults/try_faults.py

# Some 2,000 mutants, an hour; MODULES="plan/sensitivity/joint.py …" names some modules.
MODULES :=
mutation: $(VENV)/.ready-mutation
	$(BIN)/python tools/mutation/try_mutants.py $(MODULES)

# The long version of the attacks on the ledger: hours of kills and races; of the
# comparison of engines, also on a Spark cluster; of hostile inputs (100,000 for each
# reader) and hostile neighbours (100,000 pairs of tables); of two laws of coverage; and
# of the audit, with a million samples.
soak: $(VENV)/.ready-test $(VENV)/.ready-java $(VENV)/.ready-pooler
	DPRATIO_SOAK=1 $(PYTEST) -n 2 tests/curator tests/fuzz tests/simulation/audit \
		tests/attacks/test_audit.py tests/analyst/curve \
		tests/analyst/function/test_functions.py tests/plan/test_price.py

bench: $(VENV)/.ready-bench
	$(BIN)/python bench/run.py

# Up to 10 to the power ROWS rows (7, 8 or 9); files that are whole are kept for the next run.
ROWS := 9
bench-scale: $(VENV)/.ready-bench
	$(BIN)/python bench/scale.py $(ROWS)

# Ratios of CPU time, since wall time says little on a busy machine; some ten minutes.
bench-warehouse: $(VENV)/.ready-bench $(VENV)/.ready-java
	$(BIN)/python bench/run.py warehouse orders

# Up to 10 to the power CLUSTER_ROWS rows (7 or 8), of a million people.
CLUSTER_ROWS := 7
bench-cluster: $(VENV)/.ready-bench $(VENV)/.ready-java
	$(BIN)/python bench/cluster.py $(CLUSTER_ROWS)

# Other tools, each in a virtual environment of its own. They pin old packages that
# Python 3.11 has; one that cannot be installed is reported and stops no other.
PEERS := opendp diffprivlib tumult smartnoise pipelinedp
PEER_PYTHON := python3.11

bench-peers: $(VENV)/.ready-bench $(PEERS:%=build/peers/%/.ready)
	$(BIN)/python bench/run.py side_by_side answers_side_by_side

build/peers/%/.ready: bench/peers/requirements/%.txt tools/make_venv
	rm -rf $(@D) && mkdir -p build/peers
	{ PYTHON=$(PEER_PYTHON) tools/make_venv $(@D) && \
	  $(@D)/bin/python -m pip install --quiet --requirement $< && \
	  touch $@; } >build/peers/$*.log 2>&1 || echo "$* is not installed: build/peers/$*.log"

# Needs the network: not part of any test.
audit-dependencies: $(VENV)/.ready-test
	tools/audit_dependencies $(BIN)/python build/audit

# Every Python × lowest and newest dependencies × every extra, each in an environment of
# its own. PYTHONS="python3.12 …" names interpreters; ROWS_WITH="3.12 lowest" some rows.
ROWS_WITH :=
package: $(VENV)/.ready-package $(VENV)/.ready-java
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

$(VENV)/.ready-pooler: tools/install_pooler $(VENV)/.ready
	tools/install_pooler
	touch $@

# Every target sets itself up: from a bare clone nothing is needed but Python 3.11+, make and pip.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    := out

# Two workers, whole files each: kernels of different files compile side by side, those of one file once.
PYTEST_ARGS ?= -n 2 --dist loadfile

.PHONY: help demo test pytest test-long fuzz coverage lint bench docs web clean

help:
	@echo "make demo   run a thousand rings for one second; summary, run file and picture in $(OUT)/"
	@echo "make test   lint, types and all tests"
	@echo "make test-long  the tests that simulate for minutes, and all others with checks of array bounds"
	@echo "make fuzz   random cases against independent oracles, five minutes; FUZZ_SECONDS=, FUZZ_SEED=, FUZZ_ONLY="
	@echo "make coverage  which lines of src/carom the tests run, kernels as plain Python; half an hour"
	@echo "make lint   ruff and mypy only"
	@echo "make bench  every bench, an hour or more: the papers' figures, other libraries, one report in $(OUT)/bench/"
	@echo "make docs   the documentation as a site that opens offline: $(OUT)/site/index.html"
	@echo "make web    rebuild the script of the replay page; needs Node"
	@echo "make clean  remove the environment and all outputs"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "carom needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(VENV)/.peers: pyproject.toml $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,peers]'
	@touch $@

$(VENV)/.docs: pyproject.toml $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	@touch $@

demo: $(VENV)/.dev
	@mkdir -p $(OUT)
	@rm -f $(OUT)/rings.duckdb $(OUT)/rings.duckdb.wal
	$(BIN)/carom run rings --objects 1000 --until 1 --out $(OUT)/rings.duckdb --picture $(OUT)/rings.png

# Types are checked while the first tests run: that takes one core half a minute.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs=2 lint pytest

pytest: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# Kernels that check every index: a write past the end of an array is then an IndexError.
CHECKED := NUMBA_BOUNDSCHECK=1

test-long: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m long
	$(CHECKED) $(BIN)/python -m pytest $(PYTEST_ARGS)

FUZZ_SECONDS ?= 300
FUZZ_SEED    ?= 0
# Subjects, such as "worlds impacts"; all of them by default.
FUZZ_ONLY    ?=
# FUZZ_CHECKED=0: kernels as users run them, without checks of array bounds, which is faster.
FUZZ_CHECKED ?= 1

fuzz: $(VENV)/.dev
	PYTHONPATH=tests CAROM_QUIET=1 $(if $(filter 0,$(FUZZ_CHECKED)),,$(CHECKED)) \
	  $(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) --out $(OUT)/fuzz $(FUZZ_ONLY)

# Twice: kernels as plain Python, at most a second a test (tests/plain_python), then all tests compiled. Together they count.
COVERAGE := $(OUT)/coverage
PLAIN_TESTS ?= $(addprefix tests/,_compile bounds boxes baselines deform engine maths motion narrow queries queues trees world) \
  tests/test_physics.py

coverage: $(VENV)/.dev
	@rm -rf $(COVERAGE)
	@mkdir -p $(COVERAGE)
	NUMBA_DISABLE_JIT=1 CAROM_CACHE_DIR=$(COVERAGE)/no-kernels COVERAGE_FILE=$(COVERAGE)/plain \
	  $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report= $(PLAIN_TESTS)
	COVERAGE_FILE=$(COVERAGE)/compiled $(BIN)/python -m pytest $(PYTEST_ARGS) --cov --cov-report=
	$(BIN)/coverage combine --keep --data-file=$(COVERAGE)/both $(COVERAGE)/plain $(COVERAGE)/compiled
	$(BIN)/coverage html --quiet --data-file=$(COVERAGE)/both --directory=$(COVERAGE)/html
	@echo "below 90 %, and all together; line by line in $(COVERAGE)/html/index.html"
	@$(BIN)/coverage report --data-file=$(COVERAGE)/both --sort=cover | awk '$$NF + 0 < 90 || /^TOTAL/'

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.peers
	$(BIN)/carom bench all --out $(OUT)/bench

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -q -W --keep-going -b html -d $(OUT)/site-trees docs $(OUT)/site
	@echo "open $(OUT)/site/index.html"

web:
	cd web && npm ci --no-audit --no-fund && npm run build

clean:
	rm -rf $(VENV) $(OUT) web/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Every target makes .venv by itself; only python3 (3.11 or newer) and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := .ci/constraints.txt

.PHONY: demo test lint format bench constraints clean help

help:  ## show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Reach needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev]'
	@touch $@

demo: $(VENV)/.installed  ## the guided tour: answers, questions, refusals, confirmations, faults, a large result
	$(BIN)/python examples/tour.py

test: $(VENV)/.installed  ## all tests
	$(BIN)/python -m pytest

lint: $(VENV)/.installed  ## ruff, pyright and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(VENV)/.installed  ## rewrite the code in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed  ## the benchmarks, as ratios against a floor in the same run
	@for b in benchmarks/*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

constraints:  ## renew the exact versions that make and CI install
	rm -rf $(VENV)/renew && $(PYTHON) -m venv $(VENV)/renew
	$(VENV)/renew/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(VENV)/renew/bin/python -m pip list --format=freeze --exclude reach-runtime --exclude pip --exclude setuptools | sort > $(CONSTRAINTS)
	rm -rf $(VENV)/renew

clean:  ## remove what the targets made
	rm -rf $(VENV) .reach dist .pytest_cache .ruff_cache .import_linter_cache

# make install  lissom with viewer and studies, into .venv
# make demo     the main job: a page with motions in 3-D, out/index.html, and their data
# make test     all tests
# make lint     ruff and mypy
# make audit    known vulnerabilities of what lissom needs
# make docs     the documentation site, into docs/_build/html
# make dist     wheel and source archive, into dist; the same bytes whenever and wherever they are made
# Each sets up .venv with pip; no compiler is needed.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: install demo test lint audit docs dist clean

install: .venv/.installed
	@echo "installed; now: . .venv/bin/activate"

demo: .venv/.installed
	$(BIN)/python examples/demo.py

test: .venv/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: .venv/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: .venv/.installed-test
	$(BIN)/python tools/audit.py

docs: .venv/.installed-docs
	MPLBACKEND=Agg $(BIN)/python -m sphinx -W docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Times in the archives are that of the commit. Both are made from this tree, as the wheel has steps that are compiled here for common
# processors and the source archive has not.
dist: .venv/.installed
	rm -rf dist
	$(BIN)/python -m pip install --quiet "build>=1" "twine>=5"
	$(BIN)/python -m tools.ship_steps
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(BIN)/python -m build --sdist --wheel
	$(BIN)/python -m twine check --strict dist/*

# --no-compile: half of the time; Python compiles a module when it is first imported
.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "lissom needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[viewer,studies]"
	@touch $@

.venv/.installed-test: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

.venv/.installed-docs: .venv/.installed
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	@touch $@

clean:
	rm -rf docs/_build docs/gallery docs/api/generated
	rm -rf .venv out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

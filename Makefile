# Each target is what a person would type, with the tools of .venv first on the path.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
SHELL := /bin/bash

.PHONY: setup run test slow check notebooks validate golden bench peers clean

setup:  ## virtual environment in .venv, with the checkout installed in place
	python3 -m venv .venv
	python -m pip install -e '.[dev]'

run:  ## the first experiment
	trickbench run experiments/quickstart.toml

test:  ## the ordinary suite
	pytest

slow:  ## the tests that take minutes
	pytest -m slow

check:  ## lint and types
	ruff check
	mypy

notebooks:  ## execute the notebooks on small runs
	pytest tests/test_notebooks.py

validate:  ## the engine against the plain statement of the rules, a million deals
	pytest -m slow tests/test_validator.py

golden:  ## write the golden playthroughs anew; read the diff before committing it
	python -m tests.golden

bench:  ## deals a second on this machine
	trickbench bench --out results/bench.json

peers:  ## deals a second beside other toolkits, which pip install -e '.[peers]' brings
	python experiments/peers.py

clean:  ## everything that tools leave behind; not .venv, not results
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find trickbench agents tests experiments -name __pycache__ -prune -exec rm -rf {} +

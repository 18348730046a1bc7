# Everything starts from a fresh clone: each target prepares the virtual environment it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := envs baselines train evaluate cli
# Only messages that need an answer: pip's notes on its own sources are left out.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-all lint format bench wheel clean
.DEFAULT_GOAL := test

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@# torch first and pinned, so that nothing pulls in a larger build of it
	$(PIP) torch
	$(PIP) -e ".[dev]"
	touch $@

demo: $(VENV)/.ready
	@echo "Training an agent on Raj against its strongest bot, about a minute; then matches:"
	$(BIN)/python -m bidarena.train.ppo --game raj --opponent greedy --steps 500000
	@echo "The bots of Scotch against each other:"
	$(BIN)/bidarena tournament scotch random uniform dp richman --games 2000
	@echo "Next: bidarena list; bidarena match raj minimax greedy --games 5000; bidarena bench"

test: $(VENV)/.ready
	$(BIN)/python -m pytest -n 2

test-all: $(VENV)/.ready
	$(BIN)/python -m pytest -n 2 -m "slow or not slow"

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# mypy finds the namespace through links, because it does not follow editable installs
	mkdir -p build/types/bidarena
	ln -sfn $(foreach p,$(PACKAGES),$(CURDIR)/$(p)) build/types/bidarena/
	MYPYPATH=build/types $(BIN)/mypy $(foreach p,$(PACKAGES),-p bidarena.$(p))

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.ready
	$(BIN)/bidarena bench

wheel: $(VENV)/.ready
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

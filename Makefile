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
	@echo "Learning Raj by self-play, about a minute; what a best response would win is measured on the way:"
	$(BIN)/bidarena train raj --algo minimax_q --steps 6e6 --seed 1 --set hidden=[128,128] --evaluations 8 --games 400 --folder runs/demo
	@echo "The policy against every bot of the game, and its exact exploitability before and after:"
	@RUN=$$(ls -td runs/demo/*/ | head -1); \
	$(BIN)/bidarena evaluate $$RUN --games 400 --html $${RUN}report.html; \
	echo "The learning curve is $${RUN}learning.png, the report $${RUN}report.html. What to try next:"; \
	echo "  $(BIN)/bidarena play raj --vs $$RUN            play against it yourself"; \
	echo "  $(BIN)/bidarena train --help                    other games, opponents and algorithms"; \
	echo "  $(BIN)/bidarena tournament raj $$RUN minimax greedy exact     everybody against everybody"

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

# Everything starts from a fresh clone: each target prepares the virtual environment it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Ray pins a gymnasium of its own, so it lives in an environment of its own.
RAY_VENV := .venv-ray
RAY_BIN := $(RAY_VENV)/bin
# Libraries of others for examples/stacks; some of them pin older versions of what we use.
STACKS_VENV := .venv-stacks
STACKS_BIN := $(STACKS_VENV)/bin
STACKS := agilerl peft jax torchrl tianshou rl_zoo3 nbclient ipykernel
PACKAGES := envs baselines evaluate train studies arena cli
# Only messages that need an answer: pip's notes on its own sources are left out.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
RAY_PIP := $(RAY_BIN)/pip install --quiet --disable-pip-version-check -c constraints-ray.txt
STACKS_PIP := $(STACKS_BIN)/pip install --quiet --disable-pip-version-check -c constraints-stacks.txt
# The interfaces of the environments, once more on the gymnasium that Ray wants; bots do not meet it
INTERFACES := $(addprefix tests/envs/test_,registered.py solo.py solo_arguments.py solo_opponents.py \
	vector.py sb3.py) tests/envs/multi

.PHONY: demo test test-ray test-stacks test-all test-bounds browser links lint docs format prepare bench wheel clean
.DEFAULT_GOAL := test

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@# torch first and pinned, so that nothing pulls in a larger build of it
	$(PIP) torch
	$(PIP) -e ".[dev]"
	touch $@

$(RAY_VENV)/.ready: pyproject.toml constraints-ray.txt
	$(PYTHON) -m venv $(RAY_VENV)
	$(RAY_PIP) torch
	$(RAY_PIP) -e ".[ray,plot,render]" hypothesis pytest
	touch $@

$(STACKS_VENV)/.ready: pyproject.toml constraints-stacks.txt
	$(PYTHON) -m venv $(STACKS_VENV)
	$(STACKS_PIP) torch
	$(STACKS_PIP) -e ".[multi,plot,train]" $(STACKS) pytest
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

# The browser that the tests of the arena drive: Debian's, installed where there is none
browser:
	@test -x /usr/bin/chromium || test -x /usr/bin/google-chrome || { \
	SUDO=$$(command -v sudo || true); $$SUDO apt-get update -qq && $$SUDO apt-get install -y -qq chromium; }

# Each worker begins with its own half of the tests, so that both compile different games
test: $(VENV)/.ready browser
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/ray --ignore tests/stacks $(ARGS)

test-ray: $(RAY_VENV)/.ready
	$(RAY_BIN)/python -m pytest tests/ray $(INTERFACES) -k "not bot_is_legal" $(ARGS)

# Every example of examples/stacks with its library; that of RLlib is among the tests of test-ray
test-stacks: $(STACKS_VENV)/.ready
	$(STACKS_BIN)/python -m pytest tests/stacks $(ARGS)

test-all: $(VENV)/.ready browser
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or not slow" --ignore tests/ray --ignore tests/stacks $(ARGS)

# Compiled code does not check bounds; here it does.
test-bounds: $(VENV)/.ready
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests/test_bounds.py $(ARGS)

# mypy and mkdocstrings find the namespace through links, because they do not follow editable installs
links:
	mkdir -p build/types/bidarena
	ln -sfn $(foreach p,$(PACKAGES),$(CURDIR)/$(p)) build/types/bidarena/

# TypeScript checks the types in the comments of the page's JavaScript; it makes no files
node_modules/.ready: package.json
	npm install --no-audit --no-fund --no-package-lock --silent
	touch $@

lint: $(VENV)/.ready links node_modules/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=build/types $(BIN)/mypy $(foreach p,$(PACKAGES),-p bidarena.$(p))
	node_modules/.bin/tsc

# The pages of the games are written from docstrings; the site loads nothing from elsewhere.
docs: $(VENV)/.ready links
	$(BIN)/python docs/build.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@! grep -rnoE --include=*.html '<(script|link|img|iframe)[^>]+(src|href)="?(https?:)?//[^ >]+' site
	@echo "The documentation is in site/index.html."

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Everything that the games need is compiled at its first use; this does it in advance, on all cores
prepare: $(VENV)/.ready
	$(BIN)/bidarena prepare $(ARGS)

bench: $(VENV)/.ready
	$(BIN)/bidarena bench

wheel: $(VENV)/.ready
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) $(RAY_VENV) $(STACKS_VENV) build dist site node_modules *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

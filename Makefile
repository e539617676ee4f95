# Two commands matter: `make demo` shows topics of a real corpus, `make test` runs every check.
# Both install what they need, on a machine with Python 3.11 and make.

PYTHON ?= python3
# Keep compiled bytecode for the next process, even on machines that disable it.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
# Compiling everything would take a third of the installation, and much of it is never imported.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
# System packages by their Debian names, each with a command that succeeds if it is installed.
SYSTEM_OF_DEMO := python3-venv='$(PYTHON) -m ensurepip --version'
SYSTEM_OF_TEST := chromium-headless-shell='command -v $${CHROMIUM:-chromium-headless-shell} || command -v chromium' curl='command -v curl' nginx-light='test -x /usr/sbin/nginx' \
	openssl='command -v openssl' libatomic1='ldconfig -p | grep libatomic.so.1'  # for Playwright's Node.js

.PHONY: demo test quick lint types style format docs unit fresh bench table picture clean system-of-demo system-of-test

demo: $(VENV)/.core
	$(BIN)/seetopic demo --out seetopic-demo
	@echo "Open seetopic-demo/report.html in a browser. To use the command seetopic in this terminal: . $(BIN)/activate"

test: lint unit

# There are as many test processes as cores, or more, so more threads would only slow them down.
unit quick: export OMP_NUM_THREADS := 1
unit quick: export NUMBA_NUM_THREADS := 1

# Most tests write small files, so a temporary folder in memory saves a quarter of the time. The last run is kept.
IN_MEMORY := $(shell test "$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 8000000 2>/dev/null && echo /dev/shm)
unit quick: export TMPDIR := $(or $(IN_MEMORY),$(TMPDIR),/tmp)
unit quick: PYTEST = $(BIN)/pytest --numprocesses $(PROCESSES) --dist worksteal --override-ini tmp_path_retention_count=1
# For two cores. Tests of pages, servers and clusters wait much of their time, so a third process uses what is left.
quick: PROCESSES := 2
unit: PROCESSES := 3

# All tests, including the site and the wheel; reports the slowest ones, so that slowdowns are noticed.
unit: $(VENV)/.test
	$(PYTEST) --durations 15

# Tests that need no browser, Ray or site and are not slow: less than a minute.
quick: $(VENV)/.test
	$(BIN)/ruff check --quiet .
	$(PYTEST) -m "not (browser or ray or docs or slow)"

# Checking types takes as long as everything else, on one core, so the rest is done beside it.
lint: $(VENV)/.test
	$(MAKE) --no-print-directory --jobs 2 types style $(VENV)/.compiled

types: $(VENV)/.test
	$(BIN)/mypy

style: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site: docs/_build/html/index.html. Warnings, such as broken links, are errors.
docs: $(VENV)/.test
	$(BIN)/sphinx-build -b html -n -W --keep-going -q docs docs/_build/html

# Run before a release: both commands of the README, on a fresh clone in a minimal Debian. Needs root on Debian.
fresh:
	.ci/fresh

# Benchmarks of speed and quality as JSON; CORPORA is a folder of NAME.jsonl.gz and NAME.seeds.txt.
CORPORA ?= corpora
RESULTS := benchmarks/results
bench: $(VENV)/.test table
	$(BIN)/python benchmarks/speed.py $(CORPORA) > $(RESULTS)/speed.json
	$(BIN)/python benchmarks/precision.py $(CORPORA) > $(RESULTS)/precision.json
	$(BIN)/python benchmarks/everyday.py $(CORPORA) > $(RESULTS)/everyday.json
	$(BIN)/python benchmarks/edits.py $(CORPORA) > $(RESULTS)/edits.json
	$(BIN)/python benchmarks/workbench.py $(CORPORA) > $(RESULTS)/workbench.json
	$(BIN)/python benchmarks/quality.py $(CORPORA) > $(RESULTS)/quality.jsonl
	$(BIN)/python benchmarks/presets.py $(CORPORA) > $(RESULTS)/presets.jsonl
	$(BIN)/python benchmarks/open_world.py $(CORPORA) > $(RESULTS)/open_world.jsonl
	$(BIN)/python benchmarks/described.py $(CORPORA) > $(RESULTS)/described.jsonl
	$(BIN)/python benchmarks/confidence.py $(CORPORA) > $(RESULTS)/confidence.json
	$(BIN)/python benchmarks/open_world_peers.py $(CORPORA) > $(RESULTS)/open_world_peers.jsonl
	$(BIN)/python benchmarks/teaching.py $(CORPORA) > $(RESULTS)/teaching.jsonl
	$(BIN)/python benchmarks/teaching_figure.py
	$(BIN)/python benchmarks/trees.py $(CORPORA) > $(RESULTS)/trees.jsonl
	$(BIN)/seetopic index $(CORPORA)/amazon.jsonl.gz --out $(VENV)/bench-index --overwrite
	$(BIN)/python benchmarks/skipgram.py --index $(VENV)/bench-index --tokens 200000 --epochs 4 \
		$(if $(REFERENCE),--reference $(REFERENCE)) --into $(RESULTS)/skipgram.json
	$(BIN)/python benchmarks/page.py

# The paper's experiments, and the page that shows them. An interrupted table resumes.
table: $(VENV)/.test
	$(PIP) --editable '.[bench]'
	$(BIN)/python benchmarks/main_table.py $(CORPORA) --work $(VENV)/table > $(VENV)/main_table.json
	mv $(VENV)/main_table.json $(RESULTS)/main_table.json
	$(BIN)/python benchmarks/parameters.py $(CORPORA) --cache $(VENV)/table/cache > $(RESULTS)/parameters.jsonl
	$(BIN)/python benchmarks/rare_terms.py $(CORPORA) > $(RESULTS)/rare_terms.json
	$(BIN)/python benchmarks/page.py

# The pictures of the demo in README and docs, its topics, and the figures of the how-to guides, which `page.py` puts into
# the pages.
picture: $(VENV)/.test
	$(BIN)/python benchmarks/picture.py docs
	$(BIN)/python benchmarks/guides.py > $(RESULTS)/guides.json

clean:
	rm -rf $(VENV) dist seetopic-demo docs/_build

# Installs the missing packages of such a list or, without root or apt-get, names them.
define install_system
	@missing=; for each in $(1); do sh -c "$${each#*=}" > /dev/null 2>&1 || missing="$$missing $${each%%=*}"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -qq -y --no-install-recommends $$missing > /dev/null; \
	else \
		echo "make $(2) needs the Debian packages$$missing; install them, then run it again" >&2; exit 1; \
	fi
endef

system-of-demo:
	$(call install_system,$(SYSTEM_OF_DEMO),demo)

system-of-test:
	$(call install_system,$(SYSTEM_OF_DEMO) $(SYSTEM_OF_TEST),test)

$(VENV)/.core: pyproject.toml constraints.txt | system-of-demo
	test -d $(VENV) || { $(PYTHON) -m venv $(VENV) && $(PIP) pip; }
	$(PIP) --editable .
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt | system-of-test
	test -d $(VENV) || { $(PYTHON) -m venv $(VENV) && $(PIP) pip; }
	$(PIP) --editable '.[test]'
	touch $(VENV)/.core $@

# What tests import is compiled once; otherwise every test process would do it, all at the same time.
$(VENV)/.compiled: $(VENV)/.test
	$(BIN)/pytest --collect-only > $@ || { cat $@; rm $@; exit 1; }

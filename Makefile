# Two commands matter: `make demo` shows topics of a real corpus, `make test` runs every check.
# Both make what they need, on a machine that has Python 3.11 and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint format docs unit browser wheel bench table picture clean

demo: $(VENV)/.core
	$(BIN)/seetopic demo --out seetopic-demo
	@echo "Open seetopic-demo/report.html in a browser."

test: lint docs unit wheel

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site: docs/_build/html/index.html. A warning, such as a link that leads nowhere, is an error.
docs: $(VENV)/.test
	$(BIN)/sphinx-build -b html -n -W --keep-going -q docs docs/_build/html

unit: $(VENV)/.test browser
	$(BIN)/pytest --numprocesses 2

# Pages are tested in a real browser. Where there is none, Debian's is installed, which needs root.
browser:
	command -v "$${CHROMIUM:-chromium}" > /dev/null || \
		{ apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium > /dev/null; } || \
		{ echo "make test needs Chromium: install it, or set CHROMIUM to where it is" >&2; exit 1; }

# The wheel must work where nothing but its own dependencies is installed.
wheel: $(VENV)/.test
	rm -rf dist
	$(BIN)/python -m build --wheel --no-isolation --outdir dist . > /dev/null
	test -d $(VENV)-core || $(PYTHON) -m venv $(VENV)-core
	$(VENV)-core/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	$(VENV)-core/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps dist/*.whl
	cd dist && ../$(VENV)-core/bin/seetopic --help > /dev/null
	cd dist && ../$(VENV)-core/bin/seetopic demo --quiet --out demo --cache cache
	rm -rf dist

# Figures of speed and quality as JSON; CORPORA is a folder of NAME.jsonl.gz and NAME.seeds.txt.
CORPORA ?= corpora
RESULTS := benchmarks/results
bench: $(VENV)/.test browser table
	$(BIN)/python benchmarks/speed.py $(CORPORA) > $(RESULTS)/speed.json
	$(BIN)/python benchmarks/everyday.py $(CORPORA) > $(RESULTS)/everyday.json
	$(BIN)/python benchmarks/workbench.py $(CORPORA) > $(RESULTS)/workbench.json
	$(BIN)/python benchmarks/quality.py $(CORPORA) > $(RESULTS)/quality.jsonl
	$(BIN)/python benchmarks/presets.py $(CORPORA) > $(RESULTS)/presets.jsonl
	$(BIN)/seetopic index $(CORPORA)/amazon.jsonl.gz --out $(VENV)/bench-index --overwrite
	$(BIN)/python benchmarks/skipgram.py --index $(VENV)/bench-index --tokens 200000 --epochs 4 \
		$(if $(REFERENCE),--reference $(REFERENCE)) --into $(RESULTS)/skipgram.json

# The paper's experiments, and the page that shows them. A table that was cut off goes on.
table: $(VENV)/.test
	$(PIP) --editable '.[bench]'
	$(BIN)/python benchmarks/main_table.py $(CORPORA) --work $(VENV)/table > $(VENV)/main_table.json
	mv $(VENV)/main_table.json $(RESULTS)/main_table.json
	$(BIN)/python benchmarks/parameters.py $(CORPORA) --cache $(VENV)/table/cache > $(RESULTS)/parameters.jsonl
	$(BIN)/python benchmarks/rare_terms.py $(CORPORA) > $(RESULTS)/rare_terms.json
	$(BIN)/python benchmarks/page.py

# The pictures of the demo's report in README and docs.
picture: $(VENV)/.test browser
	$(BIN)/python benchmarks/picture.py docs

clean:
	rm -rf $(VENV) $(VENV)-core dist seetopic-demo docs/_build

$(VENV)/.core: pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.test: $(VENV)/.core
	$(PIP) --editable '.[test]' hatchling
	touch $@

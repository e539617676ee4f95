# Two commands matter: `make demo` shows topics of a real corpus, `make test` runs every check.
# Both make what they need, on a machine that has Python 3.11 and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint format unit wheel bench clean

demo: $(VENV)/.core
	$(BIN)/seetopic demo --out seetopic-demo
	@echo "Open seetopic-demo/report.html in a browser."

test: lint unit wheel

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

unit: $(VENV)/.test
	$(BIN)/pytest --numprocesses 2

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
bench: $(VENV)/.test
	mkdir -p benchmarks/results
	$(BIN)/python benchmarks/speed.py $(CORPORA) > benchmarks/results/speed.json
	$(BIN)/python benchmarks/quality.py $(CORPORA) > benchmarks/results/quality.jsonl
	$(BIN)/python benchmarks/presets.py $(CORPORA) > benchmarks/results/presets.jsonl
	$(BIN)/seetopic index $(CORPORA)/amazon.jsonl.gz --out $(VENV)/bench-index --overwrite
	$(BIN)/python benchmarks/skipgram.py --index $(VENV)/bench-index --tokens 200000 --epochs 4 \
		$(if $(REFERENCE),--reference $(REFERENCE)) --into benchmarks/results/skipgram.json

clean:
	rm -rf $(VENV) $(VENV)-core dist seetopic-demo

$(VENV)/.core: pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.test: $(VENV)/.core
	$(PIP) --editable '.[test]' hatchling
	touch $@

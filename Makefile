# The two commands that matter: make demo, make test. Both set up what they need.
.PHONY: demo test verify-all lint format setup setup-dev clean

PY = .venv/bin/python
WORKERS ?= 2

demo: setup
	@$(PY) -m examples.digits.demo

test: setup-dev
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup -m "not slow"

verify-all: setup-dev
	$(PY) -m benchmarks.verify_all
	$(PY) -m benchmarks.forms
	$(PY) -m benchmarks.verify_all --docs
	$(PY) -m benchmarks.onnx_models
	$(PY) -m benchmarks.onnx_nodes
	$(PY) -m benchmarks.accuracy
	$(PY) -m pytest -q -m slow

lint: setup-dev
	.ci/lint

format: setup-dev
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix -q .
	git ls-files 'runtime_c/*.[ch]' 'boards/*.[ch]' | xargs .venv/bin/clang-format -i

setup:
	@.ci/setup verify

setup-dev:
	@.ci/setup verify dev

clean:
	rm -rf .venv .cache demo_out .mypy_cache .pytest_cache .ruff_cache

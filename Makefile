# Every target makes its own .venv; nothing else needs to be installed by hand.
PYTHON ?= python3.11
BIN := .venv/bin
ARGS ?=

.PHONY: setup demo browsers test crash check lint types layers lock clean

setup: .venv/ready

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: setup
	$(BIN)/askfolio demo $(ARGS)

# Programs that some tests drive, and skip by name where they are absent; the Debian packages.
browsers: SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)
browsers:
	@for program in chromium rsync redis-check-rdb; do command -v $$program || exit 1; done \
		> /dev/null || { $(SUDO) apt-get update --quiet && \
		$(SUDO) apt-get install --yes --quiet --no-install-recommends chromium rsync redis-tools; }

test: setup
	$(BIN)/python -m pytest $(ARGS)

crash: setup
	CRASH_KILLS=200 CRASH_FULL_DISKS=40 $(BIN)/python -m pytest tests/e2e/test_crash.py $(ARGS)

check: lint types layers

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports --no-cache

lock:
	$(BIN)/uv pip compile pyproject.toml --group dev --all-extras --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet -o requirements.lock

clean:
	rm -rf .venv build dist *.egg-info

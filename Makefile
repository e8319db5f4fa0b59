# make help lists the targets. Every recipe stops at the first command that fails.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8888
JOBS ?= 2
ROBIN := $(shell command -v R 2>/dev/null)
# The environment depends on whether R is there: rpy2 builds against it.
FULL := $(VENV)/.full$(if $(ROBIN),-r)
export PYTHONDONTWRITEBYTECODE :=
export MPLBACKEND ?= agg

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# The stamp is made last: an interrupted installation starts again.
$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "synthlab needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1). Set PYTHON=python3.12, say." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python has no venv module here. On Debian and Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

# The package, its samplers and the HTML report: enough for make demo.
$(VENV)/.base: pyproject.toml | $(VENV)/.pip
	@echo "Installing synthlab into $(VENV) (once; a few minutes on a slow connection)"
	$(BIN)/python -m pip install --quiet --editable '.[bayes,report]'
	@touch $@

# With the lectures' and the developers' tools, and rpy2 where R is on PATH.
$(FULL): pyproject.toml | $(VENV)/.pip
	@echo "Installing synthlab, JupyterLab and the test tools into $(VENV) (once)"
	$(BIN)/python -m pip install --quiet --editable '.[course,homework,scale,dp]' --group dev
	@touch $(VENV)/.base $(VENV)/.site
# A build that fails is tried again the next time: the stamp is made only when all went well.
	@if [ -z "$(ROBIN)" ]; then \
	  echo "R is not on PATH: going on without rpy2; recorded R answers are used."; touch $@; \
	elif echo "R is at $(ROBIN): installing rpy2" && $(BIN)/python -m pip install --quiet --editable '.[r]'; then \
	  touch $@; \
	else \
	  echo "WARNING: rpy2 could not be built against this R (r-base-dev and a compiler are needed); going on without R." >&2; fi

# With what builds the documentation site.
$(VENV)/.site: pyproject.toml | $(VENV)/.pip
	@echo "Installing synthlab and Sphinx into $(VENV) (once)"
	$(BIN)/python -m pip install --quiet --editable '.[report,scale]' --group docs
	@touch $@

.PHONY: install
install: $(FULL) ## create the environment with everything, and compile the package (a few minutes)
	$(BIN)/synthlab doctor --compile

.PHONY: demo
demo: $(VENV)/.base ## synthesize a real survey, measure risk and utility, write build/demo/report.html
	$(BIN)/synthlab demo --out build/demo

# JupyterLab opens a copy: running and saving it leaves the checkout as it is.
EDITION ?= student
.PHONY: course
course: $(FULL) ## open JupyterLab on a copy of the lectures (EDITION=teacher; PORT=8888; ARGS=--no-browser on a server)
	$(BIN)/synthlab course open build/course/$(EDITION) --edition $(EDITION) --port $(PORT) $(ARGS)

.PHONY: student
student: $(FULL) ## write the student edition of the lectures, without outputs and solutions, to build/course/student
	$(BIN)/synthlab course student build/course/student

.PHONY: slides
slides: $(FULL) ## write slides of every lecture to build/slides, as HTML (Reveal.js)
	$(BIN)/python -m synthlab.teaching.slides course build/slides

.PHONY: site
site: $(VENV)/.site ## build the documentation site, offline, with its links and spelling checked (build/site/index.html)
	$(BIN)/python course/site/build.py build/site

.PHONY: site-test
site-test: $(FULL) ## build the site, and look at every page of it in a browser, at the width of a laptop and of a telephone
	$(BIN)/python -m pytest -m site tests/site

.PHONY: lint
lint: $(FULL) ## ruff and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The three levels of tests: tests/levels.py says which test belongs to which level.
# Each process of the tests has one core: none starts others, unless a test asks for them.
# Hypothesis draws the same examples in every run (tests/conftest.py).
check test test-added test-all old-processor editions: export CI ?= 1
check test test-added test-all old-processor editions: export LOKY_MAX_CPU_COUNT ?= 1
check test test-added test-all old-processor editions: export OMP_NUM_THREADS ?= 1
check test test-added test-all old-processor editions: export OPENBLAS_NUM_THREADS ?= 1
# One process more than two cores: some tests wait for a browser, a kernel or a clock.
test test-added test-all: JOBS = 3
# A file of tests runs in one process, so that its tests share what it prepares. Notebooks begin: few cells, long ones.
SUITE = -m pytest -p nbval -n $(JOBS) --dist loadfile --no-loadscope-reorder --nbval-lax --nbval-current-env -m "not editions"

.PHONY: check
check: lint ## style, types and unit tests, while you work (about three minutes)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --level check tests

.PHONY: test
test: $(FULL) ## the tests of a change: edge cases, contracts, bad input, every lecture, R if installed (about 15 minutes)
	$(BIN)/python $(SUITE) --level test --durations=15 course tests synthlab
	@echo "Skipped tests and their reasons are in the short summary of pytest above."
	@echo "make test-all adds: style and types; solutions, homework masters, replications, all comparisons with R, hostile"
	@echo "arguments, the site and its pages in a browser, the wheel, Binder files, killed workers, calibration of the verdict."
	@$(if $(ROBIN),true,echo "R is not on PATH: everything that needs R was skipped.")

.PHONY: test-added
test-added: lint ## what make test-all adds to make test (.ci/run runs both)
	$(BIN)/python $(SUITE) --level added --durations=15 course tests synthlab

.PHONY: test-all
test-all: lint ## style, types and every test but editions and mutants; lines of the package that did not run (an hour)
	@mkdir -p build
	$(BIN)/python -m slipcover --out build/coverage.txt $(SUITE) --durations=15 course tests synthlab
	@echo "Lines that ran in the tests' own processes, of each file in build/coverage.txt:"
	@sed -n '2,3p;$$p' build/coverage.txt | cut -c -110
	@echo "The nightly workflow adds make editions and a sample of make mutate."

# Linear algebra, NumPy, the C library and machine code each choose their instructions by the processor, and round accordingly.
.PHONY: old-processor
old-processor: export OPENBLAS_CORETYPE = Nehalem
old-processor: export NPY_DISABLE_CPU_FEATURES = X86_V3 X86_V4 AVX512_ICL AVX512_SPR
old-processor: export NUMBA_CPU_NAME = x86-64-v2
old-processor: export NUMBA_CPU_FEATURES = +cx16,+popcnt,+ssse3,+sse4.1,+sse4.2
old-processor: export GLIBC_TUNABLES = glibc.cpu.hwcaps=-AVX_Usable,-AVX2_Usable,-FMA_Usable,-AVX512F_Usable,-AVX,-AVX2,-FMA,-AVX512F
old-processor: test ## make test with the arithmetic of an old processor (x86-64): no test may depend on the last digit

.PHONY: editions
editions: $(FULL) ## lectures as a student runs them, 45-minute plans, the corpus, calibration for units (an hour or two)
	$(BIN)/python -m pytest -n $(JOBS) -m editions tests

.PHONY: homework
homework: $(FULL) ## write the student versions of the homework masters to course/homework, with otter-grader
	$(BIN)/python course/instructor/student_versions.py course/homework

.PHONY: bench
bench: $(FULL) ## speed as ratios in one run, how time grows, a plot in build/bench (ARGS="matching weights"; ARGS=--help)
	$(BIN)/python -m tests.benchmarks $(ARGS)

.PHONY: hostile
hostile: $(FULL) ## call every public function with hostile values; tables in build/hostile (ARGS="--only GAF --share 0.1")
	$(BIN)/python -m tests.hostile $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m pytest -m whole tests/hostile)

.PHONY: verdict
verdict: $(FULL) ## evaluate releases with a known answer and 360 honest ones (ARGS="copy_youths"; ARGS="--others --synthpop FOLDER")
	$(BIN)/python -m tests.verdict --jobs $(JOBS) $(ARGS)

.PHONY: corpus
corpus: $(FULL) ## synthesize, evaluate and write 64 real files from packages of PyPI (ARGS="--files 12"; ARGS=wage1)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.corpus $(ARGS)

.PHONY: mutate
mutate: $(FULL) ## plant small faults and count those that no test notices (ARGS="--n 20 --seed 1 synthlab/weights")
	$(BIN)/python -m tests.mutation $(ARGS)

.PHONY: course-outputs
course-outputs: $(FULL) ## execute all notebooks again (with R, without real samples) and normalise them
	$(BIN)/python -m synthlab.teaching.course_outputs course

.PHONY: dist
dist: $(FULL) ## build the distributions, check them, and start the command from the wheel in an environment of its own
	rm -rf build/dist build/dist-env
	$(BIN)/python -m build --outdir build/dist
	$(BIN)/python -m twine check --strict build/dist/*
	$(BIN)/check-wheel-contents build/dist/*.whl
	$(PYTHON) -m venv build/dist-env
	build/dist-env/bin/python -m pip install --quiet build/dist/*.whl
	cd build/dist-env && bin/synthlab-sdc --version && bin/synthlab-sdc doctor

.PHONY: release-check
release-check: $(FULL) ## before a release: build everything, run it from wheel and sdist with Python 3.11 to 3.13 (3: incomplete)
	$(BIN)/python -m tests.release_check build/release

# PyMC needs a later NumPy than the rest, so the extra bayes has an environment of its own. The lowest ArviZ imports Matplotlib,
# and fails with the latest one: the extra plots brings the lowest.
.PHONY: lowest
lowest: ## install the lowest versions that pyproject.toml allows into build/lowest-env and run a smoke test with them
	rm -rf build/lowest-env build/lowest-bayes-env
	$(PYTHON) -m venv build/lowest-env
	$(PYTHON) -m venv build/lowest-bayes-env
	nice build/lowest-env/bin/python -m pip install --quiet uv
	nice build/lowest-env/bin/uv pip install --quiet --python build/lowest-env/bin/python --resolution lowest-direct \
	  --editable '.[report,plots,linkage,files,data,scale,dp]'
	nice build/lowest-env/bin/uv pip install --quiet --python build/lowest-bayes-env/bin/python --resolution lowest-direct \
	  --editable '.[bayes,plots]'
	build/lowest-env/bin/python tests/lowest.py plots report linkage files data scale dp
	build/lowest-bayes-env/bin/python tests/lowest.py bayes plots

.PHONY: clean
clean: ## remove what was built (not the environment)
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.PHONY: r-reference
r-reference: $(FULL) ## record R's answers again (those of the real samples too where SYNTHLAB_DATA_DIR names them)
	@test -n "$(ROBIN)" || { echo "R is not on PATH: sudo apt-get install r-base-dev" >&2; exit 1; }
	$(BIN)/python data/reference/record.py

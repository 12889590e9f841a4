# The targets install their missing packages (tools/deps), then call Meson. `make help` lists all targets.

SHELL   := /bin/sh
PREFIX  ?= /usr/local
# Seconds of fuzzing per target in `make check`.
FUZZ_SECONDS ?= 10

# The builds. All but release and fast have asserts and are tested. The fast build is optimized, but not at link
# time, so it is complete in a minute; simulations take 5 % longer. The demo and long tests use it. Its libanole
# uses the same objects.
RELEASE := --buildtype=release -Db_lto=true -Db_ndebug=true
TEST    := --buildtype=debug -Doptimization=1 -Db_pie=false -Db_sanitize=address,undefined -Dtests=true
FAST    := --buildtype=release -Doptimization=2 -Db_ndebug=true -Db_staticpic=true -Dlibrary=true
DEBUG   := --buildtype=debug -Dtests=true
GCC     := --buildtype=release -Dtests=true --werror
CLANG   := --buildtype=debugoptimized -Dtests=true --werror
TSAN    := --buildtype=debugoptimized -Db_sanitize=thread -Dtests=true
FUZZ    := --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false -Dtests=true -Dfuzzer=true

CHECKS := check-includes check-scripts check-gcc check-mutants check-clang check-tidy check-leaks check-fuzz check-cross check-fresh check-first-day check-worlds
ifneq ($(shell grep -lrE 'pthread\.h|threads\.h' src train),)
CHECKS += check-tsan
endif

.PHONY: static image sbom check-static dist deb check-deb completion library wheel release demo demo-live test chaos fidelity differential debug web site bench repro repro-quick repro-check install clean help check check-long $(CHECKS) deps-check build-test build-fast build-clang prepare-scripts
.DEFAULT_GOAL := release

release:
	@tools/deps build
	@tools/configure release $(RELEASE)
	@ninja -C build/release

# Variants of `make demo`: the defaults of NICs and switches, an expert setting for 100G (PARALEON, table I),
# and short queues.
EXPERT := rpg_ai_rate=50Mbps,rpg_hai_rate=150Mbps,rate_reduce_monitor_period=80us,min_time_between_cnps=96us
EXPERT := $(EXPERT),kmin=1600KB,kmax=6400KB,pmax=0.2

# Runs a controller and its agents on a small simulated network in real time, for one minute. PAGE sets the
# address of the page: make demo-live PAGE=127.0.0.1:8080
PAGE ?= 127.0.0.1:7480
demo-live:
	@tools/deps build live
	@$(MAKE) --no-print-directory build-fast
	build/fast/anole twin scenarios/live_demo.yaml --seconds 60 --page $(PAGE)

demo:
	@tools/deps build
	@$(MAKE) --no-print-directory build-fast
	build/fast/anole compare scenarios/demo.yaml --seeds 5 --out build/demo \
	    --variant default --variant expert:$(EXPERT) --variant low-latency:kmin=40KB,kmax=160KB
	@echo 'For commands that begin with "anole", put the program on your path:'
	@echo '  export PATH="$(CURDIR)/build/fast:$$PATH"'

# A failed build counts as one failed test, so the last line always reports it. Unit tests run as soon as the
# test build is complete. Meanwhile the programs that scripts need are installed, and the fast build is made:
# sanitizers would make scripts with millions of packets take minutes.
test:
	@{ tools/deps build test live mpi && $(MAKE) --no-print-directory build-test; } \
	    || { echo '0 passed, 1 failed, 0 skipped'; exit 1; }
	@! $(HAS_NODE) || tools/deps web || true
	@FIDELITY_ANOLE=build/fast/anole tools/run-tests --meanwhile '$(MAKE) --no-print-directory prepare-scripts' build/test

build-test:
	@tools/configure test $(TEST)
	@ninja -C build/test

build-fast:
	@tools/configure fast $(FAST)
	@ninja -C build/fast

prepare-scripts: build-fast
	@tools/deps peers python notebooks slurm

# Whether there is Node 20 or later, with npm.
HAS_NODE := { command -v npm >/dev/null && node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))'; }

# Fault histories of the live part, then faults in real processes. SEEDS sets the number of histories, FROM
# the first seed, and FAULTS the number of faults of each kind: make chaos SEEDS=100000 FROM=1 FAULTS=200
# A failure prints its seed; CHAOS_SEED=N build/gcc/tests-chaos-chaos_test repeats it. See docs/live.md.
FAULTS ?= 200
FROM  ?= 1
chaos:
	@tools/deps build test live peers
	@CC=gcc tools/configure gcc $(GCC)
	@ninja -C build/gcc tests-chaos-chaos_test live-control-control_test
	@tests/chaos/run-all build/gcc/tests-chaos-chaos_test $(FROM) $(or $(SEEDS),10000)
	@CHAOS_DAYS=7 build/gcc/live-control-control_test
	@ninja -C build/gcc anole anole-live anole-switch && PATH="$(CURDIR)/build/aside/usr/bin:$$PATH" tests/live/faults.py build/gcc/anole --kind all --faults $(FAULTS) --seed $(FROM)
	@ninja -C build/gcc anole-guard && tests/live/stalls.py build/gcc/anole --trials $(FAULTS) --seed $(FROM) --jobs 8
	@ANOLE=$(CURDIR)/build/gcc/anole bats tests/live/everyday.bats

# Completion for bash, zsh and fish, generated from the program's options. Copy the files to where your shell
# looks.
completion: release
	@tools/make-completion build/release/anole build/completion
	@ls build/completion/*

# Builds build/libanole: libanole.so, anole.h and anole.pc, the simulator for C programs. See docs/library.md.
library:
	@tools/deps build
	@tools/configure library $(RELEASE) -Dlibrary=true
	@ninja -C build/library $$(meson introspect --targets build/library | grep -o 'libanole\.so\.[0-9.]*' | head -1)
	@tools/make-library build/library build/libanole

# A wheel for pip that contains the program as one file. It runs on any Linux of this architecture.
wheel: static
	@tools/deps python
	@tools/make-wheel build/static/anole-static build/wheel

# The simulator as one file that runs on any Linux of this architecture. It omits the parts that load
# libraries: live, MPI and serve.
STATIC := --buildtype=release -Db_pie=false -Db_lto=true -Db_ndebug=true -Dprefer_static=true -Dc_link_args=-static -Dlive=disabled -Dmpi=disabled
static:
	@tools/deps build
	@tools/configure static $(STATIC)
	@ninja -C build/static anole
	@strip -o build/static/anole-static build/static/anole
	@ls -l build/static/anole-static

# A container image of the static program: localhost/anole, in the storage of buildah and podman. See
# Containerfile.
image: static
	@tools/deps image
	@buildah build --timestamp 0 --tag anole --file Containerfile .

# Bill of materials (CycloneDX): libraries with their versions, and the contents of the page.
sbom: release
	@tools/sbom build/release build/sbom.json
	@echo build/sbom.json

check-static: static deps-check
	@tools/deps image
	@ANOLE=build/static/anole BUILD=build/static bats tests/tools/static.bats

# The sources as one archive, reproducible byte for byte. It builds without other files.
dist:
	@tools/dist

# Builds Debian packages into build/deb. See debian/ and tools/make-deb.
deb:
	@tools/deps deb
	@tools/make-deb

# Builds the packages twice, compares them, runs lintian, and installs and removes them. Needs root and many
# minutes.
check-deb:
	@tools/deps deb
	@tests/deb/check

# Folders of recordings that are too large for the repository: the HPCC fork with its other controls,
# ConWeave, random worlds and uet-htsim. The comparison skips missing ones.
CONTROLS ?= ../shared/reference/cc
CONWEAVE ?= $(wildcard ../shared/reference/conweave/cases)
RANDOM   ?= ../shared/reference/random
HTSIM    ?= ../shared/reference/uet/cases

# The full comparison with the ns-3 forks and uet-htsim; `make test` omits its long cases. See
# docs/fidelity.md.
fidelity: release
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/fidelity.sh --all --jobs "$$(nproc)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/conweave.sh --all --jobs "$$(nproc)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/controls.sh "$(CONTROLS)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/weave.sh tests/fidelity/weave $(CONWEAVE)
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/random.sh --may-refuse "$(RANDOM)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/htsim.sh tests/fidelity/htsim "$(HTSIM)"

# Compares random worlds with a second implementation of the models hpcc and conweave. `make test` runs 20 and
# 12 of them. To run one: make differential SEEDS=1 FROM=17
differential: release
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/differential.sh --jobs "$$(nproc)" --seeds $(or $(SEEDS),200) \
		--conweave $(or $(SEEDS),200) --from $(FROM)

debug:
	@tools/deps build test
	@tools/configure debug $(DEBUG)
	@ninja -C build/debug

# Tests the report page in a browser. Needs Node 20 or later; the build needs esbuild alone (tools/build-page).
web:
	@$(HAS_NODE) || { echo 'make web: needs Node 20 or later with npm, which Debian 12 does not have: https://nodejs.org' >&2; exit 1; }
	@tools/deps web
	@tests/web/fetch
	@tests/web/run

# The documentation as a site with search: build/site/index.html. Open it or upload it; it needs no network.
site:
	@tools/deps site
	@tools/site

bench: release
	@tools/deps bench
	@tools/list-sources bench | cut -d ' ' -f 2 | xargs -r ninja -C build/release
	@bench/run build/release

# Runs the experiments in repro/README.md. Finished runs are kept, so an interrupted `make repro` continues.
# To run one: make repro-paraleon-fig08. QUICK=1 selects its short version.
repro repro-quick: release
	@tools/deps repro
	@QUICK=$(if $(findstring quick,$@),1,0) repro/run-all

# Lists the experiments whose recorded results do not belong to this program. Prints nothing if all do.
repro-check: release
	@repro/check

repro-%: release
	@tools/deps repro
	@repro/run-all '$*'

install: release
	@meson configure build/release -Dprefix='$(abspath $(PREFIX))'
	@meson install -C build/release

clean:
	rm -rf build

# ---- make check: tests that are too slow for `make test`, or need more packages
#
# Each part finds errors that the others cannot. Together they should take less than 90 minutes on two
# processors; with a compiler cache they take about 35.
#
#   check-gcc    warnings of gcc, and the unit tests on optimized code with asserts; more random worlds than
#                `make test`, and the commands of docs/first.md with all their results
#   check-mutants  whether a unit test notices each small fault of tests/mutants/list
#   check-clang  warnings of clang, and the unit tests
#   check-tidy   clang-tidy on the sources of the library
#   check-leaks  on aarch64, where `make test` omits leak detection because it is slow: unit tests and a few
#                scripts with it. Elsewhere every test of `make test` detects leaks.
#   check-tsan   unit tests and scripts of threaded code
#   check-fuzz   every fuzz target for FUZZ_SECONDS
#   check-fresh  README.md, docs/first.md, the tests and the packages on bare Debian systems: tests/fresh/check
#   check-first-day  the first day of docs/live.md, typed on machines with systemd and the packages: tests/deb/first-day
#   check-cross  most unit tests on the other architecture, where the demo must produce the same bytes
#
# `make check-long` runs all tests in each of these builds and takes many hours. TESTS selects the tests of
# one part, with the names of tools/run-tests: make check-tsan TESTS="'live-*_test' cli-live.bats".
UNIT_TESTS  := '*_test' 'fuzz_*'
GCC_TESTS   := $(UNIT_TESTS) tools-commands.bats
LEAK_TESTS  := $(UNIT_TESTS) cli-run.bats cli-tune.bats cli-live.bats
# Threaded code: partitions and trials of a twin, training, whole-file readers, lease, history, addresses and
# RPCs.
TSAN_TESTS  := tests-threads_test 'sim-*_test' 'study-twin-*_test' 'train-rlcc*_test' 'base-thread-*_test' \
               base-file-whole_test 'work-traffic-*_test' 'live-*_test' 'base-http-*_test' cli-live.bats cli-serve.bats
# Not tests-{invariant,lb,uet,threads,vast,oracle-alone}_test, which build hundreds of networks, each of which reserves gigabytes: under qemu that takes hours.
CROSS_TESTS := '[!t]*_test' 't[!e]*_test' 'tests-oracle-[!a]*_test' 'tests-[aefks]*_test' 'fuzz_*'

check: $(CHECKS)
	@echo 'all checks passed'

check-long:
	@$(MAKE) --no-print-directory check TESTS="'*'"

deps-check:
	@tools/deps build test check mpi live peers python notebooks slurm

check-includes:
	@tools/check-includes

check-scripts: deps-check
	@tools/list-sources script | xargs shellcheck

check-gcc: deps-check
	@CC=gcc tools/configure gcc $(GCC)
	@ninja -C build/gcc
	@COMMANDS=all ANOLE_WORLDS=$${ANOLE_WORLDS:-600} tools/run-tests build/gcc $(or $(TESTS),$(GCC_TESTS))

# MUTANTS selects those of files or tests with these words: make check-mutants MUTANTS='pacer dctcp'
check-mutants: deps-check
	@CC=gcc tools/configure gcc $(GCC)
	@tests/mutants/run build/gcc $(MUTANTS)

build-clang: deps-check
	@CC=clang tools/configure clang $(CLANG)
	@ninja -C build/clang

check-clang: build-clang
	@tools/run-tests build/clang $(or $(TESTS),$(UNIT_TESTS))

check-tidy: build-clang
	@{ tools/list-sources lib; echo src/cmd/main.c; } | xargs -n 4 -P "$$(nproc)" clang-tidy --quiet -p build/clang

ifeq ($(shell uname -m)$(TESTS),x86_64)
check-leaks:
	@echo '`make test` detects leaks on this processor: nothing more to run here'
else
check-leaks: deps-check
	@$(MAKE) --no-print-directory build-test
	@LEAKS=1 tools/run-tests build/test $(or $(TESTS),$(LEAK_TESTS))
endif

# ThreadSanitizer makes tests about ten times slower, so scripts get a longer limit. Fault histories use one
# thread: 100 of them suffice here, because the other checks run the rest.
check-tsan: deps-check
	@CC=gcc tools/configure tsan $(TSAN)
	@ninja -C build/tsan
	@CHAOS_SEEDS=$${CHAOS_SEEDS:-100} TEST_SECONDS=$${TEST_SECONDS:-3600} tools/run-tests build/tsan $(or $(TESTS),$(TSAN_TESTS))

# New inputs that the fuzzer finds stay in build/fuzz/corpus. Copy those worth keeping to tests/fuzz/corpus.
check-fuzz: deps-check
	@CC=clang tools/configure fuzz $(FUZZ)
	@tools/list-sources fuzz | cut -d ' ' -f 2 | xargs -r ninja -C build/fuzz
	@tools/list-sources fuzz | cut -d ' ' -f 2 | xargs -n 1 -P "$$(nproc)" sh -c ' \
	    found=build/fuzz/corpus/$${1#fuzz_}; \
	    mkdir -p "$$found"; \
	    build/fuzz/$$1 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/$$1- \
	        "$$found" tests/fuzz/corpus/$${1#fuzz_} >build/fuzz/$$1.log 2>&1 || { cat build/fuzz/$$1.log; exit 1; }' fuzz

check-fresh:
	@tests/fresh/check

# Needs root or sudo, and namespaces; skipped with a reason without.
check-first-day:
	@tools/deps deb fresh
	@tools/make-deb >/dev/null
	@tests/deb/first-day || [ $$? -eq 77 ]

# Tests aarch64 on x86-64, and x86-64 elsewhere.
check-cross: release
	@tools/cross $(or $(TESTS),$(CROSS_TESTS))

# Random worlds and judges (tests/worlds/run) under sanitizers. SEEDS of them, from the day's number on, so that every day
# judges others; FROM repeats a run: make check-worlds SEEDS=10000 FROM=1

WORLDS_FROM := $(if $(filter command% environment%,$(origin FROM)),$(FROM),$(shell echo $$(($$(date +%s) / 86400 * 10000))))
check-worlds: deps-check build-test build-fast
	@FIDELITY_ANOLE=build/test/anole ANOLE=build/test/anole tests/worlds/run --jobs "$$(nproc)" \
	    --seeds $(WORLDS_FROM)..$$(($(WORLDS_FROM) + $(or $(SEEDS),400) - 1))

help:
	@echo 'make              build the program: build/release/anole'
	@echo 'make demo-live    run a controller on simulated NICs and switches for one minute, and print the address of its page'
	@echo 'make demo         compare three settings on scenarios/demo.yaml: build/demo/report.html'
	@echo 'make test         run all tests, with asserts, AddressSanitizer and UndefinedBehaviorSanitizer (build/test)'
	@echo 'make check        run the slower checks: gcc and clang with -Werror, clang-tidy, shellcheck, leaks, fuzzing, another architecture'
	@echo '                  each part alone: $(CHECKS)'
	@echo '                  FUZZ_SECONDS=60 fuzzes longer'
	@echo 'make check-long   run all tests in each of these builds (many hours)'
	@echo 'make chaos        run fault histories of the live part, SEEDS=10000 of them: docs/live.md'
	@echo 'make completion   write completion for bash, zsh and fish: build/completion'
	@echo 'make library      build library, header and anole.pc for C programs: build/libanole, docs/library.md'
	@echo 'make wheel        build a Python wheel that contains the program: build/wheel'
	@echo 'make deb          build Debian packages: build/deb; make check-deb builds them twice, installs and removes them'
	@echo 'make static       build the simulator as one file without shared libraries: build/static/anole-static'
	@echo 'make image        build a container image of the static program with buildah; make check-static tests both'
	@echo 'make sbom         list libraries and their versions as CycloneDX: build/sbom.json'
	@echo 'make dist         pack the sources as one archive: build/dist'
	@echo 'make fidelity     run the full comparison with the ns-3 forks and uet-htsim: docs/fidelity.md'
	@echo 'make differential compare random worlds with a second implementation of two models, SEEDS=200 of each: docs/fidelity.md'
	@echo 'make web          test the report page in a browser (needs Node 20)'
	@echo 'make site         build the documentation as HTML with search: build/site/index.html'
	@echo 'make bench        run benchmarks; prints one "name value unit" per line and records them in bench/history.csv'
	@echo 'make repro-quick  run short versions of the experiments; make repro runs the full versions. See repro/README.md'
	@echo '                  one alone: make repro-paraleon-fig08; make repro-check lists outdated results'
	@echo 'make debug        build without optimization and with asserts, for gdb: build/debug'
	@echo 'make install      install below PREFIX (default /usr/local; DESTDIR is respected)'
	@echo 'make clean        remove build/'
	@echo
	@echo 'Missing packages are installed with apt-get, through sudo if you are not root; tools/deps lists them.'
	@echo 'To run one test: make test, then build/test/base-err_test, which is built from src/base/err_test.c'
	@echo 'New source files are found automatically: see tools/list-sources.'

# The front door. Every target first installs what it needs and is not there (tools/deps), then calls Meson.
# `make help` says what there is.

SHELL   := /bin/sh
PREFIX  ?= /usr/local
# Seconds of fuzzing per target in `make check`.
FUZZ_SECONDS ?= 10

# The builds. Asserts are on in all but release and fast, and tests run in all but those. Long tests run the programs of fast beside
# those with sanitizers: optimised, but not at link time, which takes minutes, and with libanole made of the same objects.
RELEASE := --buildtype=release -Db_lto=true -Db_ndebug=true
TEST    := --buildtype=debug -Doptimization=1 -Db_pie=false -Db_sanitize=address,undefined -Dtests=true
FAST    := --buildtype=release -Doptimization=2 -Db_ndebug=true -Db_staticpic=true -Dlibrary=true
DEBUG   := --buildtype=debug -Dtests=true
GCC     := --buildtype=release -Dtests=true --werror
CLANG   := --buildtype=debugoptimized -Dtests=true --werror
TSAN    := --buildtype=debugoptimized -Db_sanitize=thread -Dtests=true
FUZZ    := --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false -Dtests=true -Dfuzzer=true

CHECKS := check-includes check-scripts check-gcc check-clang check-tidy check-leaks check-fuzz check-cross
ifneq ($(shell grep -lrE 'pthread\.h|threads\.h' src),)
CHECKS += check-tsan
endif

.PHONY: static image sbom check-static dist deb check-deb completion library wheel release demo demo-live test chaos fidelity differential debug web site bench repro repro-quick repro-check install clean help check check-long $(CHECKS) deps-check build-clang
.DEFAULT_GOAL := release

release:
	@tools/deps build
	@tools/configure release $(RELEASE)
	@ninja -C build/release

# What NICs and switches come with; what experts set for 100G (PARALEON, table I); and short queues.
EXPERT := rpg_ai_rate=50Mbps,rpg_hai_rate=150Mbps,rate_reduce_monitor_period=80us,min_time_between_cnps=96us
EXPERT := $(EXPERT),kmin=1600KB,kmax=6400KB,pmax=0.2

# A small network in real time, real agents and a controller, for a minute. Where its page is: make demo-live PAGE=127.0.0.1:8080
PAGE ?= 127.0.0.1:7480
demo-live:
	@tools/deps live
	@$(MAKE) --no-print-directory release
	build/release/anole twin scenarios/live_demo.yaml --seconds 60 --page $(PAGE)

demo: release
	build/release/anole compare scenarios/demo.yaml --seeds 5 --out build/demo \
	    --variant default --variant expert:$(EXPERT) --variant low-latency:kmin=40KB,kmax=160KB

# A build that fails is a test that failed: whoever reads the last line finds one.
# Without its libraries (tools/deps live) the part for real networks is neither built nor tested.
# Millions of packets are compared with ns-3's; that part runs the fast build, sanitizers would take minutes.
test:
	@tools/deps live || true
	@tools/deps peers || true
	@tools/deps slurm || true
	@{ tools/deps build test && tools/configure test $(TEST) && ninja -C build/test \
	    && tools/configure fast $(FAST) && ninja -C build/fast; } \
	    || { echo '0 passed, 1 failed'; exit 1; }
	@! command -v node >/dev/null || tools/deps web || true
	@FIDELITY_ANOLE=build/fast/anole tools/run-tests build/test

# Fault histories of the live side, as many as one likes, then faults of real processes: make chaos SEEDS=100000 FROM=1 FAULTS=200 (of each kind). One that fails is told by its seed;
# CHAOS_SEED=N build/gcc/tests-chaos-chaos_test shows it. See docs/live.md.
FAULTS ?= 200
FROM  ?= 1
chaos:
	@tools/deps build test live
	@CC=gcc tools/configure gcc $(GCC)
	@ninja -C build/gcc tests-chaos-chaos_test
	@CHAOS_FROM=$(FROM) CHAOS_SEEDS=$(or $(SEEDS),10000) build/gcc/tests-chaos-chaos_test
	@ninja -C build/gcc anole anole-live anole-switch && tests/live/faults.py build/gcc/anole --kind all --faults $(FAULTS) --seed $(FROM)

# Completion for bash, zsh and fish, from what the program says of its options: copy to where the shell looks.
completion: release
	@tools/make-completion build/release/anole build/completion
	@ls build/completion/*

# build/libanole: libanole.so, anole.h and anole.pc: the simulated network for programs in C. See docs/library.md.
library:
	@tools/deps build
	@tools/configure library $(RELEASE) -Dlibrary=true
	@ninja -C build/library $$(meson introspect --targets build/library | grep -o 'libanole\.so\.[0-9.]*' | head -1)
	@tools/make-library build/library build/libanole

# A wheel for pip that contains the program, as one file for any Linux of this processor.
wheel: static
	@tools/deps python
	@tools/make-wheel build/static/anole-static build/wheel

# The simulator as one file that runs on any Linux of this processor: without what loads libraries (live part, MPI, serve, plot).
STATIC := --buildtype=release -Db_pie=false -Db_lto=true -Db_ndebug=true -Dprefer_static=true -Dc_link_args=-static -Dlive=disabled -Dmpi=disabled
static:
	@tools/deps build
	@tools/configure static $(STATIC)
	@ninja -C build/static anole
	@strip -o build/static/anole-static build/static/anole
	@ls -l build/static/anole-static

# A container image of it: localhost/anole, in the storage of buildah and podman. See Containerfile.
image: static
	@tools/deps image
	@buildah build --timestamp 0 --tag anole --file Containerfile .

# What the programs are made of: libraries with their versions, and what is in the page (CycloneDX).
sbom: release
	@tools/sbom build/release build/sbom.json
	@echo build/sbom.json

check-static: static deps-check
	@tools/deps image
	@ANOLE=build/static/anole BUILD=build/static bats tests/tools/static.bats

# The sources as one file, the same bytes each time, that builds by itself.
dist:
	@tools/dist

# Debian packages: build/deb/*.deb. How they are made: debian/, tools/make-deb.
deb:
	@tools/deps deb
	@tools/make-deb

# Builds them twice, compares, asks lintian, installs and removes them. Needs root, and takes many minutes.
check-deb:
	@tools/deps deb
	@tests/deb/check

# Recordings of the HPCC fork with its other controls, a folder each: too large to be part of this. None: skipped.
CONTROLS ?= ../shared/reference/cc
CONWEAVE ?= $(wildcard ../shared/reference/conweave/cases)
RANDOM   ?= ../shared/reference/random
HTSIM    ?= ../shared/reference/uet/cases

# All of the comparison with the ns-3 forks and uet-htsim; `make test` leaves out what takes long. See docs/fidelity.md.
fidelity: release
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/fidelity.sh --all --jobs "$$(nproc)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/conweave.sh --all --jobs "$$(nproc)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/controls.sh "$(CONTROLS)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/weave.sh tests/fidelity/weave $(CONWEAVE)
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/random.sh --may-refuse "$(RANDOM)"
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/htsim.sh tests/fidelity/htsim "$(HTSIM)"

# Random worlds against a second form of the rules of models hpcc and conweave; `make test` has 20 and 12. One alone: make differential SEEDS=1 FROM=17.
differential: release
	@FIDELITY_ANOLE=build/release/anole tests/fidelity/differential.sh --jobs "$$(nproc)" --seeds $(or $(SEEDS),200) \
		--conweave $(or $(SEEDS),200) --from $(FROM)

debug:
	@tools/deps build test
	@tools/configure debug $(DEBUG)
	@ninja -C build/debug

# The report page: built anew from web/ into web/report.html, and tested in a browser. Needs Node 20 or later.
web:
	@tools/deps web
	@tests/web/fetch
	@cd web && npm run --silent build
	@tests/web/run

# The documents as a site with search: build/site/index.html, to be opened or put anywhere. Needs no network.
site:
	@tools/deps site
	@tools/site

bench: release
	@tools/deps bench
	@tools/list-sources bench | cut -d ' ' -f 2 | xargs -r ninja -C build/release
	@bench/run build/release

# The experiments of the papers: repro/README.md. Finished runs are kept; `make repro` goes on where it was. One alone:
# make repro-paraleon-fig08, and QUICK=1 for its short version.
repro repro-quick: release
	@tools/deps repro
	@QUICK=$(if $(findstring quick,$@),1,0) repro/run-all

# Names the experiments whose results do not belong to this program: nothing if all do.
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

# ---- make check: what is too slow, or needs too much, for every `make test`
#
# Each part runs what only it can find; all of them together are meant to take less than 90 minutes on two processors.
#
#   check-gcc    warnings of gcc, and the unit tests with the optimised code that users run, and asserts; more random worlds than
#                `make test`, and the commands of docs/first.md with all their results
#   check-clang  the other compiler: its warnings, and the unit tests
#   check-tidy   clang-tidy on the sources of the library
#   check-leaks  unit tests and a few scripts, with leak detection also where it is slow (see tools/run-tests)
#   check-tsan   unit tests and scripts of code that has threads
#   check-fuzz   every fuzz target for FUZZ_SECONDS
#   check-cross  most unit tests on the other processor, and the same bytes out of the demo
#
# `make check-long` has all tests in each of these builds and takes many hours. TESTS names others for one part, as tools/run-tests
# takes them: make check-tsan TESTS="'live-*_test' cli-live.bats".
UNIT_TESTS  := '*_test' 'fuzz_*'
GCC_TESTS   := $(UNIT_TESTS) tools-commands.bats
LEAK_TESTS  := $(UNIT_TESTS) cli-run.bats cli-tune.bats cli-live.bats
# Threads: parts of a network and trials of a twin, training, reading whole files, lease, history, addresses and RPCs.
TSAN_TESTS  := tests-threads_test 'sim-*_test' 'twin-*_test' 'train-rlcc*_test' 'base-thread-*_test' \
               base-file-whole_test 'traffic-*_test' 'live-*_test' 'http-*_test' cli-live.bats cli-serve.bats
# Not tests-{invariant,lb,uet,threads,vast,oracle-alone}_test, which build hundreds of networks, each of which reserves gigabytes: under qemu that takes hours.
CROSS_TESTS := '[!t]*_test' 't[!e]*_test' 'tests-oracle-[!a]*_test' 'tests-[aefks]*_test' 'fuzz_*'

check: $(CHECKS)
	@echo 'all checks passed'

check-long:
	@$(MAKE) --no-print-directory check TESTS="'*'"

deps-check:
	@tools/deps build test check mpi live python notebooks slurm

check-includes:
	@tools/check-includes

check-scripts: deps-check
	@tools/list-sources script | xargs shellcheck

check-gcc: deps-check
	@CC=gcc tools/configure gcc $(GCC)
	@ninja -C build/gcc
	@COMMANDS=all ANOLE_WORLDS=$${ANOLE_WORLDS:-600} tools/run-tests build/gcc $(or $(TESTS),$(GCC_TESTS))

build-clang: deps-check
	@CC=clang tools/configure clang $(CLANG)
	@ninja -C build/clang

check-clang: build-clang
	@tools/run-tests build/clang $(or $(TESTS),$(UNIT_TESTS))

check-tidy: build-clang
	@{ tools/list-sources lib; echo src/cmd/main.c; } | xargs -n 4 -P "$$(nproc)" clang-tidy --quiet -p build/clang

check-leaks: deps-check
	@tools/configure test $(TEST)
	@ninja -C build/test
	@LEAKS=1 tools/run-tests build/test $(or $(TESTS),$(LEAK_TESTS))

# Ten times slower, so that a script may take longer than it does anywhere else. Fault histories have one thread: a few, the other
# checks have the rest.
check-tsan: deps-check
	@CC=gcc tools/configure tsan $(TSAN)
	@ninja -C build/tsan
	@CHAOS_SEEDS=$${CHAOS_SEEDS:-100} TEST_SECONDS=$${TEST_SECONDS:-3600} tools/run-tests build/tsan $(or $(TESTS),$(TSAN_TESTS))

# What the fuzzer finds new stays in build/fuzz/corpus; copy it to tests/fuzz/corpus when it is worth keeping.
check-fuzz: deps-check
	@CC=clang tools/configure fuzz $(FUZZ)
	@tools/list-sources fuzz | cut -d ' ' -f 2 | xargs -r ninja -C build/fuzz
	@tools/list-sources fuzz | cut -d ' ' -f 2 | xargs -n 1 -P "$$(nproc)" sh -c ' \
	    found=build/fuzz/corpus/$${1#fuzz_}; \
	    mkdir -p "$$found"; \
	    build/fuzz/$$1 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/$$1- \
	        "$$found" tests/fuzz/corpus/$${1#fuzz_} >build/fuzz/$$1.log 2>&1 || { cat build/fuzz/$$1.log; exit 1; }' fuzz

# aarch64 on x86-64, x86-64 elsewhere.
check-cross: release
	@tools/cross $(or $(TESTS),$(CROSS_TESTS))

help:
	@echo 'make              build the program: build/release/anole'
	@echo 'make demo-live    a controller tunes simulated NICs and switches over gRPC, in real time, for a minute; says where its page is'
	@echo 'make demo         build it and compare three settings on scenarios/demo.yaml: build/demo/report.html'
	@echo 'make test         all tests, with asserts, AddressSanitizer and UndefinedBehaviorSanitizer (build/test)'
	@echo 'make check        all that is slower: gcc and clang with -Werror, clang-tidy, shellcheck, leaks, fuzzing, the other processor'
	@echo '                  each part alone: $(CHECKS)'
	@echo '                  FUZZ_SECONDS=60 fuzzes longer'
	@echo 'make check-long   the same with all tests in each build: many hours'
	@echo 'make chaos        fault histories of the live side, SEEDS=10000 of them: docs/live.md'
	@echo 'make completion   build/completion: for bash, zsh and fish'
	@echo 'make library      build/libanole: library, header and anole.pc for programs in C: docs/library.md'
	@echo 'make wheel        build/wheel: a Python wheel that contains the program'
	@echo 'make deb          Debian packages: build/deb; make check-deb builds them twice, installs and removes them'
	@echo 'make static       build/static/anole-static: the simulator as one file without shared libraries'
	@echo 'make image        a container image of that, by buildah; make check-static tests both'
	@echo 'make sbom         build/sbom.json: what the programs are made of (CycloneDX)'
	@echo 'make dist         the sources as one file: build/dist'
	@echo 'make fidelity     the whole comparison with the ns-3 forks and uet-htsim: docs/fidelity.md'
	@echo 'make differential random worlds against a second form of the rules, SEEDS=200 of each model: docs/fidelity.md'
	@echo 'make web          build the report page from web/ (needs Node 20) and test it in a browser'
	@echo 'make site         the documents as HTML with search: build/site/index.html'
	@echo 'make bench        benchmarks, one "name value unit" per line; kept in bench/history.csv'
	@echo 'make repro-quick  short versions of the experiments of the papers; make repro: all of them. See repro/README.md'
	@echo '                  one alone: make repro-paraleon-fig08. make repro-check: which results are of another program'
	@echo 'make debug        build/debug, unoptimised, with asserts: for gdb'
	@echo 'make install      install below PREFIX (default /usr/local; DESTDIR is respected)'
	@echo 'make clean        remove build/'
	@echo
	@echo 'Packages that are missing are installed by apt-get, with sudo when you are not root; tools/deps lists them.'
	@echo 'One test alone:   make test, then build/test/base-err_test; its name is that of src/base/err_test.c'
	@echo 'A file you added is found by itself: see tools/list-sources.'

# The commands of leat's developers and packagers (`make help`). Targets install the packages that they need
# (scripts/setup), and build in build/.

SHELL = /bin/sh
PREFIX = /usr/local
DESTDIR =
# The presets with which `make test` runs the suite. `release` builds the library as for users. `make test-all` also
# uses the sanitizers.
PRESETS = release
# The parts of `make prove`. Each part prints its counts, and fails if a promise does not hold.
PROOFS = sweep kills logs power zones documents fuzz
# Further arguments of the command that a target runs, for example: make bench ARGS="--dir /data print"
ARGS =
REPORT = build/bench/report
# The seconds that each fuzz target runs, and the fuzz targets to run; by default all targets.
SECONDS = 10
TARGETS =
DRIVERS = $(basename $(notdir $(wildcard fuzz/*.cpp)))
# The cluster that `make test-cluster` starts.
CLUSTER = ceph
# The ways to get leat that `make check-packages` tries.
WAYS = amalgamation subproject meson conan xmake module plugins release
# The number of mutants that `make mutants` makes.
MUTANTS = 500
# The output folder of `make release`.
RELEASE = build/release-$(VERSION)
JOBS = $$(nproc 2>/dev/null || echo 2)
# The tests of `make test` and `make test-windows` that run at the same time: one more than JOBS, because tests
# sometimes wait for disks, servers and timers.
TESTS_AT_ONCE = $$(($(JOBS) + 1))

.PHONY: help bench test test-all install lint docs clean test-cluster test-debian13 test-fmt test-arrow test-windows \
  check-abi check-packages release test-aarch64 test-musl check-macos fuzz coverage mutants prove prove-sweep \
  prove-kills prove-logs prove-power prove-zones prove-documents prove-fuzz

help:
	@echo 'make bench    measure leat against its peers on this machine, two minutes'
	@echo '              ARGS="--dir /data print" passes more to `leat bench`'
	@echo 'make test     build and run the whole test suite (PRESETS="$(PRESETS)")'
	@echo 'make test-all the suite, and the suite with the sanitizers of addresses and undefined behaviour;'
	@echo '              tests that have threads also run with the sanitizer of threads'
	@echo 'make prove    run all cases of the tests that the suite samples: PROOFS="$(PROOFS)"'
	@echo 'make fuzz     run each fuzz target for SECONDS=$(SECONDS) (TARGETS="print records")'
	@echo 'make mutants  change the library in MUTANTS=$(MUTANTS) positions, one at a time, and run the tests'
	@echo 'make coverage print the lines and branches of the library that the suite runs'
	@echo 'make install  build and install into PREFIX=$(PREFIX), below DESTDIR if it is set'
	@echo 'make lint     check format, words, warnings, headers and scripts'
	@echo 'make docs     make the site: open build/site/index.html'
	@echo 'make clean    remove build/'
	@echo 'make test-debian13'
	@echo '              the suite on a fresh Debian 13, below build/ (PRESETS="$(PRESETS)"); as root'
	@echo 'make test-cluster'
	@echo '              the tests of object storage, and a load while nodes are killed, with'
	@echo '              Ceph (or CLUSTER=garage) on loopback; as root'
	@echo 'make check-packages'
	@echo '              install and use leat in each way (WAYS="$(WAYS)");'
	@echo '              WAYS=debian: packages for Debian 12 and 13, in roots of their own; as root'
	@echo 'make check-abi'
	@echo '              compare the exports of the shared libraries with packaging/abi (ACCEPT=yes: replace it)'
	@echo 'make release VERSION=0.2.0'
	@echo '              the archives of the tag that is checked out, into RELEASE=$(RELEASE)'
	@echo 'make test-fmt FMT=/opt/fmt'
	@echo '              the suite with another {fmt}, which is installed there'
	@echo 'make test-arrow'
	@echo '              the adapter for Apache Arrow, with the wheel of PyPI (200 MB)'
	@echo 'make test-windows, test-aarch64, test-musl'
	@echo '              the suite under Wine, for 64-bit ARM under qemu, and with musl, static'
	@echo 'make check-macos'
	@echo '              compile and link for macOS; nothing runs'

# Builds without the tests, so that a machine for measurements needs no test framework. If ARGS has no address, builds
# without the component for object storage, too. `cmake --preset` sets the preset's options again, so a later
# `make test` builds the tests.
bench:
	scripts/setup bench
	cmake --preset release -DLEAT_TESTS=OFF -DLEAT_EXAMPLES=OFF -DLEAT_REMOTE=$(if $(findstring ://,$(ARGS)),ON,OFF) \
	  -DLEAT_BENCH=$(if $(findstring loops,$(ARGS)),ON,OFF)
	cmake --build --preset release -j $(JOBS)
	mkdir -p $(dir $(REPORT))
	build/release/tools/leat/leat bench --json $(REPORT).json --html $(REPORT).html $(ARGS)
	@echo 'The report is in $(REPORT).html'

# The preset `asan` needs Clang 19.
test:
	scripts/setup $(if $(filter asan tsan,$(PRESETS)),test-all,test)
	@set -e; for preset in $(PRESETS); do \
	  echo "== $$preset"; \
	  cmake --preset $$preset; \
	  cmake --build --preset $$preset -j $(JOBS); \
	  ctest --preset $$preset -j $(TESTS_AT_ONCE); \
	done

test-all:
	$(MAKE) --no-print-directory test PRESETS='release asan tsan'

prove:
	@set -e; for proof in $(PROOFS); do \
	  echo "== $$proof"; \
	  $(MAKE) --no-print-directory prove-$$proof; \
	done

# Runs each operation with each fault of each of its system calls and allocations. The shortest operations also run with
# all pairs of faults.
prove-sweep:
	scripts/setup test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target sweep
	build/release/tests/sweep --all

# Kills programs that write, at random moments. Here and in the next two targets, the second run breaks the promises
# intentionally, and must find the broken promises.
prove-kills:
	scripts/setup test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target kills
	build/release/tests/kills --kills 12000 $(ARGS)
	build/release/tests/kills --kills 2000 --broken

# Runs processes that write to one log, one system call at a time. The run takes about ten minutes.
prove-logs:
	scripts/setup test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target logs
	build/release/tests/logs --steps 10000000 $(ARGS)
	build/release/tests/logs --broken

# Cuts the power of ext4, xfs and btrfs. Needs root and FUSE.
prove-power:
	scripts/setup power
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target power_cuts
	build/release/tests/power_cuts $(ARGS)
	build/release/tests/power_cuts --broken --cuts 400

# Tests the periods of logs in all of the system's time zones.
prove-zones:
	scripts/setup test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target test_logs
	LEAT_ALL_ZONES=yes build/release/tests/test_logs --gtest_filter='log_periods.*'

# Runs the programs of the documents and of examples/, with files and loops up to a thousand times as large.
prove-documents:
	scripts/setup test-all
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS) --target docs_large examples
	tests/docs/large.py run build/asan/tests/docs_large build/asan docs/*.md docs/*/*.md

prove-fuzz:
	$(MAKE) --no-print-directory fuzz SECONDS=1200

fuzz:
	scripts/setup fuzz
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS) --target $$(printf 'fuzz_%s ' $(or $(TARGETS),$(DRIVERS)))
	scripts/fuzz $(SECONDS) $(TARGETS)

coverage:
	scripts/setup coverage
	cmake --preset coverage
	cmake --build --preset coverage -j $(JOBS)
	rm -rf build/coverage/counts
	ctest --preset coverage -j $(JOBS)
	scripts/coverage

# Each mutant is built and tested: 500 mutants take hours.
mutants:
	scripts/setup test
	scripts/mutants $(MUTANTS) $(ARGS)

test-debian13:
	scripts/setup debian13
	scripts/debian13 PRESETS='$(PRESETS)'

check-packages:
	scripts/setup packages
	scripts/packages $(WAYS)

# The shared libraries as for users, with the debug information that abidiff needs.
check-abi:
	scripts/setup abi
	cmake -G Ninja -S . -B build/abi -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_SHARED_LIBS=ON -DLEAT_REMOTE=ON -DLEAT_CODECS=ON \
	  -DLEAT_TESTS=OFF -DLEAT_TOOLS=OFF -DLEAT_EXAMPLES=OFF
	cmake --build build/abi -j $(JOBS)
	scripts/abi $(if $(ACCEPT),accept,check) build/abi/libleat.so build/abi/libleat_remote.so \
	  build/abi/libleat_codecs.so
	scripts/abi prove build/abi/libleat.so
	tests/abi/run.sh build/abi fmt clang++-19
	python3 tests/c/python.py build/abi/libleat.so

release:
	scripts/setup docs
	scripts/release $(ARGS) $(VERSION) $(RELEASE)

# Ceph comes from Debian. Garage is built from source by the first run, which takes 20 minutes longer.
test-cluster: setup = $(if $(filter garage,$(CLUSTER)),garage,cluster)
test-cluster:
	scripts/setup $(setup)
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target test_remote cluster_load
	scripts/cluster $(ARGS) $(CLUSTER)

test-fmt:
	scripts/setup test
	@test -d '$(FMT)' || { echo 'usage: make test-fmt FMT=PREFIX (of an installed {fmt})'; exit 2; }
	cmake --preset release -B build/fmt -DCMAKE_PREFIX_PATH='$(FMT)'
	cmake --build build/fmt -j $(JOBS)
	ctest --test-dir build/fmt --output-on-failure -j $(JOBS)

# Arrow's headers and libraries are in the wheel for Python.
test-arrow:
	scripts/setup arrow
	cmake --preset release -B build/arrow \
	  -DLEAT_ARROW="$$(build/pyarrow/bin/python3 -c 'import pyarrow; print(pyarrow.get_library_dirs()[0])')"
	cmake --build build/arrow -j $(JOBS) --target test_adapters
	build/arrow/tests/test_adapters --gtest_filter='arrow.*'

# The suite on other systems, with cross compilers; see docs/platforms.md.
test-aarch64: setup = aarch64
test-musl: setup = zig
test-aarch64 test-musl: test-%:
	scripts/setup $(setup)
	cmake --preset $*
	cmake --build --preset $* -j $(JOBS)
	ctest --preset $* -j $(JOBS)

check-macos:
	scripts/setup zig
	@set -e; for preset in macos-aarch64 macos-x86_64; do \
	  echo "== $$preset"; \
	  cmake --preset $$preset; \
	  cmake --build --preset $$preset -j $(JOBS); \
	done

# Wine makes its folder before the tests, because programs that start at the same time could not make the folder.
# Wine's server sometimes drops a program that starts. The test of such a program fails with no output, or with only
# Wine's message. If all failed tests are of this kind, they run again.
not_started = \nOutput:\n-+\n(wine client error:0:.*\n)*<end of output>\n.*\n-+\nTest Failed
test-windows:
	scripts/setup windows
	cmake --preset windows
	cmake --build --preset windows -j $(JOBS)
	scripts/wine wineboot --init >/dev/null 2>&1
	ctest --preset windows -j $(TESTS_AT_ONCE) || { \
	  cd build/windows/Testing/Temporary && \
	  [ "$$(grep -Pzo '$(not_started)' LastTest.log | grep -ac 'Test Failed')" = "$$(grep -c '^Test Failed' LastTest.log)" ] && \
	  cd ../../../.. && ctest --preset windows --rerun-failed; }

# `make install` has its own build folder, because installation paths depend on the prefix at configuration time.
install:
	scripts/setup build
	cmake --preset release -B build/install -DLEAT_TESTS=OFF -DLEAT_EXAMPLES=OFF \
	  -DCMAKE_INSTALL_PREFIX='$(PREFIX)'
	cmake --build build/install -j $(JOBS)
	DESTDIR='$(DESTDIR)' cmake --install build/install

lint:
	scripts/setup lint
	scripts/lint

# The check is strict: a broken link, or a mistake in a header's comments, is an error.
docs:
	scripts/setup docs
	NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build --quiet --strict
	@echo 'The site is in build/site/index.html'

clean:
	rm -rf build

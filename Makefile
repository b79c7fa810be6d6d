# The commands of this project. Each installs what it needs (Debian packages), builds and runs.
#
#   make demo    the main job on one example
#   make test    all tests
#   make bench   compare with other languages, as ratios
#   make asan    the fixtures under AddressSanitizer and UndefinedBehaviorSanitizer
#   make tsan    the fixtures and the stress test of the scheduler under ThreadSanitizer
#   make fuzz    build the fuzzers and run each for FUZZ_SECONDS
#   make build   the release binary, build/release/src/cli/harn

HARN := build/release/src/cli/harn
FUZZ_SECONDS ?= 60
RUNS ?= 5
STRESS_SECONDS ?= 60

.PHONY: demo test bench asan tsan fuzz build setup setup-test clean

setup:
	@tools/setup.sh

setup-test:
	@tools/setup.sh test

build: setup
	@test -f build/release/build.ninja || cmake --preset release >/dev/null
	@cmake --build build/release

# The binary alone: the tests take as long again to build.
demo: setup
	@test -f build/release/build.ninja || cmake --preset release >/dev/null
	@cmake --build build/release --target harn
	@$(HARN) run examples/support.harn

test: setup-test build
	@tools/test.sh build/release

bench: build
	@tools/setup.sh bench
	@python3 bench/run.py --harn $(HARN) --runs $(RUNS)

asan: setup-test
	@test -f build/asan/build.ninja || cmake --preset asan >/dev/null
	@cmake --build build/asan
	@tools/test.sh build/asan

# ThreadSanitizer is slow: the tests of effects, the fixtures, VMs side by side, and the stress test for a minute.
tsan: setup-test
	@test -f build/tsan/build.ninja || cmake --preset tsan >/dev/null
	@cmake --build build/tsan --target harn effects_test
	@STRESS_SECONDS=$(STRESS_SECONDS) tools/test.sh build/tsan unit conformance eager stress

fuzz:
	@tools/setup.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --target fuzzers
	@tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

clean:
	rm -rf build

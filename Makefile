# make run    install what is missing, build, bring SmolLM2-135M-Instruct, and compute every gated MLP of it, verified and timed
# make test   install what is missing, build, and run every test that needs no GPU
# make demo   SmolLM2-135M-Instruct in Python on the CPU: a question, its answer, and tokens per second before and after tileglu.patch
# Each works alone, on a bare Debian 12 with git, make and python3, as root or with sudo. A second call downloads and rebuilds nothing.
# Variables: BUILD (build/release), JOBS (all cores), RUN_ARGS (options of `tileglu run`), CMAKE_ARGS (options of the configuration).

BUILD ?= build/release
JOBS ?= $(shell nproc)
RUN_ARGS ?=
CMAKE_ARGS ?=
configure = scripts/configure $(BUILD) $(CMAKE_ARGS)

.PHONY: run test demo build clean

run: build
	scripts/get_model
	$(BUILD)/cli/tileglu run $(RUN_ARGS)

build:
	scripts/install
	$(configure)
	cmake --build $(BUILD) --target tileglu_cli --parallel $(JOBS)

test:
	scripts/install tests
	$(configure) -DTILEGLU_TESTS=ON -DTILEGLU_BENCH=ON
	cmake --build $(BUILD) --parallel $(JOBS)
	scripts/test_python
	cd $(BUILD) && ctest --output-on-failure --label-exclude gpu --parallel $(JOBS)

demo:
	scripts/install
	scripts/demo

clean:
	rm -rf build

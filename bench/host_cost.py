"""Host time of one call, in microseconds: tileglu.gated_linear over an empty custom operator. python3 bench/host_cost.py

Calls are timed in batches of 100 on an idle device, which is fewer than a launch queue holds (1024): no call waits for the GPU. They take
turns, a batch each, on one core (--core). Of 60 batches in each of --rounds rounds the least and the median are printed, and the processor time
of the thread (median), which no other process can add to; and what the medians of single rounds lay between.

The empty operator allocates one output and does nothing else. It is compiled in C++ (--inline, a minute; or --empty-operator FILE, what
an earlier --inline built), else it is torch.empty_like behind an operator defined in Python. CPU tensors time the path with an empty
batch (no kernel), CUDA tensors with one launch. The parts: an operator that launches and allocates nothing new (fill_ less squeeze_)
says what a launch takes on this machine, an empty batch what the function takes without one. bench/launch_cost.cu measures below that.

--against FOLDER measures another build of the package (FOLDER holds its tileglu/) and this one in turns, a round each, in a process each on the
same core, and prints both."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import torch

import tileglu
from tileglu import _library

CALLS, BATCHES = 100, 60


def measure(calls, rounds):
    """{name: {least, median, processor, rounds}}. The calls take turns, a batch each, so that no clock or warmth favours one."""
    synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    wall, processor = ({name: [] for name in calls} for _ in range(2))
    for batch in range(-3, rounds * BATCHES):
        for name, call in calls.items():
            synchronize()
            processor_start, start = time.thread_time_ns(), time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            took, worked = time.perf_counter_ns() - start, time.thread_time_ns() - processor_start
            if batch >= 0:
                wall[name].append(took / CALLS / 1e3)
                processor[name].append(worked / CALLS / 1e3)
    synchronize()
    return {
        name: {
            "least": min(times),
            "median": statistics.median(times),
            "processor": statistics.median(processor[name]),
            "rounds": [round(statistics.median(times[i : i + BATCHES]), 3) for i in range(0, len(times), BATCHES)],
        }
        for name, times in wall.items()
    }


SOURCE = """
#include <torch/library.h>
#include <ATen/ATen.h>
static at::Tensor nothing(const at::Tensor& x) { return at::empty_like(x); }
TORCH_LIBRARY(tileglu_probe, m) { m.def("nothing(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(tileglu_probe, CPU, m) { m.impl("nothing", nothing); }
TORCH_LIBRARY_IMPL(tileglu_probe, CUDA, m) { m.impl("nothing", nothing); }
"""


def empty_operator(built, inline):
    if built:
        torch.ops.load_library(built)
    elif inline:
        from torch.utils.cpp_extension import load_inline

        load_inline("tileglu_probe", SOURCE, extra_cflags=["-O3"], is_python_module=False, with_cuda=False)
    else:
        torch.library.define("tileglu_probe::nothing", "(Tensor x) -> Tensor")
        torch.library.impl("tileglu_probe::nothing", ("CPU", "CUDA"), torch.empty_like)
    return torch.ops.tileglu_probe.nothing.default


def operands():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(1 if device == "cuda" else 0, 64, device=device).bfloat16()
    gate, up, down, stacked = (torch.randn(rows, 64, device=device).bfloat16() for rows in (64, 64, 64, 128))
    return device, x, gate, up, down, stacked


def public_calls(nothing):
    """What every version of the package has."""
    device, x, gate, up, down, stacked = operands()
    linear, silu = torch.nn.functional.linear, torch.nn.functional.silu
    module = tileglu.nn.GatedMLP(64, 64, device=device, dtype=torch.bfloat16)
    return {
        "empty operator": lambda: nothing(x),
        "F.linear": lambda: linear(x, gate),
        "torch, unfused": lambda: silu(linear(x, gate)) * linear(x, up),
        "tileglu.gated_linear": lambda: tileglu.gated_linear(x, gate, up),
        "tileglu.gated_linear, early weights": lambda: tileglu.gated_linear(x, gate, up, prefetch_weights=True),
        "tileglu.gated_linear, one matrix": lambda: tileglu.gated_linear(x, stacked, layout="gate_up"),
        "gated_linear, then F.linear": lambda: linear(tileglu.gated_linear(x, gate, up), down),
        "tileglu.gated_mlp": lambda: tileglu.gated_mlp(x, gate, up, down),
        "tileglu.nn.GatedMLP": lambda: module(x),
    }


def inner_calls():
    """What is inside of a call."""
    _, x, gate, up, *_rest = operands()
    none, operator = x[:0], _library.usual_calls[0]
    return {
        "fill_, one launch": lambda: torch.ops.aten.fill_.Scalar(x, 1.0),
        "squeeze_, no launch": lambda: torch.ops.aten.squeeze_.dim(x, 1),  # its 64 columns stay
        "tileglu.gated_linear, empty batch": lambda: tileglu.gated_linear(none, gate, up),
        "its operator": lambda: operator(x, gate, up),
        "its operator, empty batch": lambda: operator(none, gate, up),
        "torch.ops.tileglu.gated_linear": lambda: torch.ops.tileglu.gated_linear.default(x, gate, up),
    }


def bind(core):
    """To one core, after whatever starts threads of its own."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if core is None else core})


def show(us):
    print(f"{'us':38s}   least  median  processor  medians of the rounds")
    for name, value in us.items():
        spread = f"{min(value['rounds']):.2f} to {max(value['rounds']):.2f}"
        print(f"{name:38s} {value['least']:7.2f} {value['median']:7.2f} {value['processor']:7.2f}     {spread}")


def work(calls, core):
    """A round for every line that comes in."""
    bind(core)
    print("ready", flush=True)
    for _ in sys.stdin:
        with torch.inference_mode():
            print(json.dumps(measure(calls, 1)), flush=True)


def race(other, options):
    """{which: {name: {least, median, processor, rounds}}} of another build and of this one."""
    command = [sys.executable, __file__, "--work", *(["--core", str(options.core)] if options.core is not None else [])]
    command += ["--empty-operator", options.empty_operator] if options.empty_operator else ["--inline"] * options.inline
    workers = {}
    for which, folder in (("other", other), ("this", os.path.dirname(os.path.dirname(tileglu.__file__)))):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])}
        workers[which] = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    rounds = {which: [] for which in workers}

    def line_of(which):
        line = workers[which].stdout.readline()
        if not line:
            raise SystemExit(f"host_cost: the process of {which} build has ended, with exit status {workers[which].wait()}")
        return line

    for which in workers:
        while line_of(which).strip() != "ready":  # what the compiler says comes before
            pass
    for _ in range(options.rounds):
        for which, worker in workers.items():
            worker.stdin.write("\n")
            worker.stdin.flush()
            rounds[which].append(json.loads(line_of(which)))
    for worker in workers.values():
        worker.stdin.close()
        worker.wait()
    return {
        which: {
            name: {
                "least": min(r[name]["least"] for r in of),
                **{key: statistics.median(r[name][key] for r in of) for key in ("median", "processor")},
                "rounds": [r[name]["median"] for r in of],
            }
            for name in of[0]
        }
        for which, of in rounds.items()
    }


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--inline", action="store_true", help="compile the empty operator (needs a C++ compiler)")
    p.add_argument("--empty-operator", help="the library that --inline has built")
    p.add_argument("--build-only", action="store_true", help="compile the empty operator and measure nothing")
    p.add_argument("--core", type=int, help="of the processor, that the process is bound to; the last that it may run on where none is named")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--against", metavar="FOLDER", help="another build, measured in turns with this one")
    p.add_argument("--out", help="JSON")
    p.add_argument("--work", action="store_true", help=argparse.SUPPRESS)  # a process of --against
    options = p.parse_args()
    if options.rounds < 1:
        p.error(f"--rounds is {options.rounds}; allowed is 1 or more")
    if options.against and not os.path.exists(os.path.join(options.against, "tileglu", "__init__.py")):  # this build would be raced with itself
        p.error(f"--against is {options.against!r}, which holds no tileglu/__init__.py")
    if options.build_only:
        empty_operator(None, inline=True)
        return 0
    if options.against:
        us = race(options.against, options)
        for which, values in us.items():
            print(f"== {options.against if which == 'other' else 'this build'}")
            show(values)
        write(options, us)
        return 0
    nothing = empty_operator(options.empty_operator, options.inline)
    calls = public_calls(nothing)
    if options.work:
        work(calls, options.core)
        return 0
    calls |= inner_calls()
    bind(options.core)
    with torch.inference_mode():
        us = measure(calls, options.rounds)
    show(us)

    def less(one, other, of="median"):
        return us[one][of] - us[other][of]

    parts = {
        "a launch on this machine": less("fill_, one launch", "squeeze_, no launch"),
        "the Python function over its operator": less("tileglu.gated_linear", "its operator"),
        "the kernel's launch and what leads to it": less("its operator", "its operator, empty batch"),
        "without a launch, over an empty operator": less("tileglu.gated_linear, empty batch", "empty operator"),
        "tileglu.gated_mlp over its two calls": less("tileglu.gated_mlp", "gated_linear, then F.linear"),
        "two calls in turns over each by itself": less("gated_linear, then F.linear", "tileglu.gated_linear") - us["F.linear"]["median"],
        "tileglu.gated_linear over an empty operator, leasts": less("tileglu.gated_linear", "empty operator", "least"),
        "tileglu.gated_linear over an empty operator (allowed: 6)": less("tileglu.gated_linear", "empty operator"),
    }
    for name, value in parts.items():
        print(f"{name}: {value:.2f}")
    write(options, us, parts)
    return 0 if less("tileglu.gated_linear", "empty operator") <= 6 or not torch.cuda.is_available() else 1


def write(options, us, parts=None):
    if not options.out:
        return
    facts = {"device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu", "torch": torch.__version__,
             "calls": CALLS, "batches": BATCHES, "rounds": options.rounds, "us": us}  # fmt: skip
    with open(options.out, "w") as file:
        json.dump(facts | ({"parts_us": parts} if parts else {}), file, indent=1)


if __name__ == "__main__":
    sys.exit(main())

"""Host time of one call, in microseconds: tileglu.gated_linear over an empty custom operator. python3 bench/host_cost.py

Calls are timed in batches of 100 on an idle device, which is fewer than a launch queue holds (1024): no call waits for the GPU. They take
turns, a batch each. Of 60 batches the least and the median are printed, and the processor time of the thread (median), which no other
process can add to.

The empty operator allocates one output and does nothing else. It is compiled in C++ (--inline, a minute; or --empty-operator FILE, what
an earlier --inline built), else it is torch.empty_like behind an operator defined in Python. CPU tensors time the path with an empty
batch (no kernel), CUDA tensors with one launch. The parts: an operator that launches and allocates nothing new (fill_ less squeeze_)
says what a launch takes on this machine, an empty batch what the function takes without one. bench/launch_cost.cu measures below that."""

import argparse
import json
import statistics
import sys
import time

import torch

import tileglu
from tileglu import _library

CALLS, BATCHES = 100, 60


def measure(calls):
    """{name: {least, median, processor}}. The calls take turns, a batch each, so that no clock or warmth favours one."""
    synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    wall, processor = ({name: [] for name in calls} for _ in range(2))
    for batch in range(-3, BATCHES):
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
        name: {"least": min(wall[name]), "median": statistics.median(wall[name]), "processor": statistics.median(processor[name])} for name in calls
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

        load_inline("tileglu_probe", SOURCE, is_python_module=False, with_cuda=False)
    else:
        torch.library.define("tileglu_probe::nothing", "(Tensor x) -> Tensor")
        torch.library.impl("tileglu_probe::nothing", ("CPU", "CUDA"), torch.empty_like)
    return torch.ops.tileglu_probe.nothing.default


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--inline", action="store_true", help="compile the empty operator (needs a C++ compiler)")
    p.add_argument("--empty-operator", help="the library that --inline has built")
    p.add_argument("--out", help="JSON")
    options = p.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    m = 1 if device == "cuda" else 0
    x = torch.randn(m, 64, device=device).bfloat16()
    none = x[:0]
    gate, up, stacked = (torch.randn(rows, 64, device=device).bfloat16() for rows in (64, 64, 128))
    w_down = torch.randn(64, 64, device=device).bfloat16()
    nothing = empty_operator(options.empty_operator, options.inline)
    linear, silu = torch.nn.functional.linear, torch.nn.functional.silu
    calls = {
        "empty operator": lambda: nothing(x),
        "fill_, one launch": lambda: torch.ops.aten.fill_.Scalar(x, 1.0),
        "squeeze_, no launch": lambda: torch.ops.aten.squeeze_.dim(x, 1),  # its 64 columns stay
        "F.linear": lambda: linear(x, gate),
        "torch, unfused": lambda: silu(linear(x, gate)) * linear(x, up),
        "tileglu.gated_linear": lambda: tileglu.gated_linear(x, gate, up),
        "tileglu.gated_linear, early weights": lambda: tileglu.gated_linear(x, gate, up, prefetch_weights=True),
        "tileglu.gated_linear, one matrix": lambda: tileglu.gated_linear(x, stacked, layout="gate_up"),
        "tileglu.gated_linear, empty batch": lambda: tileglu.gated_linear(none, gate, up),
        "its operator": lambda: _library.plain_gated_linear(x, gate, up, 0),
        "its operator, empty batch": lambda: _library.plain_gated_linear(none, gate, up, 0),
        "torch.ops.tileglu.gated_linear": lambda: torch.ops.tileglu.gated_linear.default(x, gate, up),
        "tileglu.gated_mlp": lambda: tileglu.gated_mlp(x, gate, up, w_down),
    }
    with torch.inference_mode():
        us = measure(calls)
    print(f"{'us on ' + device:38s}   least  median  processor")
    for name, value in us.items():
        print(f"{name:38s} {value['least']:7.2f} {value['median']:7.2f} {value['processor']:7.2f}")

    def less(one, other):
        return us[one]["median"] - us[other]["median"]

    parts = {
        "a launch on this machine": less("fill_, one launch", "squeeze_, no launch"),
        "the Python function over its operator": less("tileglu.gated_linear", "its operator"),
        "the kernel's launch and what leads to it": less("its operator", "its operator, empty batch"),
        "without a launch, over an empty operator": less("tileglu.gated_linear, empty batch", "empty operator"),
        "tileglu.gated_linear over an empty operator (allowed: 6)": less("tileglu.gated_linear", "empty operator"),
    }
    for name, value in parts.items():
        print(f"{name}: {value:.2f}")
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"device": device, "calls": CALLS, "batches": BATCHES, "us": us, "parts_us": parts, "torch": torch.__version__}, file, indent=1)
    return 0 if less("tileglu.gated_linear", "empty operator") <= 6 or device == "cpu" else 1


if __name__ == "__main__":
    sys.exit(main())

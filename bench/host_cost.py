"""Host time of one call, in microseconds: tileglu.gated_linear over an empty custom operator. python3 bench/host_cost.py

The empty operator is registered in C++ by torch's own extension loader where a compiler is at hand (--inline), else it is torch.empty
through the dispatcher plus the Python call: what any custom operator with one output costs. CPU tensors time the path with an empty batch
(no kernel), CUDA tensors with a launch. What a launch itself costs on the machine is printed beside it: an in-place fill, which allocates
nothing and launches one kernel, less an in-place operator that launches none."""

import argparse
import json
import sys
import time

import torch

import tileglu


def microseconds(call, count=2000, repeats=15):
    """The least of `repeats` means: what the call takes when nothing disturbs it."""
    best = float("inf")
    for _ in range(repeats):
        torch.cuda.synchronize() if torch.cuda.is_available() else None
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


SOURCE = """
#include <torch/library.h>
#include <ATen/ATen.h>
static at::Tensor nothing(const at::Tensor& x) { return at::empty_like(x); }
TORCH_LIBRARY(tileglu_probe, m) { m.def("nothing(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(tileglu_probe, CPU, m) { m.impl("nothing", nothing); }
TORCH_LIBRARY_IMPL(tileglu_probe, CUDA, m) { m.impl("nothing", nothing); }
"""


def empty_operator(inline):
    if inline:
        from torch.utils.cpp_extension import load_inline

        load_inline("tileglu_probe", SOURCE, is_python_module=False, with_cuda=False)
        return torch.ops.tileglu_probe.nothing.default
    torch.library.define("tileglu_probe::nothing", "(Tensor x) -> Tensor")
    torch.library.impl("tileglu_probe::nothing", ("CPU", "CUDA"), torch.empty_like)
    return torch.ops.tileglu_probe.nothing.default


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--inline", action="store_true", help="compile the empty operator (a minute; needs a C++ compiler)")
    p.add_argument("--out", help="JSON")
    options = p.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    m = 1 if device == "cuda" else 0
    x = torch.randn(m, 64, device=device).bfloat16()
    gate, up, stacked = (torch.randn(rows, 64, device=device).bfloat16() for rows in (64, 64, 128))
    w_down = torch.randn(64, 64, device=device).bfloat16()
    nothing = empty_operator(options.inline)
    calls = {
        "empty operator": lambda: nothing(x),
        "fill_, one launch": lambda: torch.ops.aten.fill_.Scalar(x, 1.0),
        "in place, no launch": lambda: torch.ops.aten.squeeze_.dim(x, 1),  # its 64 columns stay
        "F.linear": lambda: torch.nn.functional.linear(x, gate),
        "torch, unfused": lambda: torch.nn.functional.silu(torch.nn.functional.linear(x, gate)) * torch.nn.functional.linear(x, up),
        "tileglu.gated_linear": lambda: tileglu.gated_linear(x, gate, up),
        "tileglu.gated_linear, one matrix": lambda: tileglu.gated_linear(x, stacked, layout="gate_up"),
        "tileglu.gated_mlp": lambda: tileglu.gated_mlp(x, gate, up, w_down),
        "torch.ops.tileglu.gated_linear": lambda: torch.ops.tileglu.gated_linear.default(x, gate, up),
    }
    with torch.inference_mode():
        us = {name: microseconds(call) for name, call in calls.items()}
    over = us["tileglu.gated_linear"] - us["empty operator"]
    for name, value in us.items():
        print(f"{name:36s} {value:7.2f} us")
    launch = us["fill_, one launch"] - us["in place, no launch"]
    if device == "cuda":
        print(f"a launch on this machine: {launch:.2f} us; tileglu.gated_linear without one: {us['tileglu.gated_linear'] - launch:.2f} us")
    print(f"tileglu.gated_linear over an empty operator: {over:.2f} us on {device} (allowed: 6)")
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"device": device, "us": us, "over_empty_us": over, "launch_us": launch, "torch": torch.__version__}, file, indent=1)
    return 0 if over <= 6 or device == "cpu" else 1


if __name__ == "__main__":
    sys.exit(main())

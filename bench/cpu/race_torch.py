#!/usr/bin/env python3
"""Races tileglu's CPU backend against PyTorch eager in turns on this machine.

    python bench/cpu/race_torch.py --library build/libtileglu.so --out bench/results/cpu_torch.json

Every cell runs `silu(linear(x, wg)) * linear(x, wu)` in bf16 both ways, one call after the other. Weights are cold: sets of them, together more
than three times the last-level cache, take turns, and the two sides are half a rotation apart. Times are of a whole call from Python, one thread
pool for both. A ratio above 1 says that tileglu is faster.
`--clock cpu`, on a machine that others use too: processor time of the one thread that computes (OMP_NUM_THREADS=1).
Needs: torch 2.11, and libtileglu as a shared library (cmake -DBUILD_SHARED_LIBS=ON).
"""

import argparse
import ctypes
import datetime
import json
import math
import os
import platform
import statistics
import sys
import time

import torch
import torch.nn.functional as F

QWEN_25 = {"0.5B": (896, 4864), "1.5B": (1536, 8960), "3B": (2048, 11008), "7B": (3584, 18944)}
CPU, MATCH = 2, 1


class Problem(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("m", "n", "k", "ldx", "ldw", "ldy")] + [
        (name, ctypes.c_int32) for name in ("x_type", "w_type", "y_type", "layout", "activation", "numerics")
    ] + [("alpha", ctypes.c_float), ("limit", ctypes.c_float), ("bias", ctypes.c_int32), ("reserved", ctypes.c_int32 * 3)]


class Weights(ctypes.Structure):
    _fields_ = [("first", ctypes.c_void_p), ("second", ctypes.c_void_p), ("layout", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class Tensors(ctypes.Structure):
    _fields_ = [("x", ctypes.c_void_p), ("w", Weights), ("y", ctypes.c_void_p), ("bias_gate", ctypes.c_void_p), ("bias_up", ctypes.c_void_p),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t), ("reserved", ctypes.c_void_p * 2)]


class Options(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("workspace_limit", ctypes.c_int64), ("backend", ctypes.c_int32), ("wait_for_weights", ctypes.c_int32),
                ("reserved", ctypes.c_int32 * 2)]


class Tileglu:
    """The few calls of the C ABI that the race needs."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name in ("tileglu_last_error", "tileglu_plan_row", "tileglu_version"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.tileglu_plan_row.argtypes = [ctypes.c_void_p]
        self.library.tileglu_plan_workspace_bytes.restype = ctypes.c_size_t
        self.library.tileglu_plan_workspace_bytes.argtypes = [ctypes.c_void_p]
        self.device = ctypes.c_void_p()
        self.check(self.library.tileglu_device_create(b"cpu", ctypes.byref(self.device)))

    def check(self, code):
        if code != 0:
            raise RuntimeError(self.library.tileglu_last_error().decode())

    def plan(self, m, n, k, kernel=""):
        problem = Problem(m=m, n=n, k=k)
        options = Options(kernel=kernel.encode(), backend=CPU)
        plan = ctypes.c_void_p()
        self.check(self.library.tileglu_plan_create(ctypes.byref(problem), self.device, ctypes.byref(options), ctypes.byref(plan)))
        self.check(self.library.tileglu_prepare(plan))
        return plan

    def row(self, plan):
        return self.library.tileglu_plan_row(plan).decode()

    def call(self, plan, x, gate, up, y):
        """A function that runs the plan; what it points at is kept alive by it."""
        size = self.library.tileglu_plan_workspace_bytes(plan)
        space = torch.empty(size + 256, dtype=torch.uint8)
        at = (space.data_ptr() + 255) // 256 * 256
        t = Tensors(x=x.data_ptr(), w=Weights(first=gate.data_ptr(), second=up.data_ptr(), layout=0), y=y.data_ptr(),
                    workspace=at if size else None, workspace_bytes=size)
        run, reference = self.library.tileglu_run, ctypes.byref(t)

        def go(keep=(x, gate, up, y, space, t)):
            self.check(run(plan, reference, None))

        return go


def race(library, model, m, seconds, last_level_cache, kernel, now_ns):
    k, n = QWEN_25[model]
    set_bytes = 4 * n * k
    sets = max(2, math.ceil(3.2 * last_level_cache / set_bytes))
    sets += sets % 2
    generator = torch.Generator().manual_seed(m)
    x = torch.randn(m, k, generator=generator).to(torch.bfloat16)
    weights = [[(torch.randn(n, k, generator=generator) / math.sqrt(k)).to(torch.bfloat16) for _ in range(2)] for _ in range(2)]
    weights += [[w.clone() for w in weights[i % 2]] for i in range(2, sets)]
    y = torch.empty(m, n, dtype=torch.bfloat16)
    plan = library.plan(m, n, k, kernel)
    ours = [library.call(plan, x, gate, up, y) for gate, up in weights]

    def theirs(i):
        gate, up = weights[i]
        return F.silu(F.linear(x, gate)) * F.linear(x, up)

    want, _ = theirs(0), ours[0]()
    error = float((y.double() - want.double()).norm() / want.double().norm())
    times = {"torch": [], "tileglu": []}
    end, i = time.perf_counter() + seconds, 0
    while i < 6 or time.perf_counter() < end:
        t0 = now_ns()
        theirs(i % sets)
        t1 = now_ns()
        ours[(i + sets // 2) % sets]()
        t2 = now_ns()
        if i >= 2:  # the first two warm up
            times["torch"].append((t1 - t0) / 1e3)
            times["tileglu"].append((t2 - t1) / 1e3)
        i += 1
    cell = {"model": model, "m": m, "n": n, "k": k, "row": library.row(plan), "turns": len(times["torch"]), "weight_sets": sets,
            "difference_from_torch": error}
    for side, values in times.items():
        values.sort()
        cell[side + "_us"] = {"median": statistics.median(values), "p10": values[len(values) // 10], "p90": values[len(values) * 9 // 10]}
    cell["ratio"] = cell["torch_us"]["median"] / cell["tileglu_us"]["median"]
    cell["ratio_p10"] = cell["torch_us"]["p10"] / cell["tileglu_us"]["p10"]
    cell["weights_gb_per_s"] = set_bytes / cell["tileglu_us"]["median"] / 1e3
    cell["gflop_per_s"] = 4 * m * n * k / cell["tileglu_us"]["median"] / 1e3
    return cell


def cpu_facts():
    facts = {"machine": platform.machine()}
    try:
        for line in open("/proc/cpuinfo"):
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "cpu family", "model", "stepping"):
                facts.setdefault(name.strip().replace(" ", "_"), value.strip())
            if name.strip() == "flags":
                facts.setdefault("flags", [f for f in value.split() if f.startswith(("avx", "amx", "f16c", "fma"))])
        facts["last_level_cache"] = open("/sys/devices/system/cpu/cpu0/cache/index3/size").read().strip()
    except OSError:
        pass
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libtileglu.so")
    parser.add_argument("--out", help="JSON file to write")
    parser.add_argument("--models", default=",".join(QWEN_25))
    parser.add_argument("--m", default="1,16,128,512")
    parser.add_argument("--seconds", type=float, default=4, help="per cell")
    parser.add_argument("--kernel", default="", help="a kernel of tileglu by name; empty: the planner's choice")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--cache-mib", type=int, default=32, help="last-level cache")
    arguments = parser.parse_args()
    if arguments.clock == "cpu" and torch.get_num_threads() != 1:
        parser.error("--clock cpu counts one thread; set OMP_NUM_THREADS=1")
    now_ns = time.thread_time_ns if arguments.clock == "cpu" else time.perf_counter_ns
    library = Tileglu(arguments.library)
    cells = []
    with torch.inference_mode():
        for model in arguments.models.split(","):
            for m in map(int, arguments.m.split(",")):
                cell = race(library, model, m, arguments.seconds, arguments.cache_mib << 20, arguments.kernel, now_ns)
                cells.append(cell)
                theirs, mine = cell["torch_us"]["median"], cell["tileglu_us"]["median"]
                print(f"{model:5} m={m:4} {cell['row']:12} torch {theirs:10.1f} us  tileglu {mine:10.1f} us  ratio {cell['ratio']:.3f}"
                      f" (p10 {cell['ratio_p10']:.3f})  {cell['weights_gb_per_s']:5.1f} GB/s {cell['gflop_per_s']:6.0f} GFLOP/s", flush=True)
    ratios = [cell["ratio"] for cell in cells]
    summary = {"geomean": math.exp(statistics.fmean(map(math.log, ratios))), "least": min(ratios)}
    single = [cell["ratio"] for cell in cells if cell["m"] == 1]
    if single:
        summary["least_at_m_1"] = min(single)
    print("  ".join(f"{name} {value:.3f}" for name, value in summary.items()))
    if arguments.out:
        result = {"what": "silu(linear(x, wg)) * linear(x, wu), bf16, tileglu against PyTorch eager, in turns, cold weights",
                  "date": datetime.date.today().isoformat(), "cpu": cpu_facts(), "threads": torch.get_num_threads(), "clock": arguments.clock,
                  "load_average": os.getloadavg()[0], "torch": torch.__version__, "python": platform.python_version(),
                  "tileglu": library.library.tileglu_version().decode(), "kernel": arguments.kernel, "seconds_per_cell": arguments.seconds,
                  "summary": summary, "cells": cells}
        with open(arguments.out, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

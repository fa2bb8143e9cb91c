"""The sharded gated MLP on several devices: is it right, and what does it gain?

    torchrun --nproc-per-node 2 bench/tensor_parallel [--device cuda|cpu] [--out bench/results/tensor_parallel] [--parts right,fast,...]

Any world size W such that 8 W divides the intermediate sizes (18944, 13824, 29568: up to 8). On the CPU (gloo) sizes are small and times mean
little: that run checks the scripts. Writes OUT.json and OUT.html after every part, and keeps there what other runs on the same machine with other
--parts have left; exits 1 if a check fails. Needs tileglu, and transformers for `models`. NCCL's environment variables are the machine's.

  right       the sharded MLP against one device: error against float64 at most 1.1 times, equal bits in every run, CUDA graphs, torch.compile
  models      the same for sharded tiny Llama, Qwen2 and Phi-3 (stacked gate_up)
  load        sharded loading from safetensors reads a rank's own bytes
  refuse      sizes that do not divide, ranks that differ, no NCCL, a rank that dies (in processes of their own)
  reductions  the collective alone: float32 sums in one step, in two and over peer memory, bf16 sums, at the least and the largest width of `fast`
  fast        Qwen-2.5 7B, 14B, 72B at M = 1 to 4096, whole MLP with its reduction, in turns, each a CUDA graph of several calls, weights cold,
              slots of 20 ms after 60 ms of rest; a time is the slowest rank's, the median of three rounds. contenders.py says what runs
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist

from checks import load, models, right
from contenders import NAMES
from page import page
from refusals import refuse
from setting import RANK, WORLD, Setting, first_line
from speed import fast, reductions

PARTS = dict(right=right, models=models, load=load, refuse=refuse, reductions=reductions, fast=fast)
ABOUT = ("device", "world", "torch", "nccl")  # results of runs that differ in these don't belong on one page


def about(setting: Setting) -> dict:
    return dict(
        device=torch.cuda.get_device_name() if setting.gpu else "CPU, gloo",
        world=WORLD,
        torch=torch.__version__,
        nccl=".".join(map(str, torch.cuda.nccl.version())) if setting.gpu else "",
        environment={name: value for name, value in os.environ.items() if name.startswith(("NCCL_", "TORCH_NCCL_", "TORCH_SYMM_"))},
    )


class Results:
    """What OUT.json holds; written by rank 0 after every part. Parts of other runs stay, also of one that runs at the same time."""

    def __init__(self, out: Path, facts: dict):
        self.out, self.facts, self.mine = out, facts, {}

    def left_by_others(self) -> dict:
        try:
            old = json.loads(self.out.with_suffix(".json").read_text())
        except (OSError, ValueError):
            return {}
        return {part: old[part] for part in PARTS if part in old} if all(old.get(key) == self.facts[key] for key in ABOUT) else {}

    def write(self, name: str, result: dict) -> None:
        if RANK != 0:
            return
        self.mine[name] = result
        values = self.facts | self.left_by_others() | self.mine
        values["failed"] = [part for part in PARTS if part in values and not values[part]["passed"]]
        self.out.parent.mkdir(parents=True, exist_ok=True)
        for suffix, text in ((".json", json.dumps(values, indent=1) + "\n"), (".html", page(values))):
            unfinished = self.out.with_suffix(f"{suffix}.{os.getpid()}")
            unfinished.write_text(text)
            unfinished.replace(self.out.with_suffix(suffix))


def show(name: str, result: dict) -> None:
    print(f"{name}: {'passed' if result['passed'] else 'FAILED'} in {result['seconds']:.0f} s", flush=True)
    if "error" in result:
        print(f"  {result['error']}", flush=True)
    for line in result.get("failed", []):
        print(f"  {line}", flush=True)
    for case, value in result.get("cases", {}).items():
        if isinstance(value, list):
            worst = max(value, key=lambda row: row["ratio"])
            compiled = [row["compiled_ratio"] for row in value if "compiled_ratio" in row]
            bits = all(row["same_bits"] for row in value)
            graph = all(row.get("graph_same_bits", True) for row in value)
            sums = "/".join(sorted({row["sums"] for row in value}))
            print(f"  {case:11s} error / unsharded <= {worst['ratio']:.3f} (length {worst['length']}), compiled "
                  f"{max(compiled, default=float('nan')):.3f}, bits {'equal' if bits else 'DIFFER'}, "
                  f"in a graph {'equal' if graph else 'DIFFER'}, sums over {sums}",
                  flush=True)  # fmt: skip
            for row in value:
                for kind in ("graph_error", "compile_error"):
                    if kind in row:
                        print(f"    length {row['length']}, {kind}: {row[kind]}", flush=True)
        else:
            print(f"  {case}: {value}"[:260], flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cuda", "cpu"))
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results" / "tensor_parallel")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--contenders", default=",".join(NAMES), help="of `fast`")
    options = parser.parse_args()
    wanted = tuple(options.contenders.split(","))
    if unknown := set(wanted) - set(NAMES):
        parser.error(f"--contenders has {sorted(unknown)}; allowed are {', '.join(NAMES)}")
    if unknown := set(options.parts.split(",")) - set(PARTS):
        parser.error(f"--parts has {sorted(unknown)}; allowed are {', '.join(PARTS)}")
    setting = Setting(options.device)
    results, failed = Results(options.out, about(setting)), []
    for name in options.parts.split(","):
        part, started = PARTS[name], time.monotonic()
        offered = dict(save=lambda unfinished: results.write(name, unfinished | dict(seconds=time.monotonic() - started)), wanted=wanted)
        extra = {key: value for key, value in offered.items() if key in inspect.signature(part).parameters}
        try:
            with torch.no_grad():
                result = part(setting, **extra)
        except Exception as error:  # said, not swallowed; the other parts still run where every rank met it
            result = dict(passed=False, error=f"rank {RANK}: {first_line(error)}")
        gc.collect()  # graphs that hold collectives go before their communicator does
        result["seconds"] = time.monotonic() - started
        result["passed"] = setting.slowest(float(not result["passed"])) == 0
        failed += [] if result["passed"] else [name]
        results.write(name, result)
        if RANK == 0:
            show(name, result)
    if RANK == 0:
        print(f"failed: {', '.join(failed)}" if failed else "all checks passed", flush=True)
    dist.barrier()
    dist.destroy_process_group()
    return 1 if failed else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Not by way of the interpreter's end: on a busy machine a thread of gloo's was still there then, and the rank, all its checks passed, ended
    # by abort() ('terminate called without an active exception', one run of a dozen on two cores).
    os._exit(code)

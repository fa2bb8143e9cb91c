"""Race whole gated MLPs on this machine's GPU: tileglu.gated_mlp against what people run today. python3 bench/race_mlp.py --help

The protocol is that of bench/race: every contender from its own CUDA graph, in turns, weights cold, in bursts at full clock. All
contenders read the same memory; tileglu gets the gate and up halves of the stacked matrix as two plain weights. What a graph wrote over
NaN is what is compared with float32. Prints time / tileglu's time, by model and M, and writes every median as JSON.

  merged    one stacked product, a fused silu-and-mul kernel, the down projection: what serving engines run
  eager     two products, F.silu, multiply, the down projection
  compile   torch.compile of eager (--compile-models, --compile-m: it compiles anew for every cell)
  early     tileglu.gated_mlp(prefetch_weights=True)
"""

import argparse
import datetime
import json
import math
import os
import subprocess
import sys

RACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "race")
sys.path.insert(0, RACE)

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import protocol  # noqa: E402
import tileglu  # noqa: E402
from silu_and_mul import silu_and_mul  # noqa: E402

with open(os.path.join(RACE, "cells.json")) as cells:
    MODELS = json.load(cells)["qwen2.5"]["models"]  # {name: [K, N]}
LARGEST_ERROR = 6e-3  # relative Frobenius; bf16 rounds Y once and Z once


def eager(x, w, w_down):
    n = w_down.shape[1]
    return F.linear(F.silu(F.linear(x, w[:n])) * F.linear(x, w[n:]), w_down)


def merged(x, w, w_down):
    y = torch.empty(x.shape[0], w_down.shape[1], device=x.device, dtype=x.dtype)
    silu_and_mul(F.linear(x, w), y)
    return F.linear(y, w_down)


def ours(x, w, w_down, **options):
    n = w_down.shape[1]
    return tileglu.gated_mlp(x, w[:n], w[n:], w_down, **options)


def early(x, w, w_down):
    return ours(x, w, w_down, prefetch_weights=True)


CONTENDERS = {"tileglu": ours, "merged": merged, "eager": eager, "early": early, "compile": None}


def exact(x, w, w_down):
    n = w_down.shape[1]
    x = x.float()
    y = F.silu(x @ w[:n].float().T) * (x @ w[n:].float().T)
    return y @ w_down.float().T


def captured(call, xs, operands, expected):
    """(the graph's replay, what has to live as long); raises where a replay over NaN doesn't give what was expected."""
    graph, outputs = protocol.capture([lambda x=x, o=o: call(x, *o) for x, o in zip(xs, operands)])
    for z in outputs:
        z.fill_(math.nan)
    graph.replay()
    torch.cuda.synchronize()
    error = float((outputs[0].float() - expected).norm() / expected.norm())
    if not error < LARGEST_ERROR or any(not z.isfinite().all() for z in outputs):
        raise RuntimeError(f"relative error {error:.2g}, allowed is {LARGEST_ERROR}, and every element written")
    return graph.replay, (graph, outputs)


def race_cell(name, m, names, operands, options):
    k, n = MODELS[name]
    xs = [torch.randn(m, k, device="cuda", dtype=torch.bfloat16) for _ in operands]
    expected, racing, keep, out = exact(xs[0], *operands[0]), [], [], {}
    for label in names:
        try:
            call = CONTENDERS[label] or torch.compile(eager, dynamic=False)
            replay, kept = captured(call, xs, operands, expected)
            keep.append(kept)
            racing.append((label, replay))
        except Exception as reason:  # a contender that fails is out of the table, loudly
            out[label] = str(reason)[:300]
            print(f"  OUT {label} at {name} M={m}: {out[label]}", flush=True)
    times = protocol.burst([replay for _, replay in racing], options.rounds, options.slot_ms, options.idle)
    us = {label: protocol.summary("burst", t) / len(operands) * 1e3 for (label, _), t in zip(racing, times)}
    text = tileglu.explain(xs[0], operands[0][0][:n], operands[0][0][n:])
    chosen = next((line.split()[1] for line in text.splitlines() if line.startswith("chosen")), "")
    ratios = "  ".join(f"{label} {us[label] / us['tileglu']:.3f}" for label in us if label != "tileglu" and "tileglu" in us)
    print(f"{name:>5} M={m:5d} tileglu {us.get('tileglu', math.nan):8.1f} us | {ratios} | {chosen}", flush=True)
    return {"model": name, "k": k, "n": n, "m": m, "regime": "burst", "sets": len(operands), "us": us, "out": out, "chosen": chosen,
            "slots_us": {label: [round(v / len(operands) * 1e3, 2) for v in t] for (label, _), t in zip(racing, times)}}  # fmt: skip


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(rows, label):
    """Time of `label` / tileglu's, models by M, with the geomean of every column."""
    ms = sorted({row["m"] for row in rows if label in row["us"]})
    ratio = {(r["model"], r["m"]): r["us"][label] / r["us"]["tileglu"] for r in rows if label in r["us"] and "tileglu" in r["us"]}
    lines = [f"{label:>8} " + "".join(f"{m:>8}" for m in ms)]
    for model in [name for name in MODELS if any(key[0] == name for key in ratio)]:
        lines.append(f"{model:>8} " + "".join(f"{ratio[model, m]:8.3f}" if (model, m) in ratio else " " * 8 for m in ms))
    lines.append(f"{'geomean':>8} " + "".join(f"{geomean([v for (_, at), v in ratio.items() if at == m]):8.3f}" for m in ms))
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default=",".join(MODELS))
    p.add_argument("--m", default="1,16,64,128,256,1024,2048,4096,8192")
    p.add_argument("--some-models", default="", help="models that are raced at --some-m too")
    p.add_argument("--some-m", default="", help="more M, for --some-models alone")
    p.add_argument("--contenders", default="tileglu,merged,eager,early")
    p.add_argument("--compile-models", default="", help="models where torch.compile takes part")
    p.add_argument("--compile-m", default="1024,4096")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--slot-ms", type=float, default=16.0)
    p.add_argument("--idle", type=float, default=0.12, help="seconds of idling ahead of a slot")
    p.add_argument("--out", default="out/race_mlp.json")
    options = p.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device was found: the race needs one", file=sys.stderr)
        return 3
    query = "name,driver_version,power.limit,clocks.sm,clocks.mem,temperature.gpu"

    def facts():
        command = ["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader"]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    def listed(text):
        return [word for word in text.split(",") if word]

    before, rows = facts(), []

    def write():
        out = {"date": datetime.date.today().isoformat(), "query": query, "before": before, "after": facts(), "torch": torch.__version__,
               "tileglu": tileglu.__version__, "rounds": options.rounds, "slot_ms": options.slot_ms, "idle_s": options.idle,
               "rows": rows}  # fmt: skip
        os.makedirs(os.path.dirname(options.out) or ".", exist_ok=True)
        with open(options.out, "w") as file:
            json.dump(out, file, indent=1)

    torch.manual_seed(0)
    with torch.no_grad():
        for name in listed(options.models):
            k, n = MODELS[name]
            ms = listed(options.m) + (listed(options.some_m) if name in listed(options.some_models) else [])
            operands = [((torch.randn(2 * n, k, device="cuda") * k**-0.5).bfloat16(), (torch.randn(k, n, device="cuda") * n**-0.5).bfloat16())
                        for _ in range(protocol.operand_sets(k, n))]  # fmt: skip
            for m in sorted(map(int, ms)):
                compiles = name in listed(options.compile_models) and str(m) in listed(options.compile_m)
                rows.append(race_cell(name, m, listed(options.contenders) + ["compile"] * compiles, operands, options))
            write()  # what is raced is kept, whatever comes after
    print("time / tileglu's")
    for label in CONTENDERS:
        if label != "tileglu" and any(label in row["us"] for row in rows):
            print(table(rows, label))
            large = [row["us"][label] / row["us"]["tileglu"] for row in rows if row["m"] >= 1024 and label in row["us"] and "tileglu" in row["us"]]
            print(f"{label}: geomean of {len(large)} cells at M >= 1024 {geomean(large):.3f}")
    return 1 if any(row["out"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

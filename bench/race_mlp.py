"""Race whole gated MLPs on this machine's GPU: tileglu.gated_mlp against what people run today. python3 bench/race_mlp.py --help

The protocol is that of bench/race: every contender from its own CUDA graph, in turns, weights cold, in bursts at full clock. All
contenders read the same memory; tileglu gets the gate and up halves of the stacked matrix as two plain weights."""

import argparse
import datetime
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "race"))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import protocol  # noqa: E402
import tileglu  # noqa: E402
from contenders import silu_and_mul  # noqa: E402

MODELS = {"0.5B": (896, 4864), "1.5B": (1536, 8960), "3B": (2048, 11008), "7B": (3584, 18944), "14B": (5120, 13824), "32B": (5120, 27648)}
LARGEST_ERROR = 6e-3  # relative Frobenius; bf16 rounds Y once and Z once


def eager(x, w, w_down):
    n = w_down.shape[1]
    return F.linear(F.silu(F.linear(x, w[:n])) * F.linear(x, w[n:]), w_down)


def merged(x, w, w_down):
    """What serving engines run: one stacked product, a fused silu-and-mul, the down projection."""
    y = torch.empty(x.shape[0], w_down.shape[1], device=x.device, dtype=x.dtype)
    silu_and_mul(F.linear(x, w), y)
    return F.linear(y, w_down)


def ours(x, w, w_down):
    n = w_down.shape[1]
    return tileglu.gated_mlp(x, w[:n], w[n:], w_down)


def exact(x, w, w_down):
    n = w_down.shape[1]
    x, gate, up = x.float(), w[:n].float(), w[n:].float()
    return (F.silu(x @ gate.T) * (x @ up.T)) @ w_down.float().T


def race_cell(name, m, names, operands, rounds):
    k, n = MODELS[name]
    sets = len(operands)
    xs = [torch.randn(m, k, device="cuda", dtype=torch.bfloat16) for _ in range(sets)]
    contenders = {"merged": merged, "eager": eager, "tileglu": ours}
    if "compile" in names:
        contenders["compile"] = torch.compile(eager, dynamic=False)
    expected, racing, keep, out = exact(xs[0], *operands[0]), [], [], {}
    for label in names:
        call = contenders[label]
        try:
            error = float((call(xs[0], *operands[0]).float() - expected).norm() / expected.norm())
            if not error < LARGEST_ERROR:
                raise RuntimeError(f"relative error {error:.2g}, allowed is {LARGEST_ERROR}")
            graph, kept = protocol.capture([lambda x=x, o=o, call=call: call(x, *o) for x, o in zip(xs, operands)])
            keep.append((graph, kept))
            racing.append((label, graph.replay))
        except Exception as reason:  # a contender that fails is out of the table, loudly
            out[label] = str(reason)[:300]
            print(f"  OUT {label} at {name} M={m}: {out[label]}", flush=True)
    times = protocol.burst([replay for _, replay in racing], rounds=rounds)
    us = {label: protocol.summary("burst", t) / sets * 1e3 for (label, _), t in zip(racing, times)}
    half = operands[0][1].shape[1]
    chosen = next((line for line in tileglu.explain(xs[0], operands[0][0][:half], operands[0][0][half:]).splitlines() if line.startswith("chosen")), "")
    ours_us = us.get("tileglu", math.nan)
    ratios = "  ".join(f"{label}/tileglu {us[label] / ours_us:.3f}" for label in us if label != "tileglu")
    print(f"{name:>5} M={m:5d} tileglu {ours_us:8.1f} us | {ratios} | {chosen[:60]}", flush=True)
    return {"model": name, "k": k, "n": n, "m": m, "regime": "burst", "sets": sets, "us": us, "out": out, "chosen": chosen}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", default=",".join(MODELS))
    p.add_argument("--m", default="1,16,64,256,1024,2048,4096,8192")
    p.add_argument("--contenders", default="merged,eager,compile,tileglu")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--out", default="out/race_mlp.json")
    options = p.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device was found: the race needs one", file=sys.stderr)
        return 3
    query = "name,driver_version,power.limit,clocks.sm,clocks.mem,temperature.gpu"

    def facts():
        command = ["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader"]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    before, rows = facts(), []
    torch.manual_seed(0)
    with torch.no_grad():
        for name in options.models.split(","):
            k, n = MODELS[name]
            operands = [((torch.randn(2 * n, k, device="cuda") * k**-0.5).bfloat16(), (torch.randn(k, n, device="cuda") * n**-0.5).bfloat16())
                        for _ in range(protocol.operand_sets(k, n))]  # fmt: skip
            rows += [race_cell(name, int(m), options.contenders.split(","), operands, options.rounds) for m in options.m.split(",")]
    ratios = {}
    for row in rows:
        for label, us in row["us"].items():
            if row["m"] >= 1024 and label != "tileglu" and "tileglu" in row["us"]:
                ratios.setdefault(label, []).append(us / row["us"]["tileglu"])
    geomeans = {label: math.exp(sum(map(math.log, r)) / len(r)) for label, r in ratios.items()}
    print("geomean at M >= 1024, time / tileglu's:", {k: round(v, 3) for k, v in geomeans.items()})
    os.makedirs(os.path.dirname(options.out) or ".", exist_ok=True)
    with open(options.out, "w") as file:
        json.dump({"date": datetime.date.today().isoformat(), "query": query, "before": before, "after": facts(), "torch": torch.__version__,
                   "tileglu": tileglu.__version__, "geomean_m_1024": geomeans, "rows": rows}, file, indent=1)  # fmt: skip
    return 1 if any(row["out"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Race fused gated products on this machine's GPU: python3 bench/race --help."""
import argparse
import datetime
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

try:
    import torch  # noqa: E402
except ImportError as error:
    print(f"{error}: the race runs in an environment that has PyTorch", file=sys.stderr)
    sys.exit(3)

import capi  # noqa: E402
import contenders as field  # noqa: E402
import page  # noqa: E402
import protocol  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST_ERROR = 4e-3  # relative Frobenius error of bf16 outputs against a float32 product of the same inputs


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, epilog="""examples:
  python3 bench/race --library build/libtileglu.so
  python3 bench/race --models 7B,72B --m 1,4096 --contenders gemm,merged,tileglu --regimes burst,sustained
  python3 bench/race --list outside --contenders gemm,tileglu --out outside.json
  python3 bench/race --shape 4096x14336 --m 24 --contenders gemm,tileglu,row:paired_p128x96_s4_c2x1""")
    p.add_argument("--library", default="build/libtileglu.so", help="the shared library (cmake -DBUILD_SHARED_LIBS=ON)")
    p.add_argument("--other", help="a second build of the library, to race a change against what was before it: its own choice, or row NAME")
    p.add_argument("--cells", default=os.path.join(HERE, "cells.json"), help="JSON with lists of shapes and of M")
    p.add_argument("--list", default="qwen2.5", help="which list of the file")
    p.add_argument("--models", help="only these models of the list, by commas")
    p.add_argument("--shape", action="append", help="KxN instead of a list; may be repeated")
    p.add_argument("--m", help="values of M, by commas, instead of the list's")
    p.add_argument("--contenders", default="gemm,eager,merged,kernel1,kernel2,tileglu",
                   help="gemm, eager, launched_eager, merged, compile, quack, quack_tuned, kernel1, kernel2, tileglu, row:NAME; other, "
                        "other:NAME of --other")
    p.add_argument("--regimes", default="burst", help="burst, sustained, or both by a comma; sustained runs at M >= --sustained-from")
    p.add_argument("--sustained-from", type=int, default=1024)
    p.add_argument("--rounds", type=int, default=5, help="of burst")
    p.add_argument("--out", default="out/race.json", help="JSON; the page is written beside it")
    return p.parse_args()


def machine_facts():
    query = "name,driver_version,power.limit,clocks.sm,clocks.mem,temperature.gpu,power.draw"
    asked = subprocess.run(["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader"], capture_output=True, text=True)
    line = asked.stdout.strip().split("\n")[0]
    facts = dict(zip(query.split(","), [v.strip() for v in line.split(",")]))
    return facts | {"torch": torch.__version__, "cuda": torch.version.cuda, "cublas": torch.backends.cuda.preferred_blas_library().name.lower()}


def reference(x, w):
    n = w.shape[0] // 2
    gate, up = x.float() @ w[:n].float().T, x.float() @ w[n:].float().T
    return gate * torch.sigmoid(gate) * up


def check(name, outputs, expected):
    error = ((outputs.float() - expected).norm() / expected.norm()).item()
    if not error < LARGEST_ERROR:
        raise RuntimeError(f"relative error {error:.2g}, allowed is {LARGEST_ERROR}")
    return error


def race_cell(model, k, n, m, names, libraries, weights, options, rows):
    sets = len(weights)
    xs = [torch.randn(m, k, device="cuda", dtype=torch.bfloat16) for _ in range(sets)]
    outs = [torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(sets)]
    expected, racing, keep, facts, refused = None, [], [], {}, {}
    for name in names:
        try:
            contender = field.by_name(name, *libraries)
            contender.prepare(m, n, k)
            calls = [contender.make(x, w, o) for x, w, o in zip(xs, weights, outs)]
            outs[0].fill_(float("nan"))
            out = calls[0]()[0]
            torch.cuda.synchronize()
            facts[name] = contender.facts()
            if contender.checked:
                expected = reference(xs[0], weights[0]) if expected is None else expected
                facts[name]["relative_error"] = check(name, out, expected)
            if contender.graph:
                graph, kept = protocol.capture(calls)
                keep.append((graph, kept, calls))
                racing.append((name, graph.replay))
            else:
                keep.append(calls)
                racing.append((name, lambda calls=calls: [call() for call in calls]))
        except Exception as error:  # a contender that fails is out of the table, loudly
            refused[name] = str(error)[:300]
            print(f"  OUT {name} at {model} M={m}: {str(error)[:200]}", flush=True)
    del expected
    for regime in options.regimes.split(","):
        if regime == "sustained" and m < options.sustained_from:
            continue
        replays = [replay for _, replay in racing]
        times = protocol.burst(replays, rounds=options.rounds) if regime == "burst" else protocol.sustained(replays)
        us = {name: protocol.summary(regime, t) / sets * 1e3 for (name, _), t in zip(racing, times)}
        rows.append({"model": model, "k": k, "n": n, "m": m, "regime": regime, "sets": sets, "us": us,
                     "rounds_us": {name: [v / sets * 1e3 for v in t] for (name, _), t in zip(racing, times)}, "facts": facts, "out": refused})
        base = us.get("gemm")
        ratios = "  ".join(f"{name} {us[name] / base:.3f}" for name in us if name != "gemm") if base else str(us)
        chosen = facts.get("tileglu", {}).get("row", "")
        rate = 4e-6 * m * n * k / (base or 1)
        print(f"{model:>12} M={m:5d} {regime:9s} gemm {base or 0:8.1f} us {rate:4.0f} TFLOP/s | {ratios} {chosen}", flush=True)
    return bool(refused)


def geomeans(rows):
    """{regime: {m: {contender: geomean of time / gemm over the models}}}, over the models where the contender ran."""
    table = {}
    for row in rows:
        if "gemm" not in row["us"]:
            continue
        for name, us in row["us"].items():
            table.setdefault(row["regime"], {}).setdefault(row["m"], {}).setdefault(name, []).append(us / row["us"]["gemm"])
    mean = lambda v: float(torch.tensor(v, dtype=torch.float64).log().mean().exp())
    return {regime: {m: {name: mean(v) for name, v in by.items()} for m, by in ms.items()} for regime, ms in table.items()}


def main():
    options = arguments()
    if not torch.cuda.is_available():
        print("no CUDA device was found: the race needs one", file=sys.stderr)
        return 3
    lists = json.load(open(options.cells))
    if options.shape:
        chosen = {"models": {s: [int(v) for v in s.split("x")] for s in options.shape}, "m": [1, 16, 128, 1024]}
    elif options.list in lists:
        chosen = lists[options.list]
    else:
        print(f"--list is '{options.list}'; allowed are {', '.join(k for k in lists if k != 'about')}", file=sys.stderr)
        return 2
    models = {k: v for k, v in chosen["models"].items() if not options.models or k in options.models.split(",")}
    ms = [int(v) for v in options.m.split(",")] if options.m else chosen["m"]
    names = options.contenders.split(",")
    library = capi.Library(options.library) if any(n in ("tileglu", "kernel1", "kernel2") or n.startswith("row:") for n in names) else None
    other = capi.Library(options.other) if options.other else None

    before, rows, lost = machine_facts(), [], False
    torch.manual_seed(0)
    for model, (k, n) in models.items():
        weights = [(torch.randn(2 * n, k, device="cuda") * k ** -0.5).bfloat16() for _ in range(protocol.operand_sets(k, n))]
        for m in ms:
            lost |= race_cell(model, k, n, m, names, (library, other), weights, options, rows)
        del weights
        torch.cuda.empty_cache()
    document = {"what": "race of gated products, bf16, silu; times in us per call; ratios are time / time of gemm of the same cell and regime",
                "date": datetime.date.today().isoformat(), "tileglu": library.lib.tileglu_version().decode() if library else None,
                "machine": {"before": before, "after": machine_facts()}, "protocol": protocol.__doc__,
                "notes": {n: field.by_name(n, library, other).note for n in names},
                "rows": rows, "geomean": geomeans(rows)}
    os.makedirs(os.path.dirname(os.path.abspath(options.out)), exist_ok=True)
    json.dump(document, open(options.out, "w"), indent=1)
    html = os.path.splitext(options.out)[0] + ".html"
    open(html, "w").write(page.render(document))
    for regime, by_m in document["geomean"].items():
        for m, means in by_m.items():
            print(f"geomean {regime:9s} M={m:5d}  " + "  ".join(f"{n} {v:.3f}" for n, v in means.items() if n != "gemm"))
    print(f"raced {len(names)} contenders in {len(rows)} cells on {before.get('name')}: {options.out}, {html}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())

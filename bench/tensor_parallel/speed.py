"""How fast? Parts `reductions` (the collective alone, by size and by how sums travel) and `fast` (the whole MLP against torch's, in turns)."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn

from contenders import ALONE, CUT, CUT_FROM, activation_of, build
from setting import RANK, WORLD, Setting, first_line, relative
from turns import race

ALLOWED_ERROR = 1e-2  # of any contender: a wrong answer, not a rounding, is far above it


def reductions(setting: Setting) -> dict:
    """Microseconds of making [M, hidden] partial sums whole: in float32 at once, in float32 and then bf16 in two steps, in bf16."""
    group, rows = setting.mesh.get_group(), []
    repeats = 4 if setting.gpu else 1
    hiddens = [hidden for hidden, _ in setting.models.values()]
    for hidden in sorted({min(hiddens), max(hiddens)}):
        for m in setting.rows:
            wide = torch.zeros(m, hidden, device=setting.device)
            narrow = wide.to(torch.bfloat16)

            def one_step():
                for _ in range(repeats):
                    dist.all_reduce(wide, group=group)
                    out = wide.to(torch.bfloat16)
                return out

            def two_steps():
                for _ in range(repeats):
                    mine = wide.new_empty(m // WORLD, hidden)
                    dist.reduce_scatter_tensor(mine, wide, group=group)
                    out = torch.empty_like(narrow)
                    dist.all_gather_into_tensor(out, mine.to(torch.bfloat16), group=group)
                return out

            def rounded():
                for _ in range(repeats):
                    dist.all_reduce(narrow, group=group)
                return narrow

            steps = {"float32": one_step, "float32, two steps": two_steps, "bf16": rounded}
            if m % WORLD:
                del steps["float32, two steps"]
            took = race(setting, steps, {}, burst=6.0, idle=0.01)
            rows.append(dict(rows=m, hidden=hidden, us={name: ms / repeats * 1e3 for name, ms in took.items()}))
    if RANK == 0:
        print("    M hidden | us: float32   two steps      bf16", flush=True)
        for row in rows:
            us = [f"{row['us'][name]:.1f}" if name in row["us"] else "-" for name in ("float32", "float32, two steps", "bf16")]
            print(f"  {row['rows']:4d} {row['hidden']:5d} | {us[0]:>11s} {us[1]:>11s} {us[2]:>9s}", flush=True)
    return dict(rows=rows, passed=True)


def cell(setting: Setting, name: str, hidden: int, inner: int, m: int, contenders: dict) -> tuple[dict, list[str]]:
    """One model at one M: times, errors, and which contenders were wrong."""
    torch.manual_seed(m)
    sets = len(contenders["tileglu"])
    calls = max(sets, 1 if not setting.gpu else 8 if m <= 128 else 2)  # of one graph, so that its start weighs little
    xs = [torch.randn(m, hidden, device=setting.device, dtype=torch.bfloat16) for _ in range(sets)]
    # Every rank needs the right answer; only rank 0 holds the whole weights as modules.
    exact = torch.empty(m, hidden, device=setting.device)
    if RANK == 0:
        merged = contenders["one merged"][0]
        h = xs[0].float() @ merged.gate_up.weight.float().t()
        exact = (nn.functional.silu(h[:, :inner]) * h[:, inner:]) @ merged.down.weight.float().t()
        del h
    dist.broadcast(exact, 0)
    exact = exact.double()
    errors, failed, steps = {}, [], {}
    for label, modules in contenders.items():
        if (label in CUT and m < CUT_FROM) or label in ALONE:
            continue

        def step(modules=modules):
            for i in range(calls):
                out = modules[i % sets](xs[i % sets])
            return out

        if label != "no reduction":
            try:
                error, why = relative(modules[0](xs[0]), exact), ""
            except RuntimeError as refusal:  # every rank meets it alike; the others still run
                error, why = float("inf"), f", {first_line(refusal)}"
            errors[label] = setting.slowest(error)
            if not errors[label] < ALLOWED_ERROR:
                failed.append(f"{name} M={m} {label}: error {errors[label]:.2g}{why}")
                continue
        steps[label] = step
    alone = {label: None for label in ALONE}
    if RANK == 0:
        for label in ALONE:
            modules = contenders[label]
            errors[label] = relative(modules[0](xs[0]), exact)
            alone[label] = lambda modules=modules: [modules[i % sets](xs[i % sets]) for i in range(calls)][-1]
    del exact
    took = {label: ms / calls * 1e3 for label, ms in race(setting, steps, alone).items()}
    row = dict(model=name, rows=m, hidden=hidden, inner=inner, us=took, errors=errors)
    best = min((took[label] for label in ("tileglu", "split", "split in 4") if label in took), default=float("nan"))
    row["efficiency"] = took.get("one device", float("nan")) / (WORLD * best)
    row["share_of_reduction"] = 1 - took.get("no reduction", float("nan")) / took.get("tileglu", float("nan"))
    return row, failed


def fast(setting: Setting, save=lambda result: None) -> dict:
    """Qwen-2.5's MLPs. `save` is called after every cell with what there is so far."""
    activation, rows, failed = activation_of(setting), [], []
    shown = ("tileglu", "split", "split in 4", "head start", "bf16 sums", "bf16 split")
    if RANK == 0:
        print("  model    M dtensor us | /dtensor: " + "".join(f"{label:>11s}" for label in shown) + " | reduction effic.", flush=True)
    for name, (hidden, inner) in setting.models.items():
        contenders = build(setting, hidden, inner, activation)
        for m in setting.rows:
            with torch.inference_mode():
                row, wrong = cell(setting, name, hidden, inner, m, contenders)
            rows.append(row)
            failed += wrong
            save(dict(rows=rows, failed=failed, passed=False))
            if RANK == 0:
                took = row["us"]
                ratio = [f"{took[label] / took['dtensor']:.3f}" if label in took and "dtensor" in took else "-" for label in shown]
                print(f"  {name:5s} {m:4d} {took.get('dtensor', 0):10.1f} |           " + "".join(f"{r:>11s}" for r in ratio) +
                      f" | {row['share_of_reduction']:9.1%} {row['efficiency']:6.1%}", flush=True)  # fmt: skip
        del contenders
        if setting.gpu:
            torch.cuda.empty_cache()
    return dict(rows=rows, failed=failed, passed=not failed)

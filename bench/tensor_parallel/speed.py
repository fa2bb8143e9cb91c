"""How fast? Parts `reductions` (the collective alone, by size and by how sums travel) and `fast` (the whole MLP against torch's, in turns)."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn

from contenders import ALONE, CUT, CUT_FROM, EXACT, NAMES, activation_of, build
from setting import RANK, WORLD, Setting, first_line, relative
from tileglu.parallel.peers import peers_of
from turns import race

SUMS = ("float32", "float32, two steps", "float32, peers", "bf16")
ALLOWED_ERROR = 1e-2  # of any contender: a wrong answer, not a rounding, is far above it


def reductions(setting: Setting) -> dict:
    """Microseconds of making [M, hidden] partial sums whole: in float32 at once, in float32 and then bf16 in two steps, over peer memory, in bf16."""
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
            if setting.gpu:
                memory = peers_of(group, setting.device, max(setting.rows), max(hiddens))
                memory.place(m, hidden).zero_()

                def over_peers(memory=memory, m=m, hidden=hidden):
                    for _ in range(repeats):
                        out = memory.total(m, hidden, torch.bfloat16)
                    return out

                steps["float32, peers"] = over_peers
            took = race(setting, steps, {}, burst=6.0, idle=0.01)
            rows.append(dict(rows=m, hidden=hidden, us={name: ms / repeats * 1e3 for name, ms in took.items()}))
    if RANK == 0:
        print("    M hidden | us: " + "".join(f"{name:>20s}" for name in SUMS), flush=True)
        for row in rows:
            us = [f"{row['us'][name]:.1f}" if name in row["us"] else "-" for name in SUMS]
            print(f"  {row['rows']:4d} {row['hidden']:5d} |     " + "".join(f"{value:>20s}" for value in us), flush=True)
    return dict(rows=rows, passed=True)


def cell(setting: Setting, name: str, hidden: int, inner: int, m: int, contenders: dict) -> tuple[dict, list[str]]:
    """One model at one M: times, errors, and which contenders were wrong."""
    torch.manual_seed(m)
    sets = len(next(iter(contenders.values())))
    calls = max(sets, 1 if not setting.gpu else 8 if m <= 128 else 2)  # of one graph, so that its start weighs little
    xs = [torch.randn(m, hidden, device=setting.device, dtype=torch.bfloat16) for _ in range(sets)]
    merged = contenders.first
    h = xs[0].float() @ merged.gate_up.weight.float().t()
    exact = ((nn.functional.silu(h[:, :inner]) * h[:, inner:]) @ merged.down.weight.float().t()).double()
    del h
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
    alone = {label: None for label in ALONE if label in contenders}
    if RANK == 0:
        for label in alone:
            modules = contenders[label]
            errors[label] = relative(modules[0](xs[0]), exact)
            alone[label] = lambda modules=modules: [modules[i % sets](xs[i % sets]) for i in range(calls)][-1]
    del exact
    took = {label: ms / calls * 1e3 for label, ms in race(setting, steps, alone).items()}
    row = dict(model=name, rows=m, hidden=hidden, inner=inner, us=took, errors=errors)
    best = min((took[label] for label in EXACT if label in took), default=None)
    row["efficiency"] = took["one device"] / (WORLD * best) if best and "one device" in took else None
    row["share_of_reduction"] = 1 - took["no reduction"] / took["tileglu"] if "no reduction" in took and "tileglu" in took else None
    return row, failed


def fast(setting: Setting, save=lambda result: None, wanted: tuple[str, ...] = NAMES) -> dict:
    """Qwen-2.5's MLPs. `save` is called after every cell with what there is so far."""
    activation, rows, failed = activation_of(setting), [], []
    wanted = tuple(name for name in wanted if setting.gpu or name != "peers")
    shown = [name for name in NAMES if name in wanted and name not in ("dtensor", "no reduction", *ALONE)]
    if RANK == 0:
        print("  time / dtensor's:         " + "".join(f"{label:>11s}" for label in shown), flush=True)
        print("  model    M   dtensor us", flush=True)
    for name, (hidden, inner) in setting.models.items():
        contenders = build(setting, hidden, inner, activation, wanted)
        for m in setting.rows:
            with torch.inference_mode():
                row, wrong = cell(setting, name, hidden, inner, m, contenders)
            rows.append(row)
            failed += wrong
            save(dict(rows=rows, failed=failed, passed=False))
            if RANK == 0:
                took = row["us"]
                ratio = [f"{took[label] / took['dtensor']:.3f}" if label in took and "dtensor" in took else "-" for label in shown]
                shares = [f"{row[key]:.1%}" if row[key] is not None else "-" for key in ("share_of_reduction", "efficiency")]
                print(f"  {name:5s} {m:4d} {took.get('dtensor', 0):12.1f}   " + "".join(f"{r:>11s}" for r in ratio) +
                      f"   reduction {shares[0]}, efficiency {shares[1]}", flush=True)  # fmt: skip
        del contenders
        if setting.gpu:
            torch.cuda.empty_cache()
    return dict(rows=rows, failed=failed, passed=not failed)

"""Contenders in turns over several ranks: every rank runs the same ones in the same order, and the same number of times."""

from __future__ import annotations

import random
import time

import torch
import torch.distributed as dist

from setting import RANK, Setting, captured

BURST, IDLE = 20.0, 0.06  # milliseconds of work in a slot, seconds of rest ahead of it: a slot ends before the clock falls


def slot(graph, count: int, lead: int) -> float:
    """Milliseconds of one replay, in the mean of `count`, behind `lead` others that bring the ranks together."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for _ in range(lead):
        graph.replay()
    start.record()
    for _ in range(count):
        graph.replay()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) / count


def loop(step, count: int, lead: int) -> float:
    for _ in range(lead):
        step()
    started = time.perf_counter()
    for _ in range(count):
        step()
    return (time.perf_counter() - started) / count * 1e3


def prepared(setting: Setting, steps: dict) -> dict:
    """{name: call(count, lead)}: a CUDA graph of each step on a GPU. What one rank can't capture is left out on all, and said."""
    if not setting.gpu:
        return {name: (lambda count, lead, step=step: loop(step, count, lead)) for name, step in steps.items()}
    run, refused = {}, {}
    for name, step in steps.items():
        try:
            graph = captured(step)[0]
            run[name] = lambda count, lead, graph=graph: slot(graph, count, lead)
        except RuntimeError as error:
            refused[name] = str(error).splitlines()[0][:160]
    for rank, others in enumerate(setting.told(refused)):
        for name, why in others.items():
            run.pop(name, None)
            if RANK == 0:
                print(f"  {name} can't be captured on rank {rank}: {why}", flush=True)
    return run


def race(setting: Setting, steps: dict, alone: dict, rounds: int = 3, burst: float = BURST, idle: float = IDLE) -> dict[str, float]:
    """Milliseconds of one step by name: the slowest rank's, the median over rounds.

    steps: what all ranks run together. alone: what rank 0 runs while the others wait; the same names on every rank, called on rank 0 only.
    """
    run = prepared(setting, steps)
    if RANK == 0:
        alone_run = prepared_alone(setting, alone)
    names = list(run) + list(alone)
    counts, took = {}, {name: [] for name in names}
    order = random.Random(7)

    def go(name, count, lead):
        if name in run:
            return run[name](count, lead)
        return alone_run[name](count, lead) if RANK == 0 and name in alone_run else 0.0

    for name in names:
        once = setting.slowest(go(name, 2, 1))
        counts[name] = max(1, int(burst / max(once, 1e-3))) if setting.gpu else 2
    for _ in range(rounds if setting.gpu else 2):
        for name in order.sample(names, len(names)):
            dist.barrier()
            setting.synchronize()
            if setting.gpu:
                time.sleep(idle)
            took[name].append(go(name, counts[name], max(1, counts[name] // 6)))
    table = setting.told(took)
    slowest = {name: sorted(max(ts) for ts in zip(*(rank[name] for rank in table))) for name in names}
    return {name: times[len(times) // 2] for name, times in slowest.items() if times[0] > 0}


def prepared_alone(setting: Setting, steps: dict) -> dict:
    """As `prepared`, on this rank only: no word to the others."""
    if not setting.gpu:
        return prepared(setting, steps)
    graphs = {name: captured(step)[0] for name, step in steps.items()}
    return {name: (lambda count, lead, graph=graph: slot(graph, count, lead)) for name, graph in graphs.items()}

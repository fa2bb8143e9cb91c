"""How speed is judged: contenders take turns in one process, each replayed from its own CUDA graph, weights cold, in two power regimes.

burst      every slot follows idling and lasts under 20 ms, its first sixth untimed, the order shuffled in every round; median of five
           rounds. An H200's power limit answers after about 40 ms, so this is a ratio of cycles.
sustained  every contender runs alone for 0.7 s and is timed over the last 0.35 s, the order shuffled; mean of two rounds. A ratio of
           times at the clock that each one's own power allows.
"""
import random
import time

import torch

L2_MULTIPLE_BYTES = 180_000_000  # three times an H200's L2: operand sets rotate through more than that
MOST_SETS = 24


def operand_sets(k, n):
    """How many sets of weights make them cold."""
    return max(1, min(MOST_SETS, -(-L2_MULTIPLE_BYTES // (4 * n * k))))


def capture(calls):
    """A CUDA graph of all calls. The caller keeps whatever the calls refer to alive as long as the graph."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = [call() for call in calls]
    return graph, kept


def timed(replay, count):
    """Milliseconds of one replay, over `count` of them."""
    start, end = torch.cuda.Event(True), torch.cuda.Event(True)
    start.record()
    for _ in range(count):
        replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / count


def burst(replays, rounds=5, slot_ms=16.0, idle_s=0.12):
    counts = []
    for replay in replays:
        timed(replay, 1)
        counts.append(max(1, int(slot_ms / max(timed(replay, 1), 1e-3))))
    times = [[] for _ in replays]
    for _ in range(rounds):
        for i in random.sample(range(len(replays)), len(replays)):
            time.sleep(idle_s)
            timed(replays[i], -(-counts[i] // 6))
            times[i].append(timed(replays[i], counts[i]))
    return times


def sustained(replays, rounds=2, lead_s=0.35, span_s=0.35):
    times = [[] for _ in replays]
    for _ in range(rounds):
        for i in random.sample(range(len(replays)), len(replays)):
            one_s = timed(replays[i], 1) * 1e-3
            timed(replays[i], max(1, int(lead_s / one_s)))
            times[i].append(timed(replays[i], max(1, int(span_s / one_s))))
    return times


def summary(regime, times):
    """The figure of a contender: the median in burst, the mean in sustained."""
    return sorted(times)[len(times) // 2] if regime == "burst" else sum(times) / len(times)

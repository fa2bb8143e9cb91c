"""The reduction over peer memory: the product lands where the other ranks can read it, and each rank adds what it needs, in float32, and rounds.

Nothing is multicast. Ranks add in the order of their numbers, so all hold the same bits in every run. Two ways, by size:

  at once       every rank reads all partial sums: 4 (W - 1) bytes an element cross to a rank, one kernel adds
  in two steps  rank r adds the r-th part of the elements, rounds it, and every rank fetches the others' parts: 6 (W - 1) / W bytes, two kernels more

Barriers on the device stand around them. They give up after the group's timeout, with an error on the device, also when a CUDA graph replays:
NCCL's watchdog doesn't see those collectives.

Taken by default where it was measured and was faster than NCCL at every size: two Hopper GPUs of one host, calls of up to 4096 rows.
"""

from __future__ import annotations

import os
import warnings

import torch
import torch.distributed as dist
from torch import Tensor

# Bytes that have to be saved for the second step to pay: its barrier and its copies take some 10 us, in which a rank's links carry 4 MB.
SECOND_STEP_BYTES = 4_000_000

# Two H200 over NVLink, hidden 3584 and 8192, against NCCL in float32 (and in bf16), us: M = 1: 9.1 to 10.4 (9.3) and 9.0 to 9.5 (9.2); M = 128:
# 14.1 to 29.4 (13.8) and 21.2 to 35.2 (27.9); M = 4096: 160.5 to 242.4 (118.6) and 332.3 to 516.5 (246.6).
ROWS_BY_DEFAULT, WORLD_BY_DEFAULT, CAPABILITY_BY_DEFAULT = 4096, 2, (9, 0)


def in_two_steps(numel: int, world: int) -> bool:
    at_once, stepped = 4 * (world - 1), 6 * (world - 1) / world
    return numel % (8 * world) == 0 and (at_once - stepped) * numel > SECOND_STEP_BYTES


class Peers:
    """Memory of one group for partial sums of up to `capacity` elements, shared by all its sharded MLPs. Their calls follow one another: a call on
    another stream waits for the one before it; CUDA graphs that are replayed on several streams at once would overwrite each other's sums.

    sums: by rank, float32 [capacity]; rounded: by rank, int16 [capacity], for either half type. barrier: a call that lets no rank pass before
    all have come; what was written before it can be read after it.
    """

    def __init__(self, rank: int, sums: list[Tensor], rounded: list[Tensor], barrier):
        self.rank, self.world, self.capacity = rank, len(sums), sums[0].numel()
        self.sums, self.rounded, self.barrier = sums, rounded, barrier
        self.stream: torch.cuda.Stream | None = None  # of the last call outside of a graph

    def fits(self, rows: int, columns: int) -> bool:
        return 0 < rows * columns <= self.capacity

    def place(self, rows: int, columns: int) -> Tensor:
        """Where this rank's partial sums go: float32 [rows, columns]."""
        if self.sums[0].is_cuda and not torch.cuda.is_current_stream_capturing():
            stream = torch.cuda.current_stream(self.sums[0].device)
            if self.stream is not None and self.stream != stream:
                stream.wait_stream(self.stream)
            self.stream = stream
        return self.sums[self.rank][: rows * columns].view(rows, columns)

    def total(self, rows: int, columns: int, dtype: torch.dtype) -> Tensor:
        """The sum of every rank's partial sums, rounded once to `dtype` (bf16 or fp16), [rows, columns]. Every rank calls it, in the same order."""
        numel = rows * columns
        out = torch.empty(numel, dtype=dtype, device=self.sums[0].device)
        self.barrier()
        if in_two_steps(numel, self.world):
            share = numel // self.world
            parts = [slice(r * share, (r + 1) * share) for r in range(self.world)]
            rounded = [r.view(dtype) for r in self.rounded]
            add([s[parts[self.rank]] for s in self.sums], rounded[self.rank][parts[self.rank]])
            self.barrier()
            for step in range(self.world):  # each rank starts with its neighbour, so that no rank is asked by all at the same time
                other = (self.rank + 1 + step) % self.world
                out[parts[other]].copy_(rounded[other][parts[other]])
        else:
            add([s[:numel] for s in self.sums], out)
        self.barrier()  # nobody writes the next partial sums before all have read these
        return out.view(rows, columns)


def add(parts: list[Tensor], into: Tensor) -> None:
    """parts, float32, in their order; rounded when they are written."""
    total = parts[0]
    for part in parts[1:-1]:
        total = total + part
    torch.add(total, parts[-1], out=into)


_shared: dict[tuple[str, torch.device], tuple[dist.ProcessGroup, Peers]] = {}
_kept: list = []  # allocations, also outgrown ones: a CUDA graph may hold their addresses


def peers_of(group: dist.ProcessGroup, device: torch.device, rows: int | None, columns: int) -> Peers | None:
    """The group's memory, with room for [rows, columns]; rows None: what the default is here, which may be nothing. A collective.

    ValueError: rows on another device than a GPU. RuntimeError, on every rank: rows, and the ranks can't reach each other's memory.
    """
    wanted, world = rows, dist.get_world_size(group)
    if wanted == 0 or world == 1:
        return None
    if device.type != "cuda":
        if wanted is None:
            return None
        raise ValueError(f"peer_rows is {wanted}, and the mesh is on {device.type}; allowed is a mesh on cuda")
    capacity = (ROWS_BY_DEFAULT if wanted is None else wanted) * columns
    known = _shared.get((group.group_name, device))
    if known is not None and known[0] is group and known[1].capacity >= capacity:
        return known[1]
    if wanted is None and (world != WORLD_BY_DEFAULT or not are_neighbours(told(group, facts_of(device)))):
        return None
    peers, why = None, ""
    try:
        peers = allocated(group, device, capacity)
    except (RuntimeError, ImportError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
    if not (refusals := [text for text in told(group, why) if text]):
        _shared[group.group_name, device] = group, peers
        return peers
    if wanted is None:
        warnings.warn(f"tileglu.parallel adds partial sums over NCCL, as peer memory was refused: {refusals[0]}", stacklevel=2)
        return None
    raise RuntimeError(f"peer_rows needs GPUs of one host that reach each other's memory; leave it at 0 for NCCL: {refusals[0]}")


def told(group: dist.ProcessGroup, value) -> list:
    """What every rank says, by rank."""
    values = [None] * dist.get_world_size(group)
    dist.all_gather_object(values, value, group=group)
    return values


def facts_of(device: torch.device) -> dict:
    """What tells whether two ranks' GPUs are neighbours."""
    count = torch.cuda.device_count()
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            host = file.read()
    except OSError:
        host = ""
    return dict(
        host=(os.uname().nodename, host),
        visible=[str(getattr(torch.cuda.get_device_properties(i), "uuid", i)) for i in range(count)],
        index=device.index,
        capability=torch.cuda.get_device_capability(device),
        reaches=[i for i in range(count) if i != device.index and torch.cuda.can_device_access_peer(device.index, i)],
    )


def are_neighbours(ranks: list[dict]) -> bool:
    """Different Hopper GPUs of one host, each seen and reached by every rank."""
    first, indices = ranks[0], {rank["index"] for rank in ranks}
    return len(indices) == len(ranks) and all(
        tuple(rank["capability"]) == CAPABILITY_BY_DEFAULT
        and (rank["host"], rank["visible"]) == (first["host"], first["visible"])
        and indices - {rank["index"]} <= set(rank["reaches"])
        for rank in ranks
    )


@torch.inference_mode(False)  # memory made in inference mode could not be written outside of it
def allocated(group: dist.ProcessGroup, device: torch.device, capacity: int) -> Peers:
    import torch.distributed._symmetric_memory as symmetric

    rank, world = dist.get_rank(group), dist.get_world_size(group)
    sums = symmetric.empty(capacity, dtype=torch.float32, device=device)
    rounded = symmetric.empty(capacity, dtype=torch.int16, device=device)
    of_sums, of_rounded = symmetric.rendezvous(sums, group.group_name), symmetric.rendezvous(rounded, group.group_name)
    views = [of_sums.get_buffer(r, (capacity,), torch.float32) for r in range(world)]
    halves = [of_rounded.get_buffer(r, (capacity,), torch.int16) for r in range(world)]
    _kept.extend((sums, rounded, of_sums, of_rounded))
    limit = timeout_of(group, device)
    return Peers(rank, views, halves, lambda: of_sums.barrier(channel=0, timeout_ms=limit))


def timeout_of(group: dist.ProcessGroup, device: torch.device) -> int:
    """The group's timeout in milliseconds; 10 minutes, torch's default for NCCL, where it can't be told."""
    try:
        return int(group._get_backend(device).options._timeout.total_seconds() * 1000)
    except (AttributeError, RuntimeError):
        return 600_000

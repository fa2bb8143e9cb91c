"""The one reduction of a sharded MLP, and its gradient.

The down projection of a rank is a partial sum. Rounding it to bf16 before it is added costs accuracy: with two ranks the error grows by
sqrt(3/2) = 1.22 over one GPU's (three roundings of equal size instead of two). Partial sums are therefore float32 by default and rounded once,
at the end, as on one GPU. What that costs in bytes can be won back in part: a reduce-scatter in float32 and an all-gather in bf16 move 6 bytes
an element, an all-reduce in float32 moves 8 (in bf16: 4). On two H200 the second collective pays for itself only where sums are large.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch import Tensor

from .peers import Peers

# Bytes of float32 partial sums. Two H200, NVLink, one step against two: 34.6 and 41.8 us at 4 MB, 73.8 and 86.7 at 15 MB, 149.5 and 151.3 at 34 MB,
# 244 and 236 at 59 MB, 519 and 479 at 134 MB.
TWO_STEPS_FROM = 48 * 1024 * 1024


def partial_product(h: Tensor, w_down: Tensor, reduce_type: torch.dtype) -> Tensor:
    """h [M, n] w_down [O, n]^T in `reduce_type`; float32 comes straight from the accumulators of the product."""
    if h.dtype == reduce_type:
        return torch.mm(h, w_down.t())
    if reduce_type != torch.float32 or h.dtype == torch.float64:  # no product writes these
        return torch.mm(h, w_down.t()).to(reduce_type)
    if h.is_cuda:
        return torch.mm(h, w_down.t(), out_dtype=torch.float32)
    return torch.mm(h.float(), w_down.float().t())


def in_two_steps(partial: Tensor, out_type: torch.dtype, world: int) -> bool:
    wide = partial.dtype.itemsize > out_type.itemsize
    return wide and partial.is_cuda and partial.shape[0] % world == 0 and partial.numel() * partial.element_size() >= TWO_STEPS_FROM


def reduce(partial: Tensor, out_type: torch.dtype, group: dist.ProcessGroup, group_name: str, world: int, into: Tensor | None = None) -> Tensor:
    """The sum of every rank's `partial` [M, O] in `out_type`: equal bits on every rank and in every run. `partial` is used up.

    into: where the sum goes, [M, O], contiguous; may be `partial` itself. Not under torch.compile.
    """
    if world == 1 or partial.numel() == 0:
        return partial.to(out_type) if into is None or into is partial else into.copy_(partial)
    two_steps = in_two_steps(partial, out_type, world)
    if torch.compiler.is_compiling():
        if two_steps:
            mine = functional.reduce_scatter_tensor(partial, "sum", 0, group_name)
            return functional.all_gather_tensor(mine.to(out_type), 0, group_name)
        return functional.all_reduce(partial, "sum", group_name).to(out_type)
    if two_steps:
        mine = partial.new_empty(partial.shape[0] // world, partial.shape[1])
        dist.reduce_scatter_tensor(mine, partial, group=group)
        total = partial.new_empty(partial.shape, dtype=out_type) if into is None else into
        dist.all_gather_into_tensor(total, mine.to(out_type), group=group)
        return total
    dist.all_reduce(partial, group=group)
    return partial.to(out_type) if into is None or into is partial else into.copy_(partial)


# A stream a device, on which pieces are reduced. Its priority is high: the reduction's few blocks should find multiprocessors as soon as some
# of the product beside it end, instead of waiting for all of them.
_lanes: dict[torch.device, torch.cuda.Stream] = {}


def lane_of(device: torch.device) -> torch.cuda.Stream:
    if device not in _lanes:
        _lanes[device] = torch.cuda.Stream(device, priority=-1)
    return _lanes[device]


def product_and_reduce(
    h: Tensor, w_down: Tensor, reduce_type: torch.dtype, group, group_name: str, world: int, pieces: int, head_start: bool = False
) -> Tensor:
    """The down projection and its reduction. With `pieces` > 1 the rows are cut, and a piece is reduced while the next is computed.

    head_start: a kernel that does next to nothing precedes the next product, so that the reduction's blocks are on the device first.
    A piece has at least 128 rows. May be captured in a CUDA graph; under torch.compile, which has no streams of its own, the rows stay whole.
    """
    if pieces == 1 or world == 1 or h.shape[0] < 128 * pieces or torch.compiler.is_compiling():
        return reduce(partial_product(h, w_down, reduce_type), h.dtype, group, group_name, world)
    rows = -(-h.shape[0] // (pieces * world)) * world
    total = h.new_empty(h.shape[0], w_down.shape[0])
    here = lane = None
    if h.is_cuda:
        here, lane = torch.cuda.current_stream(h.device), lane_of(h.device)
    kept = []  # until `here` has waited for the lane: what the lane reads may not be given to anyone before
    for start in range(0, h.shape[0], rows):
        out = total[start : start + rows]
        if h.dtype == reduce_type:
            piece = torch.mm(h[start : start + rows], w_down.t(), out=out)
        else:
            piece = partial_product(h[start : start + rows], w_down, reduce_type)
        kept.append(piece)
        if lane is None:
            reduce(piece, h.dtype, group, group_name, world, out)
            continue
        lane.wait_stream(here)
        with torch.cuda.stream(lane):
            reduce(piece, h.dtype, group, group_name, world, out)
        if head_start and start + rows < h.shape[0]:
            kept.append(h.new_zeros(1))
    if lane is not None:
        here.wait_stream(lane)
    return total


def product_over_peers(h: Tensor, w_down: Tensor, peers: Peers) -> Tensor:
    """The down projection of a half type, added over peer memory in float32 and rounded once."""
    rows, columns = h.shape[0], w_down.shape[0]
    place = peers.place(rows, columns)
    if h.is_cuda:
        torch.mm(h, w_down.t(), out_dtype=torch.float32, out=place)
    else:
        place.copy_(partial_product(h, w_down, torch.float32))
    return peers.total(rows, columns, h.dtype)


def sum_over_ranks(tensor: Tensor, group_name: str) -> Tensor:
    return functional.wait_tensor(functional.all_reduce(tensor.contiguous(), "sum", group_name))


class CopyToRanks(torch.autograd.Function):
    """Every rank uses the same x; its gradient is the sum of what each rank's columns contribute."""

    @staticmethod
    def forward(ctx, x: Tensor, group_name: str) -> Tensor:
        ctx.group_name = group_name
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad: Tensor):
        return sum_over_ranks(grad, ctx.group_name), None


class SumOverRanks(torch.autograd.Function):
    """The partial sums become one tensor that every rank holds; each rank's gradient is that tensor's."""

    @staticmethod
    def forward(ctx, partial: Tensor, group_name: str) -> Tensor:
        return sum_over_ranks(partial, group_name)

    @staticmethod
    def backward(ctx, grad: Tensor):
        return grad, None

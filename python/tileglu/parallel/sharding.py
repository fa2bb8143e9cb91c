"""Which part of a gated MLP's tensors one rank owns. The sharding of weights in memory and of bytes in a checkpoint both ask here."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from ..patching.match import Match

# A rank's columns of Y are a multiple of 8, so that its rows start on 16 bytes and the fused kernels can take them.
COLUMNS_MULTIPLE = 8


@dataclass(frozen=True)
class Part:
    """Ranges [start, stop) along `dim`, in the order in which the rank keeps them; no ranges: all of the tensor, on every rank."""

    dim: int = 0
    ranges: tuple[tuple[int, int], ...] = ()

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        if not self.ranges:
            return tensor
        return torch.cat([tensor.narrow(self.dim, start, stop - start) for start, stop in self.ranges], self.dim)


def columns(module: nn.Module, match: Match) -> int:
    """N: the columns of Y, of the whole MLP."""
    return module._modules[match.down].in_features


def check_divides(n: int, world: int, name: str) -> None:
    if n % (world * COLUMNS_MULTIPLE) != 0:
        raise ValueError(
            f"{name or 'the module'}: the intermediate size is {n}; it must be a multiple of {COLUMNS_MULTIPLE} times the world size, "
            f"{COLUMNS_MULTIPLE} x {world} = {COLUMNS_MULTIPLE * world}"
        )


def part_of(match: Match, linear: str, kind: str, n: int, rank: int, world: int) -> Part:
    """The part of `linear`'s `kind` ("weight" or "bias") that `rank` of `world` owns: gate and up rows, down columns.

    A stacked weight is cut in both halves: each rank holds its own gate rows, then its own up rows (in the layout's order).
    """
    start, stop = rank * n // world, (rank + 1) * n // world
    if linear == match.down:
        return Part(1, ((start, stop),)) if kind == "weight" else Part()
    if match.up is not None:
        return Part(0, ((start, stop),))
    if match.layout == "interleaved":
        return Part(0, ((2 * start, 2 * stop),))
    return Part(0, ((start, stop), (n + start, n + stop)))


def whole(match: Match, linear: str, kind: str, parts: list[torch.Tensor]) -> torch.Tensor:
    """The tensor whose parts, by rank, these are: the inverse of `part_of`."""
    if linear == match.down:
        return torch.cat(parts, 1) if kind == "weight" else parts[0]
    if match.up is not None or match.layout == "interleaved":
        return torch.cat(parts, 0)
    halves = [part.chunk(2, 0) for part in parts]
    return torch.cat([half[0] for half in halves] + [half[1] for half in halves], 0)

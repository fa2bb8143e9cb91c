"""What a gated MLP is to the patcher: names of its parts and the formula that a probe confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable

import torch
import torch.nn.functional as F

# The activations that a module may apply to its gate, under the names that `tileglu.gated_linear` takes. `identity` is symmetric in gate
# and up, so only one of its two orders is ever a candidate.
ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "silu": F.silu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_erf": F.gelu,
    "relu": F.relu,
    "sigmoid": torch.sigmoid,
    "identity": lambda x: x,
}

STACKED_LAYOUTS = ("gate_up", "up_gate", "interleaved")


@dataclass(frozen=True)
class Match:
    """A gated MLP: `down(act(gate(x)) * up(x))`, by the names of direct children.

    `layout` is "separate" (gate [F, D] and up [F, D] are two linears) or how one stacked linear `gate` [2F, D] holds the two halves
    ("gate_up", "up_gate", "interleaved"); `up` is then None. `ranks` are the input ranks that the module's own forward accepts.
    """

    gate: str
    up: str | None
    down: str
    layout: str = "separate"
    activation: str = "silu"
    argument: str = "x"  # the name of forward's one required parameter
    ranks: frozenset[int] = frozenset({2, 3})
    same_in_training: bool = True  # false: forward itself drops or adds noise in training
    dropouts: tuple[str, ...] = ()
    constants: tuple[tuple[str, object], ...] = ()  # the module's own scalars, as they were when it was probed
    activation_child: tuple[str, type, tuple[tuple[str, object], ...]] | None = None  # its name, its class, its scalars

    @property
    def linears(self) -> tuple[str, ...]:
        return (self.gate, self.down) if self.up is None else (self.gate, self.up, self.down)

    def with_formula(self, **changes) -> "Match":
        return replace(self, **changes)

    def describe(self) -> str:
        names = ", ".join(self.linears)
        layout = "" if self.layout == "separate" else f" stacked {self.layout}"
        return f"{self.activation}{layout} ({names})"


def halves(match: Match, stacked: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The (gate, up) halves of `stacked` along its last dimension, as `match.layout` lays them out."""
    if match.layout == "interleaved":
        return stacked[..., 0::2], stacked[..., 1::2]
    first, second = stacked.chunk(2, dim=-1)
    return (first, second) if match.layout == "gate_up" else (second, first)


def formula(match: Match, x: torch.Tensor, linears: dict[str, torch.nn.Linear]) -> torch.Tensor:
    """The plain computation that the probe compares with: no kernel of this library."""
    gate = F.linear(x, linears[match.gate].weight, linears[match.gate].bias)
    if match.up is None:
        gate, up = halves(match, gate)
    else:
        up = F.linear(x, linears[match.up].weight, linears[match.up].bias)
    return F.linear(ACTIVATIONS[match.activation](gate) * up, linears[match.down].weight, linears[match.down].bias)

"""The words of a problem and the numbers that the operators take for them (those of the C ABI, which never change)."""

from __future__ import annotations

import math
from typing import NamedTuple

LAYOUTS = {"separate": 0, "gate_up": 1, "up_gate": 2, "interleaved": 3}
NUMERICS = {"fp32_through": 0, "match_unfused": 1}
ACTIVATIONS = {
    "silu": 0,
    "gelu_tanh": 1,
    "gelu": 2,  # as torch.nn.functional.gelu: the exact one, with erf
    "relu": 3,
    "sigmoid": 4,
    "identity": 5,
    "gpt_oss": 6,
    # names that Hugging Face configurations and papers use for the same functions
    "swish": 0,
    "gelu_pytorch_tanh": 1,
    "gelu_new": 1,
    "gelu_erf": 2,
    "linear": 5,
}
SILU, GELU_TANH, GELU_ERF, RELU, SIGMOID, IDENTITY, GPT_OSS = range(7)
SEPARATE, GATE_UP, UP_GATE, INTERLEAVED = range(4)


class Activation(NamedTuple):
    """An activation as the operators take it."""

    code: int
    alpha: float
    limit: float  # 0: no clamp


def _allowed(table: dict[str, int]) -> str:
    return ", ".join(repr(word) for word in table)


def _refuse_no_number(name: str, value: object) -> None:
    """A tensor is refused too: its value may change between calls, and what is made of these words is kept."""
    if value is None or type(value) in (float, int):
        return
    if not hasattr(value, "__float__") or hasattr(value, "__torch_function__"):
        raise TypeError(f"{name} is a {type(value).__name__}; allowed is a number or None")


def activation_of(name: str, alpha: float | None, limit: float | None) -> Activation:
    """The numbers of an activation; gpt_oss has alpha 1.702 and limit 7 where the caller names none."""
    code = ACTIVATIONS.get(name)
    _refuse_no_number("alpha", alpha)
    _refuse_no_number("limit", limit)
    if code is None:
        raise ValueError(f"activation is {name!r}; allowed are {_allowed(ACTIVATIONS)}")
    if code == GPT_OSS:
        alpha = 1.702 if alpha is None else alpha
        limit = 7.0 if limit is None else limit
    elif alpha is not None:
        raise ValueError(f"alpha is {alpha!r}; allowed is None: only the activation 'gpt_oss' has one")
    if limit is None or limit == math.inf:
        limit = 0.0
    elif not limit > 0:
        raise ValueError(f"limit is {limit!r}; allowed are numbers above 0, or None for no clamp")
    return Activation(code, 1.0 if alpha is None else float(alpha), float(limit))


def layout_of(name: str | None, one_matrix: bool) -> int:
    """The number of a weight layout. One matrix needs its layout named: a guess would mix up gate and up."""
    if name is None:
        if one_matrix:
            raise ValueError("layout is None and w_up is None; one matrix needs layout='gate_up', 'up_gate' or 'interleaved'")
        return SEPARATE
    code = LAYOUTS.get(name)
    if code is None:
        raise ValueError(f"layout is {name!r}; allowed are {_allowed(LAYOUTS)}")
    if one_matrix and code == SEPARATE:
        raise ValueError("layout is 'separate' and w_up is None; allowed are two matrices, or the layout of the one matrix")
    if not one_matrix and code != SEPARATE:
        raise ValueError(f"layout is {name!r} and w_up is given; allowed is one matrix for that layout, or layout='separate'")
    return code


def stacked_layout_of(name: str | None, argument: str = "layout") -> int:
    """The number of a layout of one matrix, for what makes or takes apart such a matrix."""
    if name is None or LAYOUTS.get(name, SEPARATE) == SEPARATE:
        raise ValueError(f"{argument} is {name!r}; allowed are 'gate_up', 'up_gate', 'interleaved'")
    return LAYOUTS[name]


def numerics_of(name: str) -> int:
    code = NUMERICS.get(name)
    if code is None:
        raise ValueError(f"numerics is {name!r}; allowed are {_allowed(NUMERICS)}")
    return code

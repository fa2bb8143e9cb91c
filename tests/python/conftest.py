"""What the Python tests share: random problems, a float64 reference, and a tolerance that is earned."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from torch import Tensor

import tileglu
from tileglu import _functional

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def device(request) -> str:
    return request.param


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(20260705)


@pytest.fixture(autouse=True)
def said_nothing_yet(monkeypatch) -> None:
    monkeypatch.setattr(_functional, "_warned", False)


@pytest.fixture
def calls(monkeypatch):
    """How often the library was called: a patched module that falls back gives right outputs too, so outputs alone prove nothing."""
    from tileglu.patching import forward as patched

    seen, real = [], patched.gated_mlp
    monkeypatch.setattr(patched, "gated_mlp", lambda *a, **k: (seen.append(k), real(*a, **k))[1])
    return seen


@dataclasses.dataclass
class Problem:
    x: Tensor
    w_gate: Tensor
    w_up: Tensor
    bias_gate: Tensor | None = None
    bias_up: Tensor | None = None

    def tensors(self) -> list[Tensor]:
        return [t for t in (self.x, self.w_gate, self.w_up, self.bias_gate, self.bias_up) if t is not None]


def random_problem(shape=(33,), n=48, k=64, dtype=torch.bfloat16, device="cpu", bias=False) -> Problem:
    """x ~ N(0, 1), w ~ N(0, 1/k): pre-activations ~ N(0, 1)."""

    def normal(*size, scale=1.0):
        return (torch.randn(*size, dtype=torch.float64) * scale).to(device=device, dtype=dtype)

    rows = (normal(n), normal(n)) if bias else (None, None)
    return Problem(normal(*shape, k), normal(n, k, scale=k**-0.5), normal(n, k, scale=k**-0.5), *rows)


ACTIVATIONS = {
    "silu": lambda g: g / (1 + torch.exp(-g)),
    "gelu": lambda g: 0.5 * g * (1 + torch.erf(g / math.sqrt(2))),
    "gelu_tanh": lambda g: 0.5 * g * (1 + torch.tanh(math.sqrt(2 / math.pi) * (g + 0.044715 * g**3))),
    "relu": lambda g: torch.where(g > 0, g, 0.0),
    "sigmoid": lambda g: 1 / (1 + torch.exp(-g)),
    "identity": lambda g: g,
    "gpt_oss": lambda g: g / (1 + torch.exp(-1.702 * g)),
}


def reference(p: Problem, activation="silu", limit: float | None = None) -> Tensor:
    """The formula in float64, written apart from the package's own."""
    x, w_gate, w_up = (t.double() for t in (p.x, p.w_gate, p.w_up))
    gate, up = x @ w_gate.T, x @ w_up.T
    if p.bias_gate is not None:
        gate, up = gate + p.bias_gate.double(), up + p.bias_up.double()
    if activation == "gpt_oss" and limit is None:
        limit = 7.0
    if limit is not None:
        gate, up = torch.minimum(gate, gate.new_tensor(limit)), torch.maximum(torch.minimum(up, up.new_tensor(limit)), up.new_tensor(-limit))
    return ACTIVATIONS[activation](gate) * (up + 1 if activation == "gpt_oss" else up)


def error(y: Tensor, exact: Tensor) -> float:
    """Relative, Frobenius."""
    return float((y.double() - exact).norm() / exact.norm())


def assert_close(y: Tensor, exact: Tensor, numerics="fp32_through") -> None:
    """One rounding costs at most half a unit in the last place of every element; unfused arithmetic rounds four times."""
    unit = torch.finfo(y.dtype).eps / 2
    allowed = unit * (1.0 if numerics == "fp32_through" else 4.0)
    assert y.shape == exact.shape
    assert error(y, exact) <= allowed, f"relative error {error(y, exact):.2e}, allowed {allowed:.2e}"


__all__ = ["ACTIVATIONS", "DEVICES", "Problem", "assert_close", "error", "random_problem", "reference", "tileglu"]

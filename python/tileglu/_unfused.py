"""The same formula in plain torch: differentiable, for every dtype and device; and its gradient in closed form."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from . import _words


def halves(w: Tensor, layout: int) -> tuple[Tensor, Tensor]:
    """Gate and up rows (or bias elements) of one matrix, as views."""
    if layout == _words.INTERLEAVED:
        return w[0::2], w[1::2]
    n = w.shape[0] // 2
    first, second = w[:n], w[n:]
    return (first, second) if layout == _words.GATE_UP else (second, first)


def products(x: Tensor, w: Tensor, w_up: Tensor | None, bias_gate: Tensor | None, bias_up: Tensor | None, layout: int) -> tuple[Tensor, Tensor]:
    """Gate and up before the activation, [..., N] each."""
    if w_up is None:
        if bias_gate is None:  # one product of the whole matrix
            both = functional.linear(x, w)
            if layout == _words.INTERLEAVED:
                return both[..., 0::2], both[..., 1::2]
            first, second = both.chunk(2, -1)
            return (first, second) if layout == _words.GATE_UP else (second, first)
        w, w_up = halves(w, layout)
    return functional.linear(x, w, bias_gate), functional.linear(x, w_up, bias_up)


def activate(gate: Tensor, up: Tensor, activation: int, alpha: float, limit: float) -> Tensor:
    """act(gate) * up; where limit > 0, gate is clamped to (-inf, limit] and up to [-limit, limit] first."""
    if limit > 0:
        gate, up = gate.clamp(max=limit), up.clamp(min=-limit, max=limit)
    if activation == _words.SILU:
        return functional.silu(gate) * up
    if activation == _words.GELU_TANH:
        return functional.gelu(gate, approximate="tanh") * up
    if activation == _words.GELU_ERF:
        return functional.gelu(gate) * up
    if activation == _words.RELU:
        return functional.relu(gate) * up
    if activation == _words.SIGMOID:
        return torch.sigmoid(gate) * up
    if activation == _words.IDENTITY:
        return gate * up
    return gate * torch.sigmoid(alpha * gate) * (up + 1)


def gated_linear(
    x: Tensor,
    w: Tensor,
    w_up: Tensor | None = None,
    bias_gate: Tensor | None = None,
    bias_up: Tensor | None = None,
    layout: int = 0,
    activation: int = 0,
    alpha: float = 1.0,
    limit: float = 0.0,
    numerics: int = 0,
    prefetch_weights: bool = False,
    kernel_name: str = "",
) -> Tensor:
    """[..., N]; the arguments of the operator, of which the last three change nothing here: every product is rounded to x's dtype."""
    gate, up = products(x, w, w_up, bias_gate, bias_up, layout)
    return activate(gate, up, activation, alpha, limit)


def _act_and_slope(gate: Tensor, activation: int, alpha: float) -> tuple[Tensor, Tensor]:
    if activation == _words.IDENTITY:
        return gate, torch.ones_like(gate)
    if activation == _words.RELU:
        return functional.relu(gate), (gate > 0).to(gate.dtype)
    if activation == _words.SIGMOID:
        s = torch.sigmoid(gate)
        return s, s * (1 - s)
    if activation in (_words.SILU, _words.GPT_OSS):
        a = alpha if activation == _words.GPT_OSS else 1.0
        s = torch.sigmoid(a * gate)
        return gate * s, s * (1 + a * gate * (1 - s))
    if activation == _words.GELU_ERF:
        cdf = 0.5 * (1 + torch.erf(gate * math.sqrt(0.5)))
        return gate * cdf, cdf + gate * torch.exp(-0.5 * gate * gate) / math.sqrt(2 * math.pi)
    c, k = math.sqrt(2 / math.pi), 0.044715
    t = torch.tanh(c * (gate + k * gate**3))
    return 0.5 * gate * (1 + t), 0.5 * (1 + t) + 0.5 * gate * (1 - t * t) * c * (1 + 3 * k * gate * gate)


def activate_backward(grad: Tensor, gate: Tensor, up: Tensor, activation: int, alpha: float, limit: float) -> tuple[Tensor, Tensor]:
    """Gradients of activate() for gate and up, in closed form; computed in at least float32."""
    wide = torch.promote_types(gate.dtype, torch.float32)
    grad_, gate_, up_ = grad.to(wide), gate.to(wide), up.to(wide)
    gate_in, up_in = 1.0, 1.0
    if limit > 0:
        gate_in, up_in = (gate_ <= limit).to(wide), ((up_ >= -limit) & (up_ <= limit)).to(wide)
        gate_, up_ = gate_.clamp(max=limit), up_.clamp(min=-limit, max=limit)
    value, slope = _act_and_slope(gate_, activation, alpha)
    if activation == _words.GPT_OSS:
        up_ = up_ + 1
    return (grad_ * up_ * slope * gate_in).to(gate.dtype), (grad_ * value * up_in).to(up.dtype)

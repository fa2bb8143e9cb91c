"""Gated MLPs that are patched in tests, and what shows that they were."""

import torch
import torch.nn.functional as F
from torch import nn


class Swiglu(nn.Module):
    def __init__(self, hidden=32, inner=48, bias=False, p=0.0):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, inner, bias=bias)
        self.up_proj = nn.Linear(hidden, inner, bias=bias)
        self.down_proj = nn.Linear(inner, hidden, bias=bias)
        self.act_fn = nn.SiLU()
        self.dropout = nn.Dropout(p)

    def forward(self, x):
        return self.down_proj(self.dropout(self.act_fn(self.gate_proj(x)) * self.up_proj(x)))


class Stacked(nn.Module):
    def __init__(self, order, hidden=32, inner=48, bias=True):
        super().__init__()
        self.fc1, self.fc2, self.order = nn.Linear(hidden, 2 * inner, bias=bias), nn.Linear(inner, hidden, bias=bias), order

    def forward(self, x):
        h = self.fc1(x)
        if self.order == "interleaved":
            gate, up = h[..., ::2], h[..., 1::2]
        else:
            gate, up = h.chunk(2, -1) if self.order == "gate_up" else reversed(h.chunk(2, -1))
        return self.fc2(F.gelu(gate, approximate="tanh") * up)


class Model(nn.Module):
    """Two residual blocks, so that a shared mistake does not cancel."""

    def __init__(self, make=Swiglu, **options):
        super().__init__()
        self.layers = nn.ModuleList([make(**options) for _ in range(2)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def rows(*shape, seed=0, **options):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **options)


def close(a, b, limit=2e-6):
    return ((a - b).norm() / b.norm()).item() < limit


def variant(**parts):
    """A Swiglu whose forward, or one step of it, is another."""
    return type("Variant", (Swiglu,), parts)()


class Shouting(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 3

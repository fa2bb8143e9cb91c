"""Conversion between weight layouts, by torch: on every device, differentiable, bit for bit."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _unfused, _words


def pack(w_gate: Tensor, w_up: Tensor, layout: str = "gate_up") -> Tensor:
    """One matrix ``[2N, K]`` (or bias ``[2N]``) of two; a copy. layout: gate_up, up_gate or interleaved."""
    code = _words.stacked_layout_of(layout)
    if w_gate.shape != w_up.shape or w_gate.dim() not in (1, 2):
        raise RuntimeError(f"tileglu: w_gate has shape {list(w_gate.shape)} and w_up {list(w_up.shape)}; allowed is one shape, [N, K] or [N]")
    if w_gate.dtype != w_up.dtype:  # torch.cat would promote bfloat16 and float16 to float32
        raise RuntimeError(f"tileglu: w_gate is {w_gate.dtype} and w_up {w_up.dtype}; allowed is one dtype for both")
    if code == _words.INTERLEAVED:
        return torch.stack((w_gate, w_up), 1).reshape(2 * w_gate.shape[0], *w_gate.shape[1:])
    return torch.cat((w_gate, w_up) if code == _words.GATE_UP else (w_up, w_gate))


def unpack(w: Tensor, layout: str = "gate_up") -> tuple[Tensor, Tensor]:
    """Gate and up of one matrix, as views: nothing is copied."""
    code = _words.stacked_layout_of(layout)
    if w.dim() not in (1, 2) or w.shape[0] % 2 != 0:
        raise RuntimeError(f"tileglu: w has shape {list(w.shape)}; allowed is [2N, K] or [2N]")
    return _unfused.halves(w, code)

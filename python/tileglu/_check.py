"""Do the tensors of a call fit together? The refusals of the C++ operator in the same words, for paths that don't reach it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _words


def _shape(t: Tensor) -> str:
    return "[" + ", ".join(str(size) for size in t.shape) + "]"


def _refuse(text: str) -> None:
    raise RuntimeError("tileglu: " + text)


def columns(w: Tensor, layout: int) -> int:
    """N, the columns of the output."""
    return w.shape[0] if layout == _words.SEPARATE else w.shape[0] // 2


def check(x: Tensor, w: Tensor, w_up: Tensor | None, bias_gate: Tensor | None, bias_up: Tensor | None, layout: int) -> None:
    """RuntimeError that names the argument, its value and what is allowed."""
    if x.is_nested and x.layout == torch.strided:  # has no shape to speak of
        _refuse("x is a nested tensor; allowed are dense (strided) tensors")
    if x.dim() == 0:
        _refuse("x has no dimensions; allowed is [..., K]")
    if not x.is_floating_point():
        _refuse(f"x is {x.dtype}; allowed are real floating-point tensors")
    if x.dtype.itemsize < 2:
        _refuse(f"x is {x.dtype}; allowed are floating-point tensors of 16 bits or more")
    for name, t in (("x", x), ("w", w), ("w_up", w_up), ("bias_gate", bias_gate), ("bias_up", bias_up)):
        if t is None:
            continue
        if t.layout != torch.strided:
            _refuse(f"{name} is a sparse or opaque tensor; allowed are dense (strided) tensors")
        if t.dtype != x.dtype:
            _refuse(f"{name} and x have different dtypes, {t.dtype} and {x.dtype}; allowed is one dtype for all tensors")
        if t.device != x.device:
            _refuse(f"{name} and x are on different devices, {t.device} and {x.device}; allowed is one device for all tensors")
    separate = layout == _words.SEPARATE
    if w.dim() != 2 or w.shape[1] != x.shape[-1]:
        _refuse(f"w has shape {_shape(w)}; allowed is [{'N' if separate else '2N'}, {x.shape[-1]}], for x has shape {_shape(x)}")
    if separate and w_up is None:
        _refuse("w_up is missing; layout separate takes two matrices")
    if not separate and w_up is not None:
        _refuse("w_up is given; a stacked or interleaved layout takes one matrix")
    if w_up is not None and (w_up.dim() != 2 or w_up.shape[0] != w.shape[0] or w_up.shape[1] != w.shape[1]):
        _refuse(f"w_up has shape {_shape(w_up)}; allowed is w's, {_shape(w)}")
    if not separate and w.shape[0] % 2 != 0:
        _refuse(f"w has {w.shape[0]} rows; allowed is an even number, gate and up")
    if (bias_gate is None) != (bias_up is None):
        _refuse(f"{'bias_gate' if bias_gate is None else 'bias_up'} is missing; allowed are both biases or none")
    for name, bias in (("bias_gate", bias_gate), ("bias_up", bias_up)):
        if bias is not None and (bias.dim() != 1 or bias.shape[0] != columns(w, layout)):
            _refuse(f"{name} has shape {_shape(bias)}; allowed is [{columns(w, layout)}]")

"""Loads the C++ operators and adds what they leave to Python: fake functions, gradients, autocast, vmap's refusal, the unfused path."""

from __future__ import annotations

import pathlib

import torch
from torch import Tensor

from . import _unfused, _words
from ._check import check, columns

_path = pathlib.Path(__file__).with_name("_tileglu_torch.so")
if not _path.exists():
    raise ImportError(f"{_path} is missing: install tileglu with `pip install .` in its source folder, not by copying python/tileglu")
torch.ops.load_library(str(_path))
if not hasattr(torch.ops.tileglu, "gated_linear"):
    raise ImportError(f"tileglu's operators did not register with torch {torch.__version__}; torch 2.10 or later is needed")

gated_linear = torch.ops.tileglu.gated_linear.default
gated_linear_out = torch.ops.tileglu.gated_linear_out.default
# The same kernels, in full and for the common call, with no autograd of their own, for callers that have made sure that nobody asks
# for a gradient: a Python autograd kernel costs every call under no_grad some 8 us. `_op` is the callable without OpOverload's Python frame.
plain_gated_linear = torch.ops.tileglu.plain_gated_linear.default._op
# The same with the words that most models have as their default: a number handed to an operator costs a call a quarter of a microsecond.
_USUAL_CALLS = ("plain_silu", "plain_silu_gate_up", "plain_gelu_tanh", "plain_gelu_tanh_gate_up")


def _default_words(name: str) -> int | None:
    """The words of a plain operator that leaves them out; None where they have to be named."""
    return getattr(torch.ops.tileglu, name).default._schema.arguments[3].default_value


usual_calls = {_default_words(name): getattr(torch.ops.tileglu, name).default._op for name in _USUAL_CALLS}
inference_gated_linear = torch.ops.tileglu.inference_gated_linear.default._op
explain = torch.ops.tileglu.explain.default

FUSED_DTYPES = frozenset((torch.bfloat16, torch.float16))

_fragment = torch.library.Library("tileglu", "FRAGMENT")


def _check_fused(x: Tensor, *rest) -> None:
    check(x, *rest)
    if x.dtype not in FUSED_DTYPES:
        raise RuntimeError("tileglu: x has a dtype that no kernel computes; allowed are bfloat16 and float16")


def _fake_gated_linear(x, w, w_up=None, bias_gate=None, bias_up=None, layout=0, *_rest):
    _check_fused(x, w, w_up, bias_gate, bias_up, layout)
    return x.new_empty((*x.shape[:-1], columns(w, layout)))


torch.library.register_fake("tileglu::gated_linear", _fake_gated_linear)
torch.library.register_fake("tileglu::inference_gated_linear", _fake_gated_linear)


def _words_of_plain(w_up, words: int) -> tuple:
    """What plain_gated_linear's arguments are to the others: (w_up, layout, activation, numerics, prefetch_weights)."""
    layout = words & 0xFF
    return w_up if layout == _words.SEPARATE else None, layout, words >> 8 & 0xFF, words >> 16 & 0xFF, bool(words >> 24 & 1)


def _register_fake_plain(name: str) -> None:
    def fake(x, w, w_up, words=_default_words(name)):
        w_up, layout, *_rest = _words_of_plain(w_up, words)
        return _fake_gated_linear(x, w, w_up, None, None, layout)

    torch.library.register_fake(f"tileglu::{name}", fake)


_PLAIN_CALLS = ("plain_gated_linear", *_USUAL_CALLS)
for _name in _PLAIN_CALLS:
    _register_fake_plain(_name)
for _name in ("inference_gated_linear", *_PLAIN_CALLS):
    _fragment.impl(_name, torch.library.fallthrough_kernel, "Autograd")


@torch.library.register_fake("tileglu::gated_linear_out")
def _(out, x, w, w_up=None, bias_gate=None, bias_up=None, layout=0, *_rest):
    _check_fused(x, w, w_up, bias_gate, bias_up, layout)
    check_out(out, x, w, layout)


def check_out(out: Tensor, x: Tensor, w: Tensor, layout: int) -> None:
    if out.dtype != x.dtype or out.device != x.device:
        raise RuntimeError(
            f"tileglu: out has another dtype or device than x, {out.dtype} on {out.device}; allowed are x's, {x.dtype} on {x.device}"
        )
    shape = (*x.shape[:-1], columns(w, layout))
    if tuple(out.shape) != shape:
        raise RuntimeError(f"tileglu: out has shape {list(out.shape)}; allowed is {list(shape)}")


def check_memory(out: Tensor) -> None:
    """Each element of `out` needs a place of its own (ops.cpp refuses the same)."""
    reach = 0
    for stride, size in sorted(zip(out.stride(), out.shape)):
        if size > 1:
            if stride <= reach:
                raise RuntimeError(
                    f"tileglu: out's elements share memory, its strides are {list(out.stride())} for shape {list(out.shape)}; "
                    "allowed is a place of its own for each"
                )
            reach += stride * (size - 1)


_fragment.impl("unfused_gated_linear", _unfused.gated_linear, "CompositeImplicitAutograd")


def _setup_context(ctx, inputs, output) -> None:
    x, w, w_up, bias_gate, bias_up, layout, activation, alpha, limit, *_rest = inputs
    ctx.save_for_backward(x, w, w_up, bias_gate, bias_up)
    ctx.problem = (layout, activation, alpha, limit)


def _backward(ctx, grad: Tensor):
    """Gate and up are computed again, unfused; then the chain rule by hand. Differentiable itself."""
    x, w, w_up, bias_gate, bias_up = ctx.saved_tensors
    layout, activation, alpha, limit = ctx.problem
    # torch leaves out trailing arguments that have their default value here, and wants as many gradients as it names.
    named = len(ctx.needs_input_grad)
    need_x, need_w, need_up, need_bias_gate, need_bias_up = (*ctx.needs_input_grad, False, False, False, False, False)[:5]
    gate, up = _unfused.products(x, w, w_up, bias_gate, bias_up, layout)
    grad_gate, grad_up = _unfused.activate_backward(grad, gate, up, activation, alpha, limit)
    w_gate, w_up_ = (w, w_up) if w_up is not None else _unfused.halves(w, layout)
    rows = x.reshape(-1, x.shape[-1])
    gate_rows, up_rows = (g.reshape(-1, g.shape[-1]) for g in (grad_gate, grad_up))
    grad_x = grad_gate @ w_gate + grad_up @ w_up_ if need_x else None
    grad_w = grad_w_up = None
    if need_w or need_up:
        of_gate, of_up = gate_rows.t() @ rows, up_rows.t() @ rows
        if layout == _words.SEPARATE:
            grad_w, grad_w_up = of_gate, of_up
        elif layout == _words.INTERLEAVED:
            grad_w = torch.stack((of_gate, of_up), 1).reshape(w.shape)
        else:
            grad_w = torch.cat((of_gate, of_up) if layout == _words.GATE_UP else (of_up, of_gate))
    gradients = (
        grad_x,
        grad_w if need_w else None,
        grad_w_up if need_up else None,
        gate_rows.sum(0) if need_bias_gate else None,
        up_rows.sum(0) if need_bias_up else None,
    )
    return (*gradients[:named], *(None for _ in range(named - len(gradients))))


torch.library.register_autograd("tileglu::gated_linear", _backward, setup_context=_setup_context)


def _out_under_autograd(out, *rest):
    tensors = [t for t in (out, *rest) if isinstance(t, Tensor)]
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        raise RuntimeError("tileglu: out= does not support automatic differentiation, but one of the arguments requires grad")
    with torch._C._AutoDispatchBelowAutograd():
        return gated_linear_out(out, *rest)


def _out_counts_as_written(out, *rest):
    """autograd's saved tensors notice a write by its version."""
    torch.autograd.graph.increment_version(out)
    with torch._C._AutoDispatchBelowADInplaceOrView():
        return gated_linear_out(out, *rest)


_fragment.impl("gated_linear_out", _out_under_autograd, "Autograd")
_fragment.impl("gated_linear_out", _out_counts_as_written, "ADInplaceOrView")


def cast_like_linear(device_type: str, tensors: tuple) -> tuple:
    """autocast's rule for nn.Linear: floating-point tensors of the device become the autocast dtype; float64 stays."""
    to = torch.get_autocast_dtype(device_type)
    return tuple(
        t.to(to) if t is not None and t.is_floating_point() and t.dtype != torch.float64 and t.device.type == device_type else t for t in tensors
    )


def _register_autocast(device_type: str, key: str) -> None:
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

    def cast_and_call(x, w, w_up=None, bias_gate=None, bias_up=None, layout=0, *rest):
        with torch._C._ExcludeDispatchKeyGuard(keys):
            cast = cast_like_linear(device_type, (x, w, w_up, bias_gate, bias_up))
            if cast[0].dtype in FUSED_DTYPES:
                return gated_linear(*cast, layout, *rest)
            check(*cast, layout)
            return _unfused.gated_linear(*cast, layout, *rest)

    _fragment.impl("gated_linear", cast_and_call, key)
    _fragment.impl("inference_gated_linear", cast_and_call, key)

    def register_plain(name: str) -> None:
        def cast_and_call_plain(x, w, w_up, words=_default_words(name)):
            w_up, layout, activation, numerics, prefetch_weights = _words_of_plain(w_up, words)
            return cast_and_call(x, w, w_up, None, None, layout, activation, 1.0, 0.0, numerics, prefetch_weights, "")

        _fragment.impl(name, cast_and_call_plain, key)

    for name in _PLAIN_CALLS:
        register_plain(name)


_register_autocast("cpu", "AutocastCPU")
_register_autocast("cuda", "AutocastCUDA")


def _refuse_vmap(info, in_dims, *args):
    raise RuntimeError("tileglu.gated_linear has no rule for vmap; put the batch into x's leading dimensions instead: x may be [..., K]")


for _name in ("gated_linear", "inference_gated_linear", *_PLAIN_CALLS, "gated_linear_out"):
    torch.library.register_vmap(f"tileglu::{_name}", _refuse_vmap)

"""The functions that people call."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn import functional

from . import _library, _unfused, _words
from ._check import check

# Types whose memory an operator may read as it is. Others (DTensor, quantised weights, ...) carry a meaning that only their own
# torch functions know: they take the unfused path, which calls those.
_PLAIN = {Tensor, torch.nn.Parameter, torch.nn.Buffer, torch._subclasses.fake_tensor.FakeTensor, torch._subclasses.functional_tensor.FunctionalTensor}
_DEVICES = frozenset(("cpu", "cuda"))

_is_compiling = torch.compiler.is_compiling
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling  # what else traces brings tensors of its own types
_is_grad_enabled = torch.is_grad_enabled

_FUSED_DTYPES = _library.FUSED_DTYPES
_BFLOAT16, _FLOAT16 = torch.bfloat16, torch.float16
_plain_gated_linear = _library.plain_gated_linear
_linear = functional.linear

_warned = False


def _numbers_of(activation: str, alpha: float | None, limit: float | None, numerics: str, layout: str | None, one_matrix: bool) -> tuple:
    return (_words.layout_of(layout, one_matrix), *_words.activation_of(activation, alpha, limit), _words.numerics_of(numerics))


def _packed(layout: int, activation: int, alpha: float, limit: float, numerics: int) -> int | None:
    """The words of plain_gated_linear; None where the constants of the activation have to be named."""
    return layout | activation << 8 | numerics << 16 if alpha == 1.0 and limit == 0.0 else None


# (activation, alpha, limit, numerics, layout, one matrix) -> what _words_of made of them: found again, not worked out again.
_known_words: dict[tuple, tuple] = {}


def _words_of(activation: str, alpha: float | None, limit: float | None, numerics: str, layout: str | None, one_matrix: bool) -> tuple:
    """(the operator's numbers, the same packed or None, the operator that has them as its default or None)."""
    key = (activation, alpha, limit, numerics, layout, one_matrix)
    known = _known_words.get(key)
    if known is None:
        numbers = _numbers_of(*key)
        words = _packed(*numbers)
        known = _known_words[key] = (numbers, words, _library.usual_calls.get(words))
    return known


# The words that most calls have are compared by identity: a third of what the table takes.
_SILU, _ONE_ROUNDING = "silu", "fp32_through"
_USUAL = _words_of(_SILU, None, None, _ONE_ROUNDING, None, False)


def _warn_once(reason: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(f"tileglu computes unfused, in torch: {reason}. This is said once.", stacklevel=4)


def _tracked(*tensors: Tensor | None) -> bool:
    """Does someone ask for a derivative, backward or forward?"""
    if _is_grad_enabled():
        for t in tensors:
            if t is not None and t.requires_grad:
                return True
    return forward_ad._current_level >= 0


def _why_unfused(*tensors: Tensor | None) -> str:
    """Why no kernel can take these tensors; empty where one may."""
    x = tensors[0]
    if x.dtype not in _FUSED_DTYPES:
        return f"x is {x.dtype}, and kernels exist for bfloat16 and float16"
    if x.device.type not in _DEVICES:
        return f"x is on {x.device.type!r}, and kernels exist for 'cpu' and 'cuda'"
    for t in tensors:
        if t is not None and type(t) not in _PLAIN:
            return f"a {type(t).__name__} is more than plain memory"
    return ""


_REQUIRED = frozenset(("x", "w_gate"))


def _are_tensors(**arguments) -> None:
    for name, value in arguments.items():
        left_out = value is None and name not in _REQUIRED
        if not left_out and not isinstance(value, Tensor) and not hasattr(value, "__torch_function__"):
            raise TypeError(f"{name} is a {type(value).__name__}; allowed is a torch.Tensor")


def _split_bias(bias: Tensor | None, bias_gate: Tensor | None, bias_up: Tensor | None, layout: int) -> tuple[Tensor | None, Tensor | None]:
    if bias is None:
        return bias_gate, bias_up
    if bias_gate is not None or bias_up is not None:
        raise ValueError("bias is given beside bias_gate or bias_up; allowed is bias, or the two halves")
    if layout == _words.SEPARATE:
        raise ValueError("bias is given for separate weights; allowed are bias_gate and bias_up")
    if bias.dim() != 1 or bias.shape[0] % 2 != 0:
        raise RuntimeError(f"tileglu: bias has shape {list(bias.shape)}; allowed is [2N], in the layout of the weight")
    return _unfused.halves(bias, layout)


def gated_linear(
    x: Tensor,
    w_gate: Tensor,
    w_up: Tensor | None = None,
    *,
    bias_gate: Tensor | None = None,
    bias_up: Tensor | None = None,
    bias: Tensor | None = None,
    activation: str = "silu",
    alpha: float | None = None,
    limit: float | None = None,
    numerics: str = "fp32_through",
    layout: str | None = None,
    out: Tensor | None = None,
    kernel: str | None = None,
    prefetch_weights: bool = False,
) -> Tensor:
    """``act(x w_gate^T + bias_gate) * (x w_up^T + bias_up)`` in one kernel.

    Args:
        x: ``[..., K]``, bfloat16 or float16 (other dtypes are computed unfused).
        w_gate: ``[N, K]`` as ``nn.Linear.weight`` stores it; or, with ``layout``, one matrix ``[2N, K]`` and no ``w_up``.
        w_up: ``[N, K]``.
        bias_gate, bias_up: ``[N]``, both or none. ``bias``: ``[2N]`` in the layout of a stacked weight.
        activation: silu, gelu (erf), gelu_tanh, relu, sigmoid, identity, gpt_oss (``g sigmoid(alpha g) (u + 1)``, clamped at ``limit``).
        alpha: of gpt_oss; 1.702 where None.
        limit: clamps gate to ``(-inf, limit]`` and up to ``[-limit, limit]`` first; None: no clamp (gpt_oss: 7).
        numerics: fp32_through (one rounding, at the end), or match_unfused (rounds where separate kernels would).
        layout: separate (default with two matrices), gate_up, up_gate, interleaved (g0, u0, g1, u1, ...).
        out: ``[..., N]``, written in place and returned.
        kernel: a kernel by name, instead of the planner's choice; refused with a reason where it can't compute this.
        prefetch_weights: let the kernel read the weights before the work queued ahead of it has ended. Right in inference; wrong
            where the operation directly ahead on the stream writes the weights.

    Returns:
        ``[..., N]`` of x's dtype.

    Where a gradient is asked for, the unfused, differentiable path is taken. Shapes, dtypes and devices that don't fit raise
    RuntimeError, words that don't exist ValueError; the text names the argument, its value and what is allowed.
    """
    if not _is_dynamo_compiling():
        # The common call, in as little Python as it takes: a third of a microsecond. What doesn't fit here goes on below.
        if activation is _SILU and numerics is _ONE_ROUNDING and layout is alpha is limit is None and w_up is not None:
            numbers, words, usual_call = _USUAL
        else:
            numbers, words, usual_call = _words_of(activation, alpha, limit, numerics, layout, w_up is None)
        if (
            out is bias is None
            and type(x) is Tensor
            and ((dtype := x.dtype) is _BFLOAT16 or dtype is _FLOAT16)
            and type(w_gate) in _PLAIN
            and (w_up is None or type(w_up) in _PLAIN)
            and (bias_gate is bias_up is None or (type(bias_gate) in _PLAIN and type(bias_up) in _PLAIN))
            and (not _tracked(x, w_gate, w_up, bias_gate, bias_up) if _is_grad_enabled() else forward_ad._current_level < 0)
        ):
            try:
                if bias_gate is bias_up is kernel is None and words is not None:
                    if usual_call is not None and not prefetch_weights:
                        return usual_call(x, w_gate, w_gate if w_up is None else w_up)
                    return _plain_gated_linear(x, w_gate, w_gate if w_up is None else w_up, words | 1 << 24 if prefetch_weights else words)
                return _library.inference_gated_linear(x, w_gate, w_up, bias_gate, bias_up, *numbers, prefetch_weights, kernel or "")
            except NotImplementedError:  # a device without kernels; or the dispatcher's page of text about a sparse weight, or one on another device
                if x.device.type in _DEVICES:
                    check(x, w_gate, w_up, bias_gate, bias_up, numbers[0])
                    raise
    else:
        numbers = _numbers_of(activation, alpha, limit, numerics, layout, w_up is None)
    compiling = _is_compiling()
    if not compiling:
        _are_tensors(x=x, w_gate=w_gate, w_up=w_up, bias_gate=bias_gate, bias_up=bias_up, bias=bias, out=out)
    layout_code = numbers[0]
    if bias is not None:
        bias_gate, bias_up = _split_bias(bias, bias_gate, bias_up, layout_code)
    if out is None and x.device.type in _DEVICES and torch.is_autocast_enabled(x.device.type):
        x, w_gate, w_up, bias_gate, bias_up = _library.cast_like_linear(x.device.type, (x, w_gate, w_up, bias_gate, bias_up))
    args = (x, w_gate, w_up, bias_gate, bias_up, *numbers, prefetch_weights, kernel or "")

    tracked = _tracked(x, w_gate, w_up, bias_gate, bias_up)
    if out is not None:
        if tracked or _tracked(out):
            raise RuntimeError("tileglu: out= does not support automatic differentiation, but one of the arguments requires grad")
        if out.layout != torch.strided:  # the dispatcher has a page of text about it
            raise RuntimeError("tileglu: out is a sparse or opaque tensor; allowed are dense (strided) tensors")
    why_unfused = "" if tracked else _why_unfused(x, w_gate, w_up, bias_gate, bias_up)
    if tracked or why_unfused:
        if kernel is not None:
            raise RuntimeError(f"tileglu: kernel is {kernel!r}, but " + (why_unfused or "a gradient is asked for, and kernels have none"))
        check(x, w_gate, w_up, bias_gate, bias_up, layout_code)
        if why_unfused and not compiling and x.device.type != "meta":
            _warn_once(why_unfused)
        y = _unfused.gated_linear(*args)
        if out is None:
            return y
        _library.check_out(out, x, w_gate, layout_code)
        if not compiling:
            _library.check_memory(out)
        return out.copy_(y)
    if compiling:
        if out is None:
            return _library.gated_linear(*args)
        _library.gated_linear_out(out, *args)
        return out
    with torch._C._AutoDispatchBelowAutograd():  # no derivative is asked for
        if out is None:
            return _library.gated_linear(*args)
        _library.gated_linear_out(out, *args)
        return out


def _check_down(w_down: Tensor, y: Tensor) -> None:
    if w_down.dim() != 2 or w_down.shape[1] != y.shape[-1]:
        raise RuntimeError(f"tileglu: w_down has shape {list(w_down.shape)}; allowed is [D, {y.shape[-1]}]")
    if w_down.device != y.device:
        raise RuntimeError(f"tileglu: w_down and x are on different devices, {w_down.device} and {y.device}; allowed is one device for all tensors")


def _check_down_of_a_failed_call(w_down: Tensor, bias_down: Tensor | None, y: Tensor) -> None:
    """What F.linear refuses, and casts or broadcasts where it does not."""
    _check_down(w_down, y)
    for name, t in (("w_down", w_down), ("bias_down", bias_down)):
        if t is not None and t.dtype != y.dtype:
            raise RuntimeError(f"tileglu: {name} and x have different dtypes, {t.dtype} and {y.dtype}; allowed is one dtype for all tensors")
    if bias_down is not None and tuple(bias_down.shape) != (w_down.shape[0],):
        raise RuntimeError(f"tileglu: bias_down has shape {list(bias_down.shape)}; allowed is [{w_down.shape[0]}]")


def gated_mlp(
    x: Tensor,
    w_gate: Tensor,
    w_up: Tensor | None = None,
    w_down: Tensor | None = None,
    *,
    bias_gate: Tensor | None = None,
    bias_up: Tensor | None = None,
    bias: Tensor | None = None,
    bias_down: Tensor | None = None,
    activation: str = "silu",
    alpha: float | None = None,
    limit: float | None = None,
    numerics: str = "fp32_through",
    layout: str | None = None,
    kernel: str | None = None,
    prefetch_weights: bool = False,
) -> Tensor:
    """The whole MLP: ``gated_linear(x, w_gate, w_up) w_down^T + bias_down``.

    Args:
        w_down: ``[D, N]`` as ``nn.Linear.weight`` stores it; ``bias_down``: ``[D]``. The others are those of :func:`gated_linear`.

    Returns:
        ``[..., D]`` of x's dtype.
    """
    if w_down is None:
        raise ValueError("w_down is None; allowed is the down projection, [D, N]")
    if not isinstance(w_down, Tensor):
        _are_tensors(w_down=w_down)
    y = gated_linear(
        x,
        w_gate,
        w_up,
        bias_gate=bias_gate,
        bias_up=bias_up,
        bias=bias,
        activation=activation,
        alpha=alpha,
        limit=limit,
        numerics=numerics,
        layout=layout,
        kernel=kernel,
        prefetch_weights=prefetch_weights,
    )
    # F.linear checks the shapes itself; asking for them ahead of it costs every call a fifth of a microsecond. It takes a weight on meta beside
    # memory, and returns what nobody wrote.
    if w_down.dim() == 2 and not w_down.is_meta and not _is_dynamo_compiling():
        try:
            return _linear(y, w_down, bias_down)
        except (RuntimeError, TypeError):
            _are_tensors(bias_down=bias_down)
            _check_down_of_a_failed_call(w_down, bias_down, y)
            raise
    _check_down(w_down, y)
    return _linear(y, w_down, bias_down)


def explain(
    x: Tensor,
    w_gate: Tensor,
    w_up: Tensor | None = None,
    *,
    bias_gate: Tensor | None = None,
    bias_up: Tensor | None = None,
    bias: Tensor | None = None,
    activation: str = "silu",
    alpha: float | None = None,
    limit: float | None = None,
    numerics: str = "fp32_through",
    layout: str | None = None,
    kernel: str | None = None,
    prefetch_weights: bool = False,
) -> str:
    """What :func:`gated_linear` would do with these arguments and why: the path, every copy, the kernels considered and refused."""
    layout_code = _words.layout_of(layout, w_up is None)
    act = _words.activation_of(activation, alpha, limit)
    _are_tensors(x=x, w_gate=w_gate, w_up=w_up, bias_gate=bias_gate, bias_up=bias_up, bias=bias)
    if bias is not None:
        bias_gate, bias_up = _split_bias(bias, bias_gate, bias_up, layout_code)
    text = ""
    if x.device.type in _DEVICES and torch.is_autocast_enabled(x.device.type):
        text += f"autocast: tensors are cast to {torch.get_autocast_dtype(x.device.type)} on every call\n"
        x, w_gate, w_up, bias_gate, bias_up = _library.cast_like_linear(x.device.type, (x, w_gate, w_up, bias_gate, bias_up))
    if why := _why_unfused(x, w_gate, w_up, bias_gate, bias_up):
        check(x, w_gate, w_up, bias_gate, bias_up, layout_code)
        return text + f"unfused, in torch: {why}\n"
    if _tracked(x, w_gate, w_up, bias_gate, bias_up):
        text += "unfused, in torch: a gradient is asked for, and the fused kernels have none; under torch.no_grad() it would be:\n"
    with torch.no_grad():
        return text + _library.explain(
            x, w_gate, w_up, bias_gate, bias_up, layout_code, *act, _words.numerics_of(numerics), prefetch_weights, kernel or ""
        )

"""Gradients: asked for, they are right; never silently dropped."""

import pytest
import torch
from conftest import ACTIVATIONS, error, random_problem
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

import tileglu
from tileglu import _unfused, _words


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("layout", ["separate", "gate_up", "up_gate", "interleaved"])
def test_gradcheck(activation, layout):
    p = random_problem((3,), n=4, k=5, dtype=torch.float64, bias=True)
    weights = (p.w_gate, p.w_up) if layout == "separate" else (tileglu.pack(p.w_gate, p.w_up, layout),)
    inputs = [t.requires_grad_() for t in (p.x, *weights, p.bias_gate, p.bias_up)]

    def call(x, *rest):
        *w, bias_gate, bias_up = rest
        limit = None if activation == "gpt_oss" else 1.5
        return tileglu.gated_linear(x, *w, bias_gate=bias_gate, bias_up=bias_up, activation=activation, layout=layout, limit=limit)

    assert torch.autograd.gradcheck(call, inputs)


def test_second_derivatives():
    p = random_problem((3,), n=4, k=5, dtype=torch.float64)
    assert torch.autograd.gradgradcheck(tileglu.gated_linear, [t.requires_grad_() for t in p.tensors()])


@pytest.mark.parametrize("limit", [0.0, 1.0])
@pytest.mark.parametrize("activation", range(7))
def test_the_gradient_in_closed_form(activation, limit):
    gate, up, grad = (torch.randn(50, dtype=torch.float64) for _ in range(3))
    gate.requires_grad_(), up.requires_grad_()
    alpha = 1.702 if activation == _words.GPT_OSS else 1.0
    expected = torch.autograd.grad(_unfused.activate(gate, up, activation, alpha, limit), (gate, up), grad)
    for mine, theirs in zip(_unfused.activate_backward(grad, gate, up, activation, alpha, limit), expected):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("layout", ["separate", "gate_up", "up_gate", "interleaved"])
@pytest.mark.parametrize("bias", [False, True])
def test_the_operator_itself(device, bias, layout):
    """torch.ops.tileglu.gated_linear, called by hand on tensors that require grad: fused forward, gradients in closed form."""
    p = random_problem((2, 5), device=device, bias=bias)
    weights = [p.w_gate, p.w_up] if layout == "separate" else [tileglu.pack(p.w_gate, p.w_up, layout), None]
    inputs = [p.x, *weights, p.bias_gate, p.bias_up]
    code = _words.LAYOUTS[layout]
    asked = [t.requires_grad_() for t in inputs if t is not None]
    y = torch.ops.tileglu.gated_linear(*inputs, code)
    assert y.requires_grad
    grad = torch.randn_like(y)
    got = torch.autograd.grad(y, asked, grad)
    wide = [None if t is None else t.detach().double().requires_grad_() for t in inputs]
    expected = torch.autograd.grad(_unfused.gated_linear(*wide, code), [t for t in wide if t is not None], grad.double())
    for mine, theirs in zip(got, expected):
        assert mine.dtype == torch.bfloat16 and error(mine, theirs) < 0.02  # bf16 products of bf16 intermediates


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("which", range(3))
def test_any_one_input_is_enough(device, which, dtype):
    p = random_problem(dtype=dtype, device=device)
    p.tensors()[which].requires_grad_()
    y = tileglu.gated_linear(*p.tensors())
    assert y.requires_grad
    y.sum().backward()
    assert p.tensors()[which].grad.abs().sum() > 0


def test_out_is_refused(device):
    p = random_problem(device=device)
    p.w_up.requires_grad_()
    out = torch.empty(33, 48, dtype=torch.bfloat16, device=device)
    with pytest.raises(RuntimeError, match="out= does not support automatic differentiation"):
        tileglu.gated_linear(*p.tensors(), out=out)
    with pytest.raises(RuntimeError, match="out= does not support automatic differentiation"):
        torch.ops.tileglu.gated_linear_out(out, *p.tensors())
    with torch.no_grad():
        torch.ops.tileglu.gated_linear_out(out, *p.tensors())


def test_a_named_kernel_has_no_gradient(device):
    p = random_problem(device=device)
    p.x.requires_grad_()
    with pytest.raises(RuntimeError, match="kernel is 'oracle', but a gradient is asked for"):
        tileglu.gated_linear(*p.tensors(), kernel="oracle")


def test_forward_mode(device):
    p = random_problem((3,), dtype=torch.bfloat16, device=device)
    tangent = torch.randn_like(p.x)
    with forward_ad.dual_level():
        y = tileglu.gated_linear(forward_ad.make_dual(p.x, tangent), p.w_gate, p.w_up)
        slope = forward_ad.unpack_dual(y).tangent
    _, expected = torch.func.jvp(lambda x: _unfused.gated_linear(x, p.w_gate.double(), p.w_up.double()), (p.x.double(),), (tangent.double(),))
    assert slope is not None and error(slope, expected) < 0.02


def test_functional_grad(device):
    p = random_problem((3,), dtype=torch.bfloat16, device=device)
    got = torch.func.grad(lambda x: tileglu.gated_linear(x, p.w_gate, p.w_up).float().sum())(p.x)
    expected = torch.func.grad(lambda x: _unfused.gated_linear(x, p.w_gate.double(), p.w_up.double()).sum())(p.x.double())
    assert error(got, expected) < 0.02


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("autocast", [False, True])
def test_checkpointing(device, autocast, reentrant):
    p = random_problem(dtype=torch.float32, device=device)
    for t in p.tensors():
        t.requires_grad_()

    def grads(call):
        with torch.autocast(device, dtype=torch.bfloat16, enabled=autocast):
            y = call(*p.tensors())
        return torch.autograd.grad(y, p.tensors(), torch.ones_like(y)) if not reentrant else _grads_by_backward(y, p)

    plain = grads(tileglu.gated_linear)
    kept = grads(lambda *a: checkpoint(tileglu.gated_linear, *a, use_reentrant=reentrant))
    for a, b in zip(plain, kept):
        assert torch.equal(a, b)


def _grads_by_backward(y, p):
    for t in p.tensors():
        t.grad = None
    y.backward(torch.ones_like(y))
    return [t.grad.clone() for t in p.tensors()]


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_gradients(dynamic):
    p = random_problem(dtype=torch.float32)
    tensors = [t.requires_grad_() for t in p.tensors()]
    compiled = torch.compile(tileglu.gated_linear, fullgraph=True, dynamic=dynamic)
    got = torch.autograd.grad(compiled(*tensors).sum(), tensors)
    expected = torch.autograd.grad(tileglu.gated_linear(*tensors).sum(), tensors)
    for a, b in zip(got, expected):
        torch.testing.assert_close(a, b)

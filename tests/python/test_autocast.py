"""Under autocast a gated product casts as nn.Linear does."""

import pytest
import torch
from conftest import assert_close, random_problem, reference
from torch.nn import functional

import tileglu


@pytest.mark.parametrize("to", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_casts_like_linear(device, dtype, to):
    p = random_problem(dtype=dtype, device=device, bias=True)
    with torch.no_grad(), torch.autocast(device, dtype=to):
        linear = functional.linear(p.x, p.w_gate, p.bias_gate)
        y = tileglu.gated_linear(p.x, p.w_gate, p.w_up, bias_gate=p.bias_gate, bias_up=p.bias_up)
        by_op = torch.ops.tileglu.gated_linear(p.x, p.w_gate, p.w_up, p.bias_gate, p.bias_up)
    assert y.dtype == by_op.dtype == linear.dtype
    if y.dtype != torch.float64:
        for name in ("x", "w_gate", "w_up", "bias_gate", "bias_up"):
            setattr(p, name, getattr(p, name).to(to))
        assert_close(y, reference(p))
        assert torch.equal(y, by_op)


def test_mixed_dtypes_meet_in_the_middle(device):
    """Norms give float32, weights are 16-bit: the usual mixture of a mixed-precision model."""
    p = random_problem(dtype=torch.float32, device=device)
    p.w_gate, p.w_up = p.w_gate.bfloat16(), p.w_up.bfloat16()
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16):
        y = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
    p.x = p.x.bfloat16()
    assert_close(y, reference(p))
    with pytest.raises(RuntimeError, match="different dtypes"):
        tileglu.gated_linear(p.x.float(), p.w_gate, p.w_up)


def test_gradients_flow_to_the_wide_weights(device):
    p = random_problem(dtype=torch.float32, device=device)
    for t in p.tensors():
        t.requires_grad_()
    with torch.autocast(device, dtype=torch.bfloat16):
        y = tileglu.gated_linear(*p.tensors())
    assert y.dtype == torch.bfloat16
    y.float().sum().backward()
    assert all(t.grad is not None and t.grad.dtype == torch.float32 for t in p.tensors())


def test_switched_off_inside(device):
    p = random_problem(device=device)
    with torch.no_grad(), torch.autocast(device, dtype=torch.float16), torch.autocast(device, enabled=False):
        y = tileglu.gated_linear(*p.tensors())
    assert y.dtype == torch.bfloat16


@pytest.mark.parametrize("layout", ["separate", "up_gate"])
@pytest.mark.parametrize("activation", ["silu", "gelu_tanh"])
def test_the_common_call(device, activation, layout):
    """16-bit tensors without a bias reach the operator with few arguments; what autocast makes of it is the same."""
    p = random_problem(device=device)
    w = (p.w_gate, p.w_up) if layout == "separate" else (tileglu.pack(p.w_gate, p.w_up, layout),)
    with torch.no_grad(), torch.autocast(device, dtype=torch.float16):
        y = tileglu.gated_linear(p.x, *w, layout=layout, activation=activation)
        whole = tileglu.gated_mlp(p.x, *w, w_down=p.w_gate.t().contiguous(), layout=layout, activation=activation)
    assert y.dtype == whole.dtype == torch.float16
    p.x, p.w_gate, p.w_up = p.x.half(), p.w_gate.half(), p.w_up.half()
    assert_close(y, reference(p, activation))

"""gated_linear gives the right answer: every activation, layout, dtype, shape and stride."""

import math
import warnings

import pytest
import torch
from conftest import ACTIVATIONS, assert_close, error, random_problem, reference

import tileglu
from tileglu import _library

FUSED = [torch.bfloat16, torch.float16]


@pytest.mark.parametrize("dtype", FUSED)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations(device, activation, bias, dtype):
    p = random_problem(dtype=dtype, device=device, bias=bias)
    y = tileglu.gated_linear(p.x, p.w_gate, p.w_up, bias_gate=p.bias_gate, bias_up=p.bias_up, activation=activation)
    assert y.dtype == dtype and y.device == p.x.device
    assert_close(y, reference(p, activation))


@pytest.mark.parametrize("numerics", ["fp32_through", "match_unfused"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("layout", ["gate_up", "up_gate", "interleaved"])
def test_layouts(device, layout, bias, numerics):
    p = random_problem(device=device, bias=bias)
    w = tileglu.pack(p.w_gate, p.w_up, layout)
    one_bias = tileglu.pack(p.bias_gate, p.bias_up, layout) if bias else None
    y = tileglu.gated_linear(p.x, w, layout=layout, bias=one_bias, numerics=numerics)
    assert_close(y, reference(p), numerics)
    gate_first = tileglu.pack(p.w_gate, p.w_up, "up_gate" if layout != "up_gate" else "gate_up")
    assert error(tileglu.gated_linear(p.x, gate_first, layout=layout, bias=one_bias), reference(p)) > 0.1  # a mix-up shows


@pytest.mark.parametrize("limit", [0.5, 2.0, None, math.inf])
@pytest.mark.parametrize("activation", ["silu", "gelu_tanh", "gpt_oss"])
def test_limits(device, activation, limit):
    p = random_problem(device=device)
    p.x.mul_(8)  # pre-activations of +-8: every clamp is met
    assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up, activation=activation, limit=limit), reference(p, activation, limit))


def test_gpt_oss_alpha(device):
    p = random_problem(device=device)
    y = tileglu.gated_linear(p.x, p.w_gate, p.w_up, activation="gpt_oss", alpha=1.0, limit=math.inf)
    gate, up = p.x.double() @ p.w_gate.double().T, p.x.double() @ p.w_up.double().T
    assert_close(y, gate * torch.sigmoid(gate) * (up + 1))


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8, 17, 64, 130])
def test_rows(device, m):
    p = random_problem((m,), n=104, k=136, device=device)
    assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up), reference(p))


@pytest.mark.parametrize("n,k", [(1, 8), (7, 64), (48, 1), (13, 17), (96, 100), (8, 8)])
def test_odd_shapes(device, n, k):
    p = random_problem((9,), n=n, k=k, device=device)
    assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up), reference(p))


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (2, 1, 3), (1, 1, 1, 5)])
def test_batches(device, shape):
    p = random_problem(shape, device=device)
    y = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
    assert y.shape == (*shape, 48)
    assert_close(y, reference(p))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 5)])
def test_empty_batches(device, shape):
    p = random_problem(shape, device=device)
    y = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
    assert y.shape == (*shape, 48) and y.dtype == p.x.dtype


def test_empty_columns(device):
    p = random_problem(n=0, device=device)
    assert tileglu.gated_linear(p.x, p.w_gate, p.w_up).shape == (33, 0)


def test_k_zero(device):
    p = random_problem(k=8, device=device, bias=True)
    p.x, p.w_gate, p.w_up = p.x[:, :0], p.w_gate[:, :0], p.w_up[:, :0]
    y = tileglu.gated_linear(p.x, p.w_gate, p.w_up, bias_gate=p.bias_gate, bias_up=p.bias_up)
    assert_close(y, reference(p))


STRIDES = {
    "columns of a wider matrix": lambda x: torch.cat((x, x), -1)[..., : x.shape[-1]],
    "misaligned columns": lambda x: torch.cat((x[..., :1], x), -1)[..., 1:],
    "every other row": lambda x: x.repeat_interleave(2, -2)[..., ::2, :],
    "transposed": lambda x: x.mT.contiguous().mT,
    "permuted batch": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
    "reversed twice": lambda x: x.flip(0).flip(0),
}


@pytest.mark.parametrize("kind", STRIDES)
def test_strided_x(device, kind):
    p = random_problem((4, 6), device=device)
    view = STRIDES[kind](p.x)
    assert torch.equal(view, p.x)
    assert_close(tileglu.gated_linear(view, p.w_gate, p.w_up), reference(p))


def test_expanded_x(device):
    p = random_problem((1,), device=device)
    p.x = p.x.expand(5, 64)
    assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up), reference(p))


@pytest.mark.parametrize("kind", ["columns of a wider matrix", "misaligned columns", "every other row", "transposed"])
@pytest.mark.parametrize("which", ["gate", "up", "both"])
def test_strided_weights(device, kind, which):
    p = random_problem(device=device)
    gate = STRIDES[kind](p.w_gate) if which != "up" else p.w_gate
    up = STRIDES[kind](p.w_up) if which != "gate" else p.w_up
    assert_close(tileglu.gated_linear(p.x, gate, up), reference(p))


def test_strided_bias(device):
    p = random_problem(device=device, bias=True)
    gate, up = torch.stack((p.bias_gate, p.bias_up), 1).unbind(1)
    assert not gate.is_contiguous()
    assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up, bias_gate=gate, bias_up=up), reference(p))


def test_inplace_weight_updates_are_seen(device):
    p = random_problem(device=device)
    for _ in range(3):
        assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up), reference(p))
        p.w_gate.mul_(-0.5)
        p.w_up.copy_(torch.randn_like(p.w_up) / 8)


def test_weights_freed_after_the_call(device):
    p = random_problem(device=device)
    exact = reference(p)
    y = tileglu.gated_linear(p.x.clone(), p.w_gate.clone(), p.w_up.clone())
    overwritten = [torch.full_like(p.w_gate, float("nan")) for _ in range(8)]
    assert_close(y, exact)
    assert all(t.isnan().all() for t in overwritten)


def test_outputs_are_fresh(device):
    p = random_problem(device=device)
    first = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
    kept = first.clone()
    second = tileglu.gated_linear(p.x * 2, p.w_gate, p.w_up)
    second.add_(1)
    assert torch.equal(first, kept)


OUTS = {
    "dense": lambda y: torch.full_like(y, float("nan")),
    "columns of a wider matrix": lambda y: y.new_full((*y.shape[:-1], 2 * y.shape[-1]), float("nan"))[..., : y.shape[-1]],
    "misaligned columns": lambda y: y.new_full((*y.shape[:-1], y.shape[-1] + 1), float("nan"))[..., 1:],
    "transposed": lambda y: torch.full_like(y.mT.contiguous(), float("nan")).mT,
    "permuted batch": lambda y: torch.full_like(y.transpose(0, 1).contiguous(), float("nan")).transpose(0, 1),
}


@pytest.mark.parametrize("dtype", [*FUSED, torch.float32])
@pytest.mark.parametrize("kind", OUTS)
def test_out(device, kind, dtype):
    p = random_problem((4, 6), dtype=dtype, device=device)
    out = OUTS[kind](torch.empty(4, 6, 48, dtype=dtype, device=device))
    version = out._version
    y = tileglu.gated_linear(p.x, p.w_gate, p.w_up, out=out)
    assert y is out and out._version > version
    exact = reference(p)
    if dtype == torch.float32:
        assert error(out, exact) < 1e-6
    else:
        assert_close(out, exact)


def test_out_may_not_overlap_an_input(device):
    p = random_problem(n=64, k=64, device=device)
    with pytest.raises(RuntimeError, match="out at 0x.* overlaps x"):
        tileglu.gated_linear(p.x, p.w_gate, p.w_up, out=p.x)


@pytest.mark.parametrize("dtype,allowed", [(torch.float32, 1e-6), (torch.float64, 1e-14)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_wide_dtypes_run_unfused_with_one_warning(device, activation, dtype, allowed):
    p = random_problem(dtype=dtype, device=device)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            y = tileglu.gated_linear(p.x, p.w_gate, p.w_up, activation=activation)
    assert y.dtype == dtype and error(y, reference(p, activation)) <= allowed
    assert [str(w.message) for w in said if "tileglu" in str(w.message)] == [
        f"tileglu computes unfused, in torch: x is {dtype}, and kernels exist for bfloat16 and float16. This is said once."
    ]


def test_plain_calls_do_not_warn(device):
    p = random_problem(device=device)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tileglu.gated_linear(p.x, p.w_gate, p.w_up)


def test_a_problem_without_a_kernel_runs_unfused_in_the_operator():
    """The operator's own fallback, which compiled graphs rely on: through the dispatcher into Python."""
    p = random_problem(bias=True)
    y = torch.ops.tileglu.unfused_gated_linear(p.x, p.w_gate, p.w_up, p.bias_gate, p.bias_up)
    assert_close(y, reference(p), "match_unfused")


def test_named_kernels(device):
    p = random_problem(device=device)
    if device == "cpu":
        assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up, kernel="oracle"), reference(p))
    with pytest.raises(RuntimeError, match="kernel"):
        tileglu.gated_linear(p.x, p.w_gate, p.w_up, kernel="no_such_kernel")
    with pytest.raises(RuntimeError, match="kernel is 'oracle', but x is torch.float32"):
        tileglu.gated_linear(p.x.float(), p.w_gate.float(), p.w_up.float(), kernel="oracle")


def test_threads(device):
    """Plans are shared between threads; many of them at once, with problems that come and go."""
    import concurrent.futures

    problems = [random_problem((m,), device=device) for m in range(1, 25)]
    exact = [reference(p) for p in problems]

    def work(start: int) -> None:
        with torch.no_grad():
            for i in range(48):
                at = (start * 7 + i) % len(problems)
                assert_close(tileglu.gated_linear(*problems[at].tensors()), exact[at])

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_more_problems_than_plans_are_kept():
    p = random_problem((1,), n=8, k=8)
    big = p.x.expand(4200, 8).contiguous()
    exact = reference(p)
    for m in range(4200, 0, -1):
        y = _library.gated_linear(big[:m], p.w_gate, p.w_up)
        if m % 500 == 0 or m == 1:
            assert_close(y, exact.expand(m, 8))

"""A real torch operator: opcheck, no Python in the binary, vmap, fake tensors, inference mode."""

import pathlib
import re
import subprocess

import pytest
import torch
from conftest import assert_close, random_problem, reference
from torch.library import opcheck

import tileglu

OP = torch.ops.tileglu.gated_linear.default
OUT = torch.ops.tileglu.gated_linear_out.default


def numbers(layout=0, activation=0, limit=0.0, kernel=""):
    return (layout, activation, 1.0, limit, 0, False, kernel)


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(33,), (2, 3)])
def test_opcheck(device, shape, bias, requires_grad):
    p = random_problem(shape, device=device, bias=bias)
    for t in p.tensors():
        t.requires_grad_(requires_grad)
    opcheck(OP, (p.x, p.w_gate, p.w_up, p.bias_gate, p.bias_up, *numbers()))


@pytest.mark.parametrize("layout", [1, 2, 3])
def test_opcheck_layouts(device, layout):
    p = random_problem(device=device)
    w = tileglu.pack(p.w_gate, p.w_up, ["", "gate_up", "up_gate", "interleaved"][layout]).requires_grad_()
    opcheck(OP, (p.x, w, None, None, None, *numbers(layout, activation=1, limit=2.0)))


def test_opcheck_out(device):
    p = random_problem((2, 3), device=device)
    opcheck(OUT, (p.x.new_empty(2, 3, 48), p.x, p.w_gate, p.w_up, None, None, *numbers()))


def test_opcheck_inference(device):
    p = random_problem(device=device)
    opcheck(torch.ops.tileglu.inference_gated_linear.default, (p.x, p.w_gate, p.w_up, None, None, *numbers()))
    opcheck(torch.ops.tileglu.plain_gated_linear.default, (p.x, p.w_gate, p.w_up, 1 << 8))
    opcheck(torch.ops.tileglu.plain_silu.default, (p.x, p.w_gate, p.w_up))


def test_the_usual_calls_compute_what_their_names_say(device):
    """Their words are defaults of their schemas; the functions take them where the words fit, and the general operator for all others."""
    p = random_problem(device=device)
    stacked = tileglu.pack(p.w_gate, p.w_up, "gate_up")
    ops = torch.ops.tileglu
    for activation in ("silu", "gelu_tanh"):
        exact = reference(p, activation)
        assert_close(getattr(ops, f"plain_{activation}")(p.x, p.w_gate, p.w_up), exact)
        assert_close(getattr(ops, f"plain_{activation}_gate_up")(p.x, stacked, stacked), exact)


def test_the_binary_knows_no_python():
    binary = pathlib.Path(tileglu.__file__).with_name("_tileglu_torch.so")
    names = subprocess.run(["nm", "-D", str(binary)], check=True, capture_output=True, text=True).stdout
    assert "torch_library_impl" in names  # the list is what it should be
    assert not re.search(r"\b_?Py[A-Z_]", names) and "pybind" not in names
    assert "c10" not in names and "at6Tensor" not in names  # nor torch's C++ ABI
    needed = subprocess.run(["readelf", "-d", str(binary)], check=True, capture_output=True, text=True).stdout
    assert "libpython" not in needed and "libtorch_python" not in needed and "libtorch_cuda" not in needed
    assert not re.search(r"RPATH|RUNPATH", needed)


def test_vmap_is_refused_in_words(device):
    p = random_problem((4, 3), device=device)
    with pytest.raises(RuntimeError, match="no rule for vmap; put the batch into x's leading dimensions"):
        torch.vmap(lambda x: tileglu.gated_linear(x, p.w_gate, p.w_up))(p.x)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_grad_modes(device, mode):
    p = random_problem(device=device)
    with mode():
        y = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
    assert not y.requires_grad and y.is_inference() == (mode is torch.inference_mode)
    assert_close(y, reference(p))


def test_inference_tensors(device):
    with torch.inference_mode():
        p = random_problem(device=device)
        assert_close(tileglu.gated_linear(p.x, p.w_gate, p.w_up), reference(p))


def test_parameters_without_grad_mode(device):
    p = random_problem(device=device)
    p.w_gate, p.w_up = torch.nn.Parameter(p.w_gate), torch.nn.Parameter(p.w_up)
    with torch.no_grad():
        y = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
        assert_close(y, reference(p))


def test_tensor_subclasses_keep_their_meaning(device):
    class Doubled(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            plain = [2 * a.as_subclass(torch.Tensor) if isinstance(a, Doubled) else a for a in args]
            return func(*plain, **(kwargs or {})) if func is torch.nn.functional.linear else super().__torch_function__(func, types, args, kwargs)

    p = random_problem(device=device)
    with pytest.warns(UserWarning, match="a Doubled is more than plain memory"):
        y = tileglu.gated_linear(p.x, p.w_gate, p.w_up.as_subclass(Doubled))
    p.w_up = 2 * p.w_up
    assert_close(y, reference(p), "match_unfused")


def test_a_device_without_kernels_takes_the_unfused_path(monkeypatch):
    """The operator is asked first and the device second: what the dispatcher refuses runs unfused."""
    from tileglu import _functional

    def refuse(*args):
        raise NotImplementedError("no kernel for this backend")

    monkeypatch.setattr(_functional, "_USUAL", (*_functional._USUAL[:2], refuse))
    monkeypatch.setattr(_functional, "_DEVICES", frozenset(("cuda",)))
    p = random_problem()
    with pytest.warns(UserWarning, match="x is on 'cpu', and kernels exist for"):
        y = tileglu.gated_linear(p.x, p.w_gate, p.w_up)
    assert_close(y, reference(p), "match_unfused")

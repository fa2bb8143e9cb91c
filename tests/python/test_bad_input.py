"""Wrong calls are refused in words that name the argument; the operator, its fake function and the unfused path say the same."""

import pytest
import torch
from conftest import random_problem
from torch._subclasses.fake_tensor import FakeTensorMode

import tileglu

X, W = (5, 64), (48, 64)


def t(*size, dtype=torch.bfloat16, device="cpu"):
    return torch.zeros(size, dtype=dtype, device=device)


# name -> (positional arguments, keyword arguments, what the text has to say)
WRONG = {
    "k differs": lambda d: (
        (t(*X, dtype=d), t(48, 32, dtype=d), t(48, 32, dtype=d)),
        {},
        r"w has shape \[48, 32\]; allowed is \[N, 64\], for x has shape \[5, 64\]",
    ),
    "n differs": lambda d: ((t(*X, dtype=d), t(*W, dtype=d), t(40, 64, dtype=d)), {}, r"w_up has shape \[40, 64\]; allowed is w's, \[48, 64\]"),
    "w is a vector": lambda d: ((t(*X, dtype=d), t(64, dtype=d), t(64, dtype=d)), {}, r"w has shape \[64\]"),
    "x is a scalar": lambda d: ((t(dtype=d), t(*W, dtype=d), t(*W, dtype=d)), {}, "x has no dimensions"),
    "odd rows": lambda d: ((t(*X, dtype=d), t(49, 64, dtype=d)), {"layout": "gate_up"}, "w has 49 rows; allowed is an even number"),
    "bias of the wrong length": lambda d: (
        (t(*X, dtype=d), t(*W, dtype=d), t(*W, dtype=d)),
        {"bias_gate": t(47, dtype=d), "bias_up": t(48, dtype=d)},
        r"bias_gate has shape \[47\]; allowed is \[48\]",
    ),
    "half a bias": lambda d: ((t(*X, dtype=d), t(*W, dtype=d), t(*W, dtype=d)), {"bias_up": t(48, dtype=d)}, "bias_gate is missing"),
    "a wider weight": lambda d: ((t(*X, dtype=d), t(*W, dtype=torch.float64), t(*W, dtype=d)), {}, "w and x have different dtypes, torch.float64 and torch"),
    "a wider up": lambda d: ((t(*X, dtype=d), t(*W, dtype=d), t(*W, dtype=torch.float64)), {}, "w_up and x have different dtypes, torch.float64 and torch"),
    "a wider bias": lambda d: (
        (t(*X, dtype=d), t(*W, dtype=d), t(*W, dtype=d)),
        {"bias_gate": t(48, dtype=torch.float64), "bias_up": t(48, dtype=d)},
        "bias_gate and x have different dtypes",
    ),
    "a sparse weight": lambda d: ((t(*X, dtype=d), t(*W, dtype=d).to_sparse(), t(*W, dtype=d)), {}, "w is a sparse or opaque tensor"),
    "another device": lambda d: ((t(*X, dtype=d), t(*W, dtype=d, device="meta"), t(*W, dtype=d)), {}, "w and x are on different devices, meta and cpu"),
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("kind", WRONG)
def test_tensors_that_do_not_fit(kind, dtype):
    args, options, text = WRONG[kind](dtype)
    with pytest.raises(RuntimeError, match=text):
        tileglu.gated_linear(*args, **options)


@pytest.mark.parametrize("kind", [k for k in WRONG if k not in ("a sparse weight", "another device")])
def test_the_fake_function_refuses_the_same(kind):
    args, options, text = WRONG[kind](torch.bfloat16)
    with FakeTensorMode() as mode:
        fake = [mode.from_tensor(a) for a in args]
        fake_options = {k: mode.from_tensor(v) if isinstance(v, torch.Tensor) else v for k, v in options.items()}
        with pytest.raises(RuntimeError, match=text):
            tileglu.gated_linear(*fake, **fake_options)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.int32, torch.bool])
def test_dtypes_without_an_answer(dtype):
    with pytest.raises(RuntimeError, match=f"x is {dtype}; allowed are real floating-point tensors"):
        tileglu.gated_linear(t(*X, dtype=dtype), t(*W, dtype=dtype), t(*W, dtype=dtype))


def test_the_operator_itself_refuses_wide_dtypes():
    with pytest.raises(RuntimeError, match="x has a dtype that no kernel computes"):
        torch.ops.tileglu.gated_linear(t(*X, dtype=torch.float32), t(*W, dtype=torch.float32), t(*W, dtype=torch.float32))


@pytest.mark.parametrize(
    "options,text",
    [
        ({"activation": "swiglu"}, "activation is 'swiglu'; allowed are 'silu'"),
        ({"layout": "gate_up"}, "layout is 'gate_up' and w_up is given"),
        ({"layout": "stacked"}, "layout is 'stacked'; allowed are 'separate'"),
        ({"numerics": "fast"}, "numerics is 'fast'; allowed are 'fp32_through', 'match_unfused'"),
        ({"limit": -1.0}, "limit is -1.0; allowed are numbers above 0"),
        ({"limit": 0.0}, "limit is 0.0; allowed are numbers above 0"),
        ({"limit": float("nan")}, "limit is nan; allowed are numbers above 0"),
        ({"alpha": 2.0}, "alpha is 2.0; allowed is None"),
        ({"bias": t(96)}, "bias is given for separate weights"),
    ],
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_words_that_do_not_exist(options, text, dtype):
    with pytest.raises(ValueError, match=text):
        tileglu.gated_linear(t(*X, dtype=dtype), t(*W, dtype=dtype), t(*W, dtype=dtype), **options)


def test_one_matrix_needs_its_layout_named():
    with pytest.raises(ValueError, match="one matrix needs layout="):
        tileglu.gated_linear(t(*X), t(96, 64))


def test_codes_out_of_range():
    for at, word in ((5, "layout"), (6, "activation"), (9, "numerics")):
        args = [t(*X), t(*W), t(*W), None, None, 0, 0, 1.0, 0.0, 0]
        args[at] = 99
        with pytest.raises(RuntimeError, match=f"{word} is 99; allowed are 0 to"):
            torch.ops.tileglu.gated_linear(*args)


def test_floating_point_types_too_narrow_for_torch():
    narrow = torch.float8_e4m3fn
    with pytest.raises(RuntimeError, match="x is torch.float8_e4m3fn; allowed are floating-point tensors of 16 bits or more"):
        tileglu.gated_linear(t(*X).to(narrow), t(*W).to(narrow), t(*W).to(narrow))


def test_a_nested_tensor():
    with pytest.raises(RuntimeError, match="x is a nested tensor; allowed are dense"):
        tileglu.gated_linear(torch.nested.nested_tensor([t(3, 64), t(5, 64)]), t(*W), t(*W))


@pytest.mark.parametrize("wrong,kind", [("7", "str"), (torch.tensor(7.0), "Tensor")])
@pytest.mark.parametrize("argument", ["alpha", "limit"])
def test_constants_that_are_no_numbers(argument, wrong, kind):
    with pytest.raises(TypeError, match=f"{argument} is a {kind}; allowed is a number or None"):
        tileglu.gated_linear(t(*X), t(*W), t(*W), activation="gpt_oss", **{argument: wrong})


@pytest.mark.parametrize(
    "wrong,text",
    [
        (t(5, 47), r"out has shape \[5, 47\]; allowed is \[5, 48\]"),
        (t(5, 48, dtype=torch.float16), "out has another dtype or device than x, torch.float16 on cpu; allowed are x's, torch.bfloat16 on cpu"),
        (t(48), r"out has shape \[48\]; allowed is"),
    ],
)
def test_wrong_out(wrong, text):
    p = random_problem((5,))
    with pytest.raises(RuntimeError, match=text):
        tileglu.gated_linear(p.x, p.w_gate, p.w_up, out=wrong)
    if wrong.dtype == torch.bfloat16:
        with pytest.raises(RuntimeError, match=text):
            tileglu.gated_linear(p.x.float(), p.w_gate.float(), p.w_up.float(), out=wrong.float())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_out_that_cannot_hold_the_result(dtype):
    x, w = t(*X, dtype=dtype), t(*W, dtype=dtype)
    one_row, overlapping = t(1, 48, dtype=dtype).expand(5, 48), torch.as_strided(t(400, dtype=dtype), (5, 48), (3, 1))
    for out, text in ((one_row, r"strides are \[0, 1\] for shape \[5, 48\]"), (overlapping, r"strides are \[3, 1\] for shape \[5, 48\]")):
        with pytest.raises(RuntimeError, match="out's elements share memory, its " + text):
            tileglu.gated_linear(x, w, w, out=out)
    with pytest.raises(RuntimeError, match="out is a sparse or opaque tensor"):
        tileglu.gated_linear(x, w, w, out=t(5, 48, dtype=dtype).to_sparse())
    with pytest.raises(RuntimeError, match="does not support automatic differentiation"):
        tileglu.gated_linear(x, w, w, out=t(5, 48, dtype=dtype).requires_grad_())
    for apart in (t(48, 5, dtype=dtype).T, t(5, 96, dtype=dtype)[:, ::2], t(10, 48, dtype=dtype)[::2]):
        tileglu.gated_linear(x, w, w, out=apart)


def test_out_that_is_an_input():
    square = t(48, 48)
    with pytest.raises(RuntimeError, match="out at 0x.* overlaps x at 0x"):
        tileglu.gated_linear(square, t(48, 48), t(48, 48), out=square)


def test_meta_tensors_have_shapes_and_no_memory():
    y = tileglu.gated_linear(t(2, *X, device="meta"), t(*W, device="meta"), t(*W, device="meta"))
    assert y.device.type == "meta" and y.shape == (2, 5, 48) and y.dtype == torch.bfloat16
    with pytest.raises(RuntimeError, match="w_up has shape"):
        tileglu.gated_linear(t(*X, device="meta"), t(*W, device="meta"), t(40, 64, device="meta"))


def test_down_projection_that_does_not_fit():
    with pytest.raises(RuntimeError, match=r"w_down has shape \[64, 47\]; allowed is \[D, 48\]"):
        tileglu.gated_mlp(t(*X), t(*W), t(*W), t(64, 47))
    with pytest.raises(RuntimeError, match="w_down and x are on different devices, meta and cpu"):
        tileglu.gated_mlp(t(*X), t(*W), t(*W), t(64, 48, device="meta"))
    with pytest.raises(RuntimeError, match="w_down and x have different dtypes, torch.float16 and torch.bfloat16"):
        tileglu.gated_mlp(t(*X), t(*W), t(*W), t(64, 48, dtype=torch.float16))
    with pytest.raises(RuntimeError, match=r"bias_down has shape \[63\]; allowed is \[64\]"):
        tileglu.gated_mlp(t(*X), t(*W), t(*W), t(64, 48), bias_down=t(63))
    with pytest.raises(ValueError, match="w_down is None"):
        tileglu.gated_mlp(t(*X), t(*W), t(*W))


@pytest.mark.parametrize("argument", ["x", "w_gate", "w_up", "bias_gate", "bias", "out"])
def test_what_is_no_tensor(argument):
    p = random_problem()
    given = {"x": p.x, "w_gate": p.w_gate, "w_up": p.w_up} | {argument: [[1.0, 2.0]]}
    with pytest.raises(TypeError, match=f"{argument} is a list; allowed is a torch.Tensor"):
        tileglu.gated_linear(**given)
    if argument != "out":
        with pytest.raises(TypeError, match=f"{argument} is a list"):
            tileglu.explain(**given)


@pytest.mark.parametrize("argument", ["x", "w_gate"])
def test_what_is_left_out_by_none(argument):
    p = random_problem()
    given = {"x": p.x, "w_gate": p.w_gate, "w_up": p.w_up} | {argument: None}
    for function in (tileglu.gated_linear, tileglu.explain):
        with pytest.raises(TypeError, match=f"{argument} is a NoneType; allowed is a torch.Tensor"):
            function(**given)


def test_a_down_projection_that_is_no_tensor():
    p = random_problem()
    with pytest.raises(TypeError, match="w_down is a list; allowed is a torch.Tensor"):
        tileglu.gated_mlp(p.x, p.w_gate, p.w_up, [[1.0]])
    with pytest.raises(TypeError, match="bias_down is a list; allowed is a torch.Tensor"):
        tileglu.gated_mlp(p.x, p.w_gate, p.w_up, p.w_gate.t(), bias_down=[1.0])


def test_matrices_that_cannot_be_packed():
    for call in (lambda: tileglu.pack(t(*W), t(*W), layout="separate"), lambda: tileglu.unpack(t(*W), "separate")):
        with pytest.raises(ValueError, match="layout is 'separate'; allowed are 'gate_up', 'up_gate', 'interleaved'"):
            call()
    with pytest.raises(RuntimeError, match="w_gate is torch.bfloat16 and w_up torch.float16; allowed is one dtype"):
        tileglu.pack(t(*W), t(*W, dtype=torch.float16))

"""GatedMLP, pack and unpack, explain, gated_mlp."""

import copy
import io
import pickle

import pytest
import torch
from conftest import assert_close, random_problem, reference
from torch import nn
from torch.nn import functional

import tileglu

LAYOUTS = ["separate", "gate_up", "up_gate", "interleaved"]


class Plain(nn.Module):
    """What a model's own MLP looks like, with its checkpoint's names."""

    def __init__(self, stacked: bool, bias: bool):
        super().__init__()
        self.stacked = stacked
        if stacked:
            self.gate_up_proj = nn.Linear(64, 96, bias)
        else:
            self.gate_proj, self.up_proj = nn.Linear(64, 48, bias), nn.Linear(64, 48, bias)
        self.down_proj = nn.Linear(48, 64, bias)

    def forward(self, x):
        gate, up = self.gate_up_proj(x).chunk(2, -1) if self.stacked else (self.gate_proj(x), self.up_proj(x))
        return self.down_proj(functional.silu(gate) * up)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_checkpoints_of_either_kind_load_into_either_module(layout, stacked, bias):
    plain = Plain(stacked, bias)
    if stacked and layout in ("up_gate", "interleaved"):
        state = {"up_gate": None}
        gate, up = plain.gate_up_proj.weight.detach().chunk(2)
        state = {"gate_up_proj.weight": tileglu.pack(gate, up, layout), "down_proj.weight": plain.down_proj.weight}
        if bias:
            state["gate_up_proj.bias"] = tileglu.pack(*plain.gate_up_proj.bias.detach().chunk(2), layout)
            state["down_proj.bias"] = plain.down_proj.bias
    else:
        state = plain.state_dict()
    kept = dict(state)
    mine = tileglu.nn.GatedMLP(64, 48, bias=bias, layout=layout)
    assert mine.load_state_dict(state) == nn.modules.module._IncompatibleKeys([], [])
    assert state.keys() == kept.keys()  # the caller's dictionary is not changed
    x = torch.randn(5, 64)
    with torch.no_grad():
        torch.testing.assert_close(mine(x), plain(x))


def test_the_module_inside_a_model_loads_a_stacked_checkpoint_of_another_order():
    plain = Plain(stacked=True, bias=False)
    gate, up = plain.gate_up_proj.weight.detach().chunk(2)
    model = nn.ModuleDict({"mlp": tileglu.nn.GatedMLP(64, 48, checkpoint_layout="up_gate")})
    model.load_state_dict({"mlp.gate_up_proj.weight": torch.cat((up, gate)), "mlp.down_proj.weight": plain.down_proj.weight})
    x = torch.randn(5, 64)
    with torch.no_grad():
        torch.testing.assert_close(model["mlp"](x), plain(x))


@pytest.mark.parametrize("into", LAYOUTS)
@pytest.mark.parametrize("of", LAYOUTS)
def test_a_state_dict_of_any_layout_loads_into_any(of, into):
    source, target = (nn.ModuleDict({"mlp": tileglu.nn.GatedMLP(64, 48, bias=True, layout=layout)}) for layout in (of, into))
    file = io.BytesIO()
    torch.save(source.state_dict(), file)
    file.seek(0)
    target.load_state_dict(torch.load(file))
    x = torch.randn(5, 64)
    with torch.no_grad():
        torch.testing.assert_close(target["mlp"](x), source["mlp"](x))


def test_a_state_dict_that_does_not_fit_is_reported_with_its_name():
    model = nn.ModuleDict({"mlp": tileglu.nn.GatedMLP(64, 48, layout="gate_up")})
    state = tileglu.nn.GatedMLP(64, 48).state_dict(prefix="mlp.")
    with pytest.raises(RuntimeError, match=r"loading state_dict[^$]*mlp.gate_up_proj.weight: tileglu: w_gate has shape"):
        model.load_state_dict({**state, "mlp.up_proj.weight": torch.zeros(5, 64)})
    with pytest.raises(RuntimeError, match="Unexpected key.*gate_up_proj"):
        tileglu.nn.GatedMLP(64, 48).load_state_dict({**tileglu.nn.GatedMLP(64, 48).state_dict(), "gate_up_proj.weight": torch.zeros(96, 64)})


def test_missing_keys_are_still_reported():
    with pytest.raises(RuntimeError, match="Missing key.*up_proj.weight"):
        tileglu.nn.GatedMLP(64, 48).load_state_dict({"gate_proj.weight": torch.zeros(48, 64), "down_proj.weight": torch.zeros(64, 48)})


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_training_and_inference_agree(device, layout, dtype):
    mlp = tileglu.nn.GatedMLP(64, 48, bias=True, layout=layout, device=device, dtype=dtype)
    x = torch.randn(2, 5, 64, device=device).to(dtype)
    trained = mlp(x)
    assert trained.requires_grad
    trained.sum().backward()
    assert all(p.grad is not None for p in mlp.parameters())
    tolerance = {"rtol": 0.03, "atol": 0.03} if dtype == torch.bfloat16 else {}
    with torch.no_grad():
        torch.testing.assert_close(mlp(x), trained.detach(), **tolerance)


def test_copies_and_pickles():
    mlp = tileglu.nn.GatedMLP(64, 48, activation="gpt_oss", layout="interleaved", dtype=torch.bfloat16)
    x = torch.randn(3, 64, dtype=torch.bfloat16)
    with torch.no_grad():
        for other in (copy.deepcopy(mlp), pickle.loads(pickle.dumps(mlp))):
            assert torch.equal(other(x), mlp(x))
    assert "gpt_oss" in repr(mlp) and "interleaved" in repr(mlp)


@pytest.mark.parametrize("options", [{"activation": "swish2"}, {"layout": "sideways"}, {"limit": -1.0}, {"checkpoint_layout": "separate"}])
def test_wrong_modules_are_refused_when_made(options):
    with pytest.raises(ValueError, match=next(iter(options)).replace("checkpoint_", "")):
        tileglu.nn.GatedMLP(64, 48, **options)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("stacked", [False, True])
def test_gated_mlp(device, stacked, bias):
    p = random_problem((2, 7), device=device, bias=bias)
    w_down = torch.randn(40, 48, device=device, dtype=torch.float64).mul(48**-0.5).bfloat16()
    bias_down = torch.randn(40, device=device).bfloat16() if bias else None
    if stacked:
        w, one_bias = tileglu.pack(p.w_gate, p.w_up), tileglu.pack(p.bias_gate, p.bias_up) if bias else None
        z = tileglu.gated_mlp(p.x, w, w_down=w_down, layout="gate_up", bias=one_bias, bias_down=bias_down)
    else:
        z = tileglu.gated_mlp(p.x, p.w_gate, p.w_up, w_down, bias_gate=p.bias_gate, bias_up=p.bias_up, bias_down=bias_down)
    exact = reference(p) @ w_down.double().T
    assert_close(z, exact + bias_down.double() if bias else exact, "match_unfused")


@pytest.mark.parametrize("layout", LAYOUTS[1:])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.int8])
def test_pack_and_back(device, layout, dtype):
    gate, up = (torch.randint(-100, 100, (6, 4), device=device).to(dtype) for _ in range(2))
    w = tileglu.pack(gate, up, layout)
    assert w.shape == (12, 4)
    back = tileglu.unpack(w, layout)
    assert torch.equal(back[0], gate) and torch.equal(back[1], up)
    assert back[0].untyped_storage().data_ptr() == w.untyped_storage().data_ptr()  # views
    first, second = {"gate_up": (gate[0], up[0]), "up_gate": (up[0], gate[0]), "interleaved": (gate[0], gate[1])}[layout]
    assert torch.equal(w[0], first) and torch.equal(w[6] if layout != "interleaved" else w[2], second)


def test_pack_refuses():
    with pytest.raises(RuntimeError, match="w_gate has shape"):
        tileglu.pack(torch.zeros(4, 4), torch.zeros(4, 5))
    with pytest.raises(ValueError, match="layout is 'separate'"):
        tileglu.pack(torch.zeros(4, 4), torch.zeros(4, 4), "separate")
    with pytest.raises(RuntimeError, match=r"w has shape \[3, 4\]"):
        tileglu.unpack(torch.zeros(3, 4))


def test_explain(device):
    p = random_problem(device=device)
    text = tileglu.explain(p.x, p.w_gate, p.w_up)
    assert "m=33 n=48 k=64 bf16 separate silu" in text and "chosen" in text and "copied" not in text and "unfused, in torch" not in text
    assert "x has stride 33 along its last dimension" in tileglu.explain(p.x.mT.contiguous().mT, p.w_gate, p.w_up)
    assert "w_up has stride 48 along its last dimension" in tileglu.explain(p.x, p.w_gate, p.w_up.mT.contiguous().mT)
    assert "unfused, in torch: x is torch.float32" in tileglu.explain(p.x.float(), p.w_gate.float(), p.w_up.float())
    assert "nothing is computed" in tileglu.explain(p.x[:0], p.w_gate, p.w_up)
    with torch.autocast(device, dtype=torch.float16):
        assert "cast to torch.float16 on every call" in tileglu.explain(p.x, p.w_gate, p.w_up)
    p.w_up.requires_grad_()
    assert "a gradient is asked for" in tileglu.explain(p.x, p.w_gate, p.w_up)
    with pytest.raises(RuntimeError, match="w_up has shape"):
        tileglu.explain(p.x, p.w_gate, p.w_gate[:3])


def test_explain_names_the_kernel_that_was_asked_for():
    p = random_problem()
    assert "chosen   oracle" in tileglu.explain(p.x, p.w_gate, p.w_up, kernel="oracle")


def test_the_package_lists_what_it_has():
    assert set(tileglu.__all__) <= set(dir(tileglu))

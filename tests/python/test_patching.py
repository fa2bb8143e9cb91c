"""tileglu.patch on single modules: what it takes, what it must refuse and why, and that it can be undone."""

import threading

import pytest
import tileglu
import torch
import torch.nn.functional as F
from gated_modules import Model, Shouting, Stacked, Swiglu, close, rows, variant
from torch import nn

from tileglu.patching import match_of


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(5, 32), (2, 3, 32), (0, 32), (2, 2, 3, 32), (32,)])
def test_same_output(calls, bias, shape):
    torch.manual_seed(1)
    model = Model(bias=bias).eval()
    x = rows(*shape)
    expected = model(x)
    assert len(tileglu.patch(model)) == 2
    calls.clear()
    got = model(x)
    assert len(calls) == 2 and got.shape == expected.shape
    assert torch.allclose(got, expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("order", ["gate_up", "up_gate", "interleaved"])
@pytest.mark.parametrize("bias", [False, True])
def test_order_of_halves(calls, order, bias):
    model = Stacked(order, bias=bias)
    expected = model(rows(7, 32))
    report = tileglu.patch(model)
    assert match_of(model).layout == order and "gelu_tanh" in report.patched[0].formula
    assert close(model(rows(7, 32)), expected)


def test_square_weights_are_told_apart_by_the_probe():
    class Square(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (nn.Linear(16, 16) for _ in range(3))

        def forward(self, x):
            return self.a(F.silu(self.c(x)) * self.b(x))

    model = Square()
    tileglu.patch(model)
    match = match_of(model)
    assert (match.gate, match.up, match.down) == ("c", "b", "a")


WRONG = {
    "clamped gate": lambda m, x: m.down_proj(F.silu(m.gate_proj(x).clamp(max=10)) * m.up_proj(x)),
    "clamped at 100": lambda m, x: m.down_proj(F.silu(m.gate_proj(x)).clamp(max=100) * m.up_proj(x)),
    "up + 1": lambda m, x: m.down_proj(F.silu(m.gate_proj(x)) * (m.up_proj(x) + 1)),
    "scaled": lambda m, x: 1.01 * m.down_proj(F.silu(m.gate_proj(x)) * m.up_proj(x)),
    "quick gelu": lambda m, x: m.down_proj(m.gate_proj(x) * torch.sigmoid(1.702 * m.gate_proj(x)) * m.up_proj(x)),
    "residual": lambda m, x: x + m.down_proj(F.silu(m.gate_proj(x)) * m.up_proj(x)),
    "tuple": lambda m, x: (m.down_proj(F.silu(m.gate_proj(x)) * m.up_proj(x)),),
    "ungated": lambda m, x: m.down_proj(F.silu(m.gate_proj(x)) + m.up_proj(x)),
    "no gradient": lambda m, x: m.down_proj(F.silu(m.gate_proj(x)).detach() * m.up_proj(x)),
    "wrong only in 2-D": lambda m, x: m.down_proj(F.silu(m.gate_proj(x)) * m.up_proj(x)) * (2 if x.dim() == 2 else 1),
    "raises": lambda m, x: x.no_such_thing,
    "nan": lambda m, x: m.down_proj(F.silu(m.gate_proj(x)) * m.up_proj(x)) * float("nan"),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_formulas_are_left_alone(name):
    model = variant(forward=lambda self, x: WRONG[name](self, x))
    before = dict(model.__dict__)
    report = tileglu.patch(model)
    assert len(report) == 0 and list(report.reasons) == [""] and report.reasons[""]
    assert model.__dict__ == before


def test_decided_per_instance():
    class Limited(Swiglu):
        def __init__(self, limit):
            super().__init__()
            self.limit = limit

        def forward(self, x):
            return self.down_proj(F.silu(self.gate_proj(x)).clamp(max=self.limit) * self.up_proj(x))

    model = nn.Sequential(Limited(float("inf")), Limited(7.0))
    report = tileglu.patch(model)
    assert [entry.name for entry in report.patched] == ["0"] and "1" in report.reasons
    x = rows(6, 32) * 100
    model[0].limit = 3.0  # a number that changes after the patch must be seen
    assert torch.equal(model[0](x), Limited.forward(model[0], x))
    assert not close(model[0](x), F.linear(F.silu(model[0].gate_proj(x)) * model[0].up_proj(x), model[0].down_proj.weight, model[0].down_proj.bias))


REFUSED = {
    "not a plain torch.nn.Linear": lambda m: setattr(m, "up_proj", Shouting(32, 48)),
    "has hooks": lambda m: m.gate_proj.register_forward_hook(lambda *a: None),
    "it has hooks": lambda m: m.register_forward_pre_hook(lambda *a: None),
    "forward was replaced": lambda m: setattr(m, "forward", lambda x: x),
    "own forward": lambda m: setattr(m.up_proj, "forward", lambda x: x),
    "meta": lambda m: m.down_proj.to("meta"),
    "Parametrized": lambda m: nn.utils.parametrizations.weight_norm(m.gate_proj),
    "parameters or buffers": lambda m: m.register_parameter("scale", nn.Parameter(torch.ones(1))),
    "another child": lambda m: setattr(m, "norm", nn.LayerNorm(48)),
    "weights differ": lambda m: m.down_proj.double(),
    "torch.float8": lambda m: setattr(m.up_proj, "weight", nn.Parameter(m.up_proj.weight.to(torch.float8_e4m3fn), requires_grad=False)),
    "empty": lambda m: setattr(m.up_proj, "weight", nn.Parameter(torch.empty(0))),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refused_with_a_reason(reason):
    model = Swiglu()
    REFUSED[reason](model)
    report = tileglu.patch(model)
    assert len(report) == 0 and reason in report.reasons[""], str(report)
    assert match_of(model) is None


def test_stacked_experts_are_named():
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate_up_proj, self.down_proj = nn.Parameter(torch.ones(2, 8, 4)), nn.Parameter(torch.ones(2, 4, 4))

    report = tileglu.patch(nn.ModuleDict({"experts": Experts(), "list": nn.ModuleDict({"experts": nn.ModuleList([Swiglu()])})}))
    assert "mixture of experts" in report.reasons["experts"] and "expert of a mixture" in report.reasons["list.experts.0"]


def test_torchscript_is_left_alone():
    report = tileglu.patch(torch.jit.script(Model().eval()))
    assert not report.patched and set(report.reasons) == {"layers.0", "layers.1"}
    assert "TorchScript" in report.reasons["layers.0"]


def test_unpatch_restores_everything():
    model = Model()
    before = {name: dict(m.__dict__) for name, m in model.named_modules()}
    keys, parameters = list(model.state_dict()), [id(p) for p in model.parameters()]
    first = tileglu.patch(model)
    second = tileglu.patch(model)
    assert len(first.patched) == 2 and not second.patched and len(second.already) == len(second) == 2
    assert list(model.state_dict()) == keys and [id(p) for p in model.parameters()] == parameters
    assert tileglu.unpatch(model) == 2 and tileglu.unpatch(model) == 0
    assert {name: dict(m.__dict__) for name, m in model.named_modules()} == before
    assert len(tileglu.patch(model).patched) == 2


def test_one_patcher_at_a_time():
    model = nn.Sequential(*[Swiglu() for _ in range(24)])
    x, expected = rows(3, 32), model(rows(3, 32))
    reports, wrong, stop = [], [], threading.Event()

    def use():
        while not stop.is_set():
            if not torch.allclose(model(x), expected, atol=1e-5):
                wrong.append(1)

    users = [threading.Thread(target=use) for _ in range(2)]
    patchers = [threading.Thread(target=lambda: reports.append(tileglu.patch(model))) for _ in range(3)]
    for thread in users + patchers:
        thread.start()
    for thread in patchers:
        thread.join()
    stop.set()
    for thread in users:
        thread.join()
    assert not wrong and sorted(len(r.patched) for r in reports) == [0, 0, 24]


def test_the_user_is_not_disturbed():
    """No random numbers are drawn, no mode is changed, whatever context the patch runs in."""
    model = Model(p=0.3)
    torch.manual_seed(3)
    state = torch.get_rng_state()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        report = tileglu.patch(model)
        assert torch.is_inference_mode_enabled()
    assert len(report) == 2 and torch.equal(torch.get_rng_state(), state)
    assert all(module.training for module in model.modules())


def test_the_report_reads_well():
    model = nn.ModuleDict({"mlp": Swiglu(), "other": Stacked("gate_up"), "third": Swiglu()})
    model.third.gate_proj = Shouting(32, 48)
    text = str(tileglu.patch(model, dry_run=True))
    assert "would patch 2 gated MLPs; left 1 alone" in text and "third" in text and "Shouting" in text
    assert match_of(model["mlp"]) is None
    assert "no module has the shape" in str(tileglu.patch(nn.Linear(2, 2)))
    with pytest.raises(TypeError, match="model is a int"):
        tileglu.patch(3)


def test_the_probe_can_fail():
    """A formula with its halves swapped must not pass for another: corrupt the reference and nothing may match."""
    import tileglu.patching.probe as probe

    real = probe.formula
    try:
        probe.formula = lambda match, x, linears: real(match, x, linears) * (1 + 1e-4)
        assert len(tileglu.patch(Swiglu())) == 0
    finally:
        probe.formula = real


def test_a_wrong_kernel_is_caught_before_the_patch(monkeypatch):
    import tileglu.patching.forward as patched

    real = patched.gated_mlp
    monkeypatch.setattr(patched, "gated_mlp", lambda *a, **k: real(*a, **k) * 1.5)
    report = tileglu.patch(Swiglu())
    assert len(report) == 0 and "on its own weights" in report.reasons[""]

"""tileglu.patch on single modules: what it must refuse, what it must notice after the patch, and that it can be undone."""

import copy
import inspect
import io
import pickle
import threading

import pytest
import tileglu
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from tileglu.patching import match_of


class Swiglu(nn.Module):
    def __init__(self, hidden=32, inner=48, bias=False, p=0.0):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, inner, bias=bias)
        self.up_proj = nn.Linear(hidden, inner, bias=bias)
        self.down_proj = nn.Linear(inner, hidden, bias=bias)
        self.act_fn = nn.SiLU()
        self.dropout = nn.Dropout(p)

    def forward(self, x):
        return self.down_proj(self.dropout(self.act_fn(self.gate_proj(x)) * self.up_proj(x)))


class Stacked(nn.Module):
    def __init__(self, order, hidden=32, inner=48, bias=True):
        super().__init__()
        self.fc1, self.fc2, self.order = nn.Linear(hidden, 2 * inner, bias=bias), nn.Linear(inner, hidden, bias=bias), order

    def forward(self, x):
        h = self.fc1(x)
        if self.order == "interleaved":
            gate, up = h[..., ::2], h[..., 1::2]
        else:
            gate, up = h.chunk(2, -1) if self.order == "gate_up" else reversed(h.chunk(2, -1))
        return self.fc2(F.gelu(gate, approximate="tanh") * up)


class Model(nn.Module):
    """Two residual blocks, so that a shared mistake does not cancel."""

    def __init__(self, make=Swiglu, **options):
        super().__init__()
        self.layers = nn.ModuleList([make(**options) for _ in range(2)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def rows(*shape, seed=0, **options):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **options)


def close(a, b, limit=2e-6):
    return ((a - b).norm() / b.norm()).item() < limit


@pytest.fixture
def calls(monkeypatch):
    """How often the library was called: a patched module that falls back gives right outputs too, so outputs alone prove nothing."""
    import tileglu.patching.forward as patched

    seen, real = [], patched.gated_mlp
    monkeypatch.setattr(patched, "gated_mlp", lambda *a, **k: (seen.append(k), real(*a, **k))[1])
    return seen


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


def variant(**parts):
    """A Swiglu whose forward, or one step of it, is another."""
    return type("Variant", (Swiglu,), parts)()


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


class Shouting(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 3


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


AFTERWARDS = {
    "a hook on a linear": lambda m: m.gate_proj.register_forward_hook(lambda mod, args, out: out * 2),
    "a subclass": lambda m: setattr(m, "up_proj", Shouting(32, 48)),
    "a parametrisation": lambda m: nn.utils.parametrizations.weight_norm(m.up_proj),
    "another activation": lambda m: setattr(m, "act_fn", nn.Tanh()),
    "a forward of its own": lambda m: setattr(m.down_proj, "forward", lambda x: x[..., :32]),
}


@pytest.mark.parametrize("change", AFTERWARDS)
def test_a_later_change_runs_the_original(calls, change):
    model = Swiglu()
    tileglu.patch(model)
    AFTERWARDS[change](model)
    calls.clear()
    x = rows(3, 32)
    assert torch.equal(model(x), Swiglu.forward(model, x)) and not calls


def test_weights_are_read_at_every_call(calls):
    model = Swiglu()
    tileglu.patch(model)
    x = rows(3, 32)
    model(x)
    with torch.no_grad():
        model.gate_proj.weight.mul_(2)
        model.up_proj.weight = nn.Parameter(rows(48, 32, seed=3))
    model.load_state_dict({**model.state_dict(), "down_proj.weight": rows(32, 48, seed=4)})
    calls.clear()
    assert close(model(x), Swiglu.forward(model, x)) and len(calls) == 1


def test_dropout_runs_the_original_in_training_only(calls):
    model = Swiglu(p=0.5)
    tileglu.patch(model)
    calls.clear()
    x = rows(3, 32)
    model.train()
    torch.manual_seed(5)
    got = model(x)
    torch.manual_seed(5)
    assert torch.equal(got, Swiglu.forward(model, x)) and not calls
    model.dropout.p = 0.0
    model(x)
    assert len(calls) == 1
    model.dropout.p = 0.5
    model.eval()(x)
    assert len(calls) == 2


def test_functional_dropout_is_found_by_the_probe(calls):
    model = variant(forward=lambda m, x: F.dropout(m.down_proj(m.act_fn(m.gate_proj(x)) * m.up_proj(x)), 0.1, m.training))
    assert len(tileglu.patch(model)) == 1 and not match_of(model).same_in_training
    calls.clear()
    model.train()(rows(3, 32))
    assert not calls
    model.eval()(rows(3, 32))
    assert calls


def test_gradients(calls):
    model = Model(bias=True)
    twin = copy.deepcopy(model)
    tileglu.patch(model)
    calls.clear()
    grads = []
    for m in (model, twin):
        x = rows(2, 5, 32).requires_grad_()
        m(x).square().sum().backward()
        grads.append([x.grad, *(p.grad for p in m.parameters())])
    assert len(calls) == 2 and all(close(a, b, 1e-5) for a, b in zip(*grads))


@pytest.mark.parametrize("reentrant", [False, True])
def test_gradient_checkpointing_under_autocast(reentrant):
    model = Swiglu(bias=True)
    twin = copy.deepcopy(model)
    tileglu.patch(model)
    grads = []
    for m in (model, twin):
        x = rows(2, 5, 32).requires_grad_()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = checkpoint(m, x, use_reentrant=reentrant)
        assert y.dtype == torch.bfloat16
        y.float().square().sum().backward()
        grads.append([x.grad, *(p.grad for p in m.parameters())])
    assert all(a.dtype == torch.float32 and close(a, b, 2e-2) for a, b in zip(*grads))


@pytest.mark.parametrize("weights", [torch.float32, torch.bfloat16])
def test_autocast_casts_as_linear_does(calls, weights):
    model = Swiglu().to(weights)
    tileglu.patch(model)
    calls.clear()
    x = rows(4, 32)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        got, expected = model(x), Swiglu.forward(model, x)
    assert calls and got.dtype == expected.dtype == torch.bfloat16 and close(got.float(), expected.float(), 2e-2)


def test_mixed_types_raise_what_the_original_raises():
    model = Swiglu()
    tileglu.patch(model)
    with pytest.raises(RuntimeError, match="dtype"):
        model(rows(3, 32).bfloat16())
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        model(rows(3, 31))
    with pytest.raises(TypeError):
        model(rows(3, 32), 1)
    assert torch.equal(model(x=rows(3, 32)), model(rows(3, 32)))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiles_without_a_break(dynamic):
    model = Model().eval()
    expected = model(rows(3, 5, 32))
    tileglu.patch(model)
    compiled = torch.compile(model, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    with torch.no_grad():
        assert close(compiled(rows(3, 5, 32)), expected)
        graph = torch._dynamo.explain(model)(rows(3, 5, 32))
    assert graph.graph_break_count == 0
    model.layers[0].gate_proj.weight.data.mul_(2)
    assert close(compiled(rows(3, 5, 32)), model(rows(3, 5, 32)))


def test_a_model_compiled_before_the_patch_is_compiled_again(calls):
    model = Model().eval()
    compiled = torch.compile(model, backend="eager")
    expected = compiled(rows(3, 32))
    tileglu.patch(compiled)
    assert close(compiled(rows(3, 32)), expected) and match_of(model.layers[0])
    assert tileglu.unpatch(compiled) == 2 and close(compiled(rows(3, 32)), expected)


@pytest.mark.parametrize("shapes", [({0: torch.export.Dim("rows")},), {"x": {0: torch.export.Dim("rows")}}])
def test_the_arguments_keep_their_names(shapes):
    """torch.export matches dynamic shapes with the names of forward's arguments."""
    mlp = Swiglu().eval()
    own = inspect.signature(mlp.forward)
    assert len(tileglu.patch(mlp).patched) == 1
    assert inspect.signature(mlp.forward) == own
    program = torch.export.export(mlp, (rows(3, 32),), dynamic_shapes=shapes)
    with torch.no_grad():
        torch.testing.assert_close(program.module()(rows(7, 32)), mlp(rows(7, 32)))


def test_torchscript_is_left_alone():
    report = tileglu.patch(torch.jit.script(Model().eval()))
    assert not report.patched and set(report.reasons) == {"layers.0", "layers.1"}
    assert "TorchScript" in report.reasons["layers.0"]


def test_exports():
    model = Model().eval()
    tileglu.patch(model)
    program = torch.export.export(model, (rows(3, 32),))
    assert close(program.module()(rows(3, 32)), model(rows(3, 32)))


def test_functional_transforms_run_the_original():
    model = Swiglu()
    tileglu.patch(model)
    parameters = dict(model.named_parameters())
    stacked = {name: torch.stack([p, 2 * p]) for name, p in parameters.items()}
    x = rows(3, 32)
    got = torch.vmap(lambda p: torch.func.functional_call(model, p, (x,)))(stacked)
    assert close(got[0], model(x), 1e-5)
    _, tangent = torch.func.jvp(model, (x,), (x,))
    _, expected = torch.func.jvp(lambda v: Swiglu.forward(model, v), (x,), (x,))
    assert close(tangent, expected)


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


def test_deep_copies_are_patched_and_their_own(calls):
    model = Model()
    tileglu.patch(model)
    twin = copy.deepcopy(model)
    with torch.no_grad():
        twin.layers[0].gate_proj.weight.zero_()
    calls.clear()
    x = rows(3, 32)
    assert twin.layers[0].forward.__self__ is twin.layers[0]
    assert torch.equal(twin.layers[0](x), torch.zeros(3, 32)) and len(calls) == 1
    assert model.layers[0](x).abs().sum() > 0
    assert tileglu.unpatch(twin) == 2 and match_of(model.layers[0]) is not None


def test_pickles_come_back_unpatched():
    model = Model()
    tileglu.patch(model)
    buffer = io.BytesIO()
    torch.save(model, buffer)
    for loaded in (pickle.loads(pickle.dumps(model)), torch.load(io.BytesIO(buffer.getvalue()), weights_only=False)):
        assert close(loaded(rows(3, 32)), model(rows(3, 32)))
        assert match_of(loaded.layers[0]) is None and len(tileglu.patch(loaded).patched) == 2
        assert loaded.layers[0].forward.__self__ is loaded.layers[0]
    assert b"tileglu" not in pickle.dumps(model)


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

"""tileglu.compile_pass finds gated products in graphs, and nothing else."""

import pytest
import torch
from conftest import assert_close, random_problem, reference
from torch import nn
from torch.nn import functional as F

import tileglu
from tileglu._functional import gated_linear

OP = torch.ops.tileglu.gated_linear.default
ACTS = {
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda g: F.gelu(g, approximate="tanh"),
    "relu": F.relu,
    "sigmoid": torch.sigmoid,
}


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


class Recorded:
    """A backend that keeps the graphs as they are after the pass, and runs them."""

    def __init__(self, numerics="fp32_through"):
        self.graphs, self.found, self.pass_ = [], [], tileglu.CompilePass(numerics)

    def __call__(self, module, inputs):
        before = module.code
        self.found.append(self.pass_(module))
        self.graphs.append(module)
        assert (module.code == before) == (self.found[-1] == 0)  # no match, no change
        return module.forward

    def run(self, function, *args, dynamic=False):
        with torch.no_grad():
            return torch.compile(function, backend=self, fullgraph=True, dynamic=dynamic)(*args)

    def called(self):
        return [n.target for n in self.graphs[0].graph.nodes if n.op == "call_function"]


SEPARATE = {
    "gate first": lambda act: lambda x, g, u, bg, bu: act(F.linear(x, g, bg)) * F.linear(x, u, bu),
    "up first": lambda act: lambda x, g, u, bg, bu: F.linear(x, u, bu) * act(F.linear(x, g, bg)),
    "torch.mul": lambda act: lambda x, g, u, bg, bu: torch.mul(act(F.linear(x, g, bg)), F.linear(x, u, bu)),
    "in place": lambda act: lambda x, g, u, bg, bu: act(F.linear(x, g, bg)).mul_(F.linear(x, u, bu)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("form", SEPARATE)
@pytest.mark.parametrize("activation", ACTS)
def test_two_linears(activation, form, bias, dynamic):
    p = random_problem((3, 5), bias=bias)
    recorded = Recorded()
    y = recorded.run(SEPARATE[form](ACTS[activation]), p.x, p.w_gate, p.w_up, p.bias_gate, p.bias_up, dynamic=dynamic)
    assert recorded.found == [1] and recorded.called() == [gated_linear]
    assert_close(y, reference(p, activation))


def half_slices(t):
    n = t.shape[-1] // 2
    return t[..., :n], t[..., n:]


STACKED = {
    "chunk": (lambda t: t.chunk(2, -1), "gate_up"),
    "chunk, last": (lambda t: torch.chunk(t, 2, dim=2), "gate_up"),
    "split": (lambda t: t.split(t.shape[-1] // 2, -1), "gate_up"),
    "split into sizes": (lambda t: torch.split(t, [t.shape[-1] // 2] * 2, dim=-1), "gate_up"),
    "slices": (half_slices, "gate_up"),
    "narrow": (lambda t: (t.narrow(-1, 0, 48), t.narrow(-1, 48, 48)), "gate_up"),
    "up first": (lambda t: t.chunk(2, -1)[::-1], "up_gate"),
    "every other": (lambda t: (t[..., ::2], t[..., 1::2]), "interleaved"),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("form", STACKED)
def test_one_linear_in_halves(form, bias, dynamic):
    cut, layout = STACKED[form]
    p = random_problem((3, 5), bias=bias)
    w, b = tileglu.pack(p.w_gate, p.w_up, layout), tileglu.pack(p.bias_gate, p.bias_up, layout) if bias else None

    def call(x, w, b):
        gate, up = cut(F.linear(x, w, b))
        return F.silu(gate) * up

    recorded = Recorded()
    y = recorded.run(call, p.x, w, b, dynamic=dynamic)
    if dynamic and form in ("narrow", "every other"):  # of a symbolic width, 48 columns or every other one can't be proven to be half
        assert recorded.found == [0]
        return
    assert recorded.found == [1] and gated_linear in recorded.called() and torch._C._nn.linear not in recorded.called()
    assert_close(y, reference(p))


def second_reader(x, g, u, w):
    gate = F.linear(x, g)
    return F.silu(gate) * F.linear(x, u), gate


def a_write_between(x, g, u, w):
    gate = F.linear(x, g)
    x.add_(1)
    return F.silu(gate) * F.linear(x, u)


def written_up(x, g, u, w):
    up = F.linear(x, u)
    return up.mul_(F.silu(F.linear(x, g)))


UNLIKE = {
    "two inputs": lambda x, g, u, w: F.silu(F.linear(x, g)) * F.linear(x + 1, u),
    "a third reader of gate": second_reader,
    "a write between": a_write_between,
    "up is written": written_up,
    "sum": lambda x, g, u, w: F.silu(F.linear(x, g)) + F.linear(x, u),
    "no activation": lambda x, g, u, w: F.linear(x, g) * F.linear(x, u),
    "two activations": lambda x, g, u, w: F.silu(F.linear(x, g)) * F.silu(F.linear(x, u)),
    "other activation": lambda x, g, u, w: F.elu(F.linear(x, g)) * F.linear(x, u),
    "one bias": lambda x, g, u, w: F.silu(F.linear(x, g, w[:48, 0])) * F.linear(x, u),
    "first half twice": lambda x, g, u, w: (lambda t: F.silu(t[..., :48]) * t[..., :48])(F.linear(x, w)),
    "shifted halves": lambda x, g, u, w: (lambda t: F.silu(t[..., :48]) * t[..., 24:72])(F.linear(x, w)),
    "quarters": lambda x, g, u, w: (lambda t: F.silu(t[..., :24]) * t[..., 24:48])(F.linear(x, w)),
    "halves of the rows": lambda x, g, u, w: (lambda t: F.silu(t[:2]) * t[2:])(F.linear(x, w)),
    "scaled": lambda x, g, u, w: F.silu(F.linear(x, g) * 2) * F.linear(x, u),
}


@pytest.mark.parametrize("form", UNLIKE)
def test_what_only_looks_like_one_is_left_alone(form):
    p = random_problem((4,))
    w = tileglu.pack(p.w_gate, p.w_up)
    recorded = Recorded()
    expected = UNLIKE[form](p.x.clone(), p.w_gate, p.w_up, w)
    got = recorded.run(UNLIKE[form], p.x.clone(), p.w_gate, p.w_up, w)
    assert recorded.found == [0]
    for a, b in zip(got if isinstance(got, tuple) else (got,), expected if isinstance(expected, tuple) else (expected,)):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_wide_dtypes_are_left_alone(dtype):
    p = random_problem(dtype=dtype)
    recorded = Recorded()
    recorded.run(lambda x, g, u: F.silu(F.linear(x, g)) * F.linear(x, u), p.x, p.w_gate, p.w_up)
    assert recorded.found == [0]


class Model(nn.Module):
    """Two blocks, one separate and one stacked, as a model that nobody patched has them."""

    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(64, 48, False), nn.Linear(64, 48, False), nn.Linear(48, 64)
        self.both, self.out = nn.Linear(64, 96), nn.Linear(48, 64)
        self.act = nn.SiLU()

    def forward(self, x):
        x = x + self.down(self.act(self.gate(x)) * self.up(x))
        gate, up = self.both(x).chunk(2, -1)
        return x + self.out(self.act(gate) * up)


@pytest.mark.parametrize("how", ["backend", "setting"])
def test_a_model_through_inductor(how):
    model = Model().bfloat16().requires_grad_(False)
    x = torch.randn(2, 7, 64).bfloat16()
    expected = Model.forward(model.double(), x.double())
    model.bfloat16()
    calls = []
    original = tileglu.compile_pass.__class__.__call__

    class Counting(tileglu.CompilePass):
        def __call__(self, graph):
            calls.append(original(self, graph))
            return calls[-1]

    counting = Counting()
    with torch._inductor.config.patch(force_disable_caches=True):  # what an earlier run has compiled is taken without calling the pass
        if how == "backend":
            y = torch.compile(model, backend=counting.backend())(x)
        else:
            with torch._inductor.config.patch(pre_grad_custom_pass=counting):
                y = torch.compile(model)(x)
    assert sum(calls) == 2
    assert float((y.double() - expected).norm() / expected.norm()) < 0.01


def test_training_keeps_its_gradients():
    model = Model()
    x = torch.randn(5, 64)
    compiled = torch.compile(model, backend=tileglu.compile_pass.backend("aot_eager"))
    model.bfloat16()
    x = x.bfloat16()
    compiled(x).sum().backward()
    got = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).sum().backward()
    for a, b in zip(got, (p.grad for p in model.parameters())):
        torch.testing.assert_close(a, b, rtol=0.05, atol=0.05)


def test_an_exported_graph():
    model = Model().bfloat16().requires_grad_(False)
    x = torch.randn(7, 64).bfloat16()
    with torch.no_grad():
        module = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("batch", max=512)},)).module()
        expected = module(x)
        assert tileglu.compile_pass(module) == 1  # the stacked one has a bias, which stays
        assert [n.target for n in module.graph.nodes].count(OP) == 1
        torch.testing.assert_close(module(x), expected, rtol=0.02, atol=0.02)


def test_numerics_is_handed_on():
    p = random_problem()
    recorded = Recorded("match_unfused")
    y = recorded.run(lambda x, g, u: F.silu(F.linear(x, g)) * F.linear(x, u), p.x, p.w_gate, p.w_up)
    assert torch.equal(y, tileglu.gated_linear(p.x, p.w_gate, p.w_up, numerics="match_unfused"))
    with pytest.raises(ValueError, match="numerics is 'exact'"):
        tileglu.CompilePass("exact")


"""A patched module: what it must notice after the patch, and that it does all that the original does."""

import copy
import inspect
import io
import pickle

import pytest
import tileglu
import torch
import torch.nn.functional as F
from gated_modules import Model, Shouting, Swiglu, close, rows, variant
from torch import nn
from torch.utils.checkpoint import checkpoint

from tileglu.patching import match_of


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

"""A pass of torch.compile that finds ``act(linear(x, wg)) * linear(x, wu)`` in a graph and puts :func:`tileglu.gated_linear` in its place.

>>> torch._inductor.config.pre_grad_custom_pass = tileglu.compile_pass
>>> model = torch.compile(model)                                             # or, with no global setting:
>>> model = torch.compile(model, backend=tileglu.compile_pass.backend())

Two forms are found: two linears of one x, and one linear whose output is cut into halves by chunk, split or slices. The graph is the
one that torch.compile has before decomposition (there silu is still one node), or that of torch.export. What doesn't fit exactly is
left as it is: another dtype than bfloat16 and float16, a product that something else reads too, a bias on one half, a write in between.
"""

from __future__ import annotations

import operator
from typing import Callable, NamedTuple

import torch
from torch import fx
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.nn import functional

from . import _library, _words
from ._functional import gated_linear

_aten = torch.ops.aten
_LINEARS = {functional.linear, torch._C._nn.linear, _aten.linear.default}
_MULTIPLIES = {operator.mul, operator.imul, torch.mul, _aten.mul.Tensor, "mul", "mul_"}
_VIEWS = {
    operator.getitem, torch.chunk, torch.split, torch.narrow, _aten.chunk.default, _aten.split.Tensor, _aten.split_with_sizes.default,
    _aten.slice.Tensor, _aten.narrow.default, "chunk", "split", "narrow",
}  # fmt: skip
_ACTIVATIONS = {
    functional.silu: "silu", torch._C._nn.silu: "silu", _aten.silu.default: "silu",
    functional.relu: "relu", torch.relu: "relu", _aten.relu.default: "relu", "relu": "relu",
    torch.sigmoid: "sigmoid", functional.sigmoid: "sigmoid", _aten.sigmoid.default: "sigmoid", "sigmoid": "sigmoid",
    functional.gelu: "gelu", torch._C._nn.gelu: "gelu", _aten.gelu.default: "gelu",
}  # fmt: skip
_WRITES = {operator.setitem, operator.iadd, operator.isub, operator.imul, operator.itruediv}


class _Linear(NamedTuple):
    node: fx.Node
    x: fx.Node
    w: fx.Node
    bias: fx.Node | None


class _Match(NamedTuple):
    multiply: fx.Node
    inner: set[fx.Node]  # what disappears with it
    activation: str
    x: fx.Node
    w: fx.Node
    w_up: fx.Node | None
    bias: tuple[fx.Node, fx.Node] | fx.Node | None
    layout: str
    aten: bool


def _value(node: fx.Node) -> torch.Tensor | None:
    """The fake tensor that stands for the node's result."""
    value = node.meta.get("example_value", node.meta.get("val"))
    return value if isinstance(value, torch.Tensor) else None


def _argument(node: fx.Node, at: int, name: str, default=None):
    return node.args[at] if len(node.args) > at else node.kwargs.get(name, default)


def _as_linear(node: fx.Node) -> _Linear | None:
    if node.op != "call_function" or node.target not in _LINEARS:
        return None
    x, w, bias = (_argument(node, at, name) for at, name in enumerate(("input", "weight", "bias")))
    tensors = [_value(t) for t in (node, x, w, *(() if bias is None else (bias,))) if isinstance(t, fx.Node)]
    if any(t is None for t in tensors) or len(tensors) != (3 if bias is None else 4):
        return None
    if any(t.dtype not in _library.FUSED_DTYPES or t.dtype != tensors[0].dtype or t.device.type not in ("cpu", "cuda") for t in tensors):
        return None
    return _Linear(node, x, w, bias) if tensors[2].dim() == 2 else None


def _as_activation(node: fx.Node) -> tuple[str, fx.Node] | None:
    if not isinstance(node, fx.Node) or node.op not in ("call_function", "call_method"):
        return None
    name = _ACTIVATIONS.get(node.target)
    gate = _argument(node, 0, "input")
    if name is None or not isinstance(gate, fx.Node):
        return None
    if name == "gelu" and node.kwargs.get("approximate", "none") == "tanh":
        name = "gelu_tanh"
    return name, gate


def _source(node: fx.Node) -> tuple[fx.Node, set[fx.Node]]:
    """What a chain of views looks at, and the chain."""
    chain: set[fx.Node] = set()
    while node.op in ("call_function", "call_method") and node.target in _VIEWS and isinstance(node.args[0], fx.Node):
        chain.add(node)
        node = node.args[0]
    return node, chain


def _half(node: fx.Node, whole: fx.Node) -> str | None:
    """Which half of the last dimension of `whole` a view of it is, by where its elements lie: first, second, even or odd."""
    view, all_ = _value(node), _value(whole)
    if view is None or view.dim() != all_.dim() or not statically_known_true(2 * view.shape[-1] == all_.shape[-1]):
        return None
    if not all(statically_known_true(a == b) for a, b in zip(view.shape[:-1], all_.shape[:-1])):
        return None
    if not all(statically_known_true(a == b) for a, b in zip(view.stride()[:-1], all_.stride()[:-1])):
        return None
    offset, step = view.storage_offset() - all_.storage_offset(), view.stride(-1)
    for name, wanted_offset, wanted_step in (("first", 0, 1), ("second", view.shape[-1], 1), ("even", 0, 2), ("odd", 1, 2)):
        if statically_known_true(step == wanted_step) and statically_known_true(offset == wanted_offset):
            return name
    return None


_HALVES = {("first", "second"): "gate_up", ("second", "first"): "up_gate", ("even", "odd"): "interleaved"}


def _writes(node: fx.Node) -> bool:
    """May the node change memory that another node reads?"""
    if node.op == "call_method":
        return str(node.target).endswith("_") and not str(node.target).endswith("__")
    if node.op == "call_module":
        return True
    if node.op != "call_function":
        return False
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.is_mutable
    name = getattr(node.target, "__name__", "")
    return node.target in _WRITES or node.kwargs.get("inplace") or "out" in node.kwargs or (name.endswith("_") and not name.endswith("__"))


def _match(multiply: fx.Node, order: dict[fx.Node, int]) -> _Match | None:
    if multiply.op not in ("call_function", "call_method") or multiply.target not in _MULTIPLIES or len(multiply.args) != 2:
        return None
    for act_node, up in (multiply.args, multiply.args[::-1]):
        found = _as_activation(act_node)
        if found is None or not isinstance(up, fx.Node):
            continue
        if multiply.target in (operator.imul, "mul_") and multiply.args[0] is not act_node:
            continue  # writes into up, which is a view of something
        activation, gate = found
        (gate_source, gate_chain), (up_source, up_chain) = _source(gate), _source(up)
        of_gate, of_up = _as_linear(gate_source), _as_linear(up_source)
        if of_gate is None or of_up is None:
            continue
        inner = {act_node, gate_source, up_source} | gate_chain | up_chain
        if of_gate.node is of_up.node:
            layout = _HALVES.get((_half(gate, gate_source), _half(up, up_source)))
            if layout is None:
                continue
            w_up, bias = None, of_gate.bias
        else:
            if gate_chain or up_chain or of_gate.x is not of_up.x or (of_gate.bias is None) != (of_up.bias is None):
                continue
            a, b = _value(of_gate.w), _value(of_up.w)
            if not all(statically_known_true(s == t) for s, t in zip(a.shape, b.shape)):
                continue
            layout, w_up, bias = "separate", of_up.w, None if of_gate.bias is None else (of_gate.bias, of_up.bias)
        # Nobody else may read what disappears, and nobody may write between the first read of x and the new one.
        if any(user is not multiply and user not in inner for node in inner for user in node.users):
            continue
        begin = min(order[node] for node in inner)
        between = (node for node, at in order.items() if begin <= at < order[multiply] and node not in inner)
        if any(_writes(node) for node in between):
            continue
        aten = isinstance(gate_source.target, torch._ops.OpOverload)
        if aten and isinstance(bias, fx.Node):
            continue  # the operator takes the halves of a bias apart, and an exported graph has no node for them
        return _Match(multiply, inner, activation, of_gate.x, of_gate.w, w_up, bias, layout, aten)
    return None


class CompilePass(CustomGraphPass):
    """The pass, as a value that inductor's settings take. numerics: as in :func:`tileglu.gated_linear`."""

    def __init__(self, numerics: str = "fp32_through") -> None:
        _words.numerics_of(numerics)
        self.numerics = numerics

    def __call__(self, graph: fx.Graph | fx.GraphModule) -> int:
        """Rewrite the graph in place; the number of gated products found."""
        module, graph = (graph, graph.graph) if isinstance(graph, fx.GraphModule) else (None, graph)
        order = {node: at for at, node in enumerate(graph.nodes)}
        matches = [m for node in order if (m := _match(node, order)) is not None]
        for match in matches:
            self._replace(graph, match)
        if matches:
            graph.lint()
            if module is not None:
                module.recompile()
        return len(matches)

    def backend(self, inner: str | Callable = "inductor") -> Callable:
        """A backend of torch.compile: this pass, then `inner`."""
        compiler = torch._dynamo.lookup_backend(inner) if isinstance(inner, str) else inner

        def with_tileglu(module: fx.GraphModule, example_inputs, **options):
            self(module)
            return compiler(module, example_inputs, **options)

        return with_tileglu

    def uuid(self) -> tuple:
        return ("tileglu.compile_pass", 1, self.numerics)

    def _replace(self, graph: fx.Graph, m: _Match) -> None:
        with graph.inserting_before(m.multiply):
            if m.aten:
                layout, code = _words.LAYOUTS[m.layout], _words.ACTIVATIONS[m.activation]
                args = (m.x, m.w, m.w_up, *(m.bias or (None, None)), layout, code, 1.0, 0.0, _words.NUMERICS[self.numerics])
                new = graph.call_function(_library.gated_linear, args)
            else:
                options = {"activation": m.activation, "layout": m.layout, "numerics": self.numerics}
                if isinstance(m.bias, fx.Node):
                    options["bias"] = m.bias
                elif m.bias is not None:
                    options["bias_gate"], options["bias_up"] = m.bias
                new = graph.call_function(gated_linear, (m.x, m.w, m.w_up), options)
        new.meta = dict(m.multiply.meta)
        m.multiply.replace_all_uses_with(new)
        graph.erase_node(m.multiply)
        for node in sorted(m.inner, reverse=True):  # later nodes first: users before what they use
            graph.erase_node(node)


compile_pass = CompilePass()

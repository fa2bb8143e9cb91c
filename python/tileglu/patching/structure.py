"""Which modules could be a gated MLP, judged by their children, and why a likely one is refused. Nothing is computed here."""

from __future__ import annotations

import inspect
import itertools
import types
from dataclasses import dataclass

import torch
from torch import nn

from .match import STACKED_LAYOUTS, Match

# Names that gated MLPs give their parts in Hugging Face models. A fit by name alone decides nothing but whether a refusal is worth telling.
NAMED_PARTS = (
    {"gate_proj", "up_proj", "down_proj"}, {"w1", "w2", "w3"}, {"wi_0", "wi_1", "wo"}, {"proj_up_gate", "proj_up", "proj_down"},
    {"gate_up_proj", "down_proj"}, {"input_linear", "output_linear"}, {"Wi", "Wo"}, {"weights_in", "weights_out"},
)  # fmt: skip
EXPERT_PARAMETERS = {"gate_up_proj", "gate_proj", "up_proj", "down_proj", "w1", "w2", "w3", "w13", "gate_and_up_proj"}
PLAIN_TYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
HOOK_TABLES = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


@dataclass(frozen=True)
class Refusal:
    """Why a module that looks like a gated MLP is left alone. `likely`: its names, not only its shapes, say gated MLP."""

    reason: str
    likely: bool


def looks_linear(module: nn.Module) -> bool:
    """A linear layer or something that stands for one (LoRA, quantised, tensor-parallel)."""
    return isinstance(module, nn.Linear) or (hasattr(module, "in_features") and hasattr(module, "out_features"))


def is_likely(module: nn.Module) -> bool:
    """Do the names of its children say gated MLP?"""
    return any(parts <= set(module._modules.keys()) for parts in NAMED_PARTS)


def forward_replaced(module: nn.Module) -> bool:
    """Does this instance run another forward than its class's? (A pickled patched module comes back holding its class's own.)"""
    own = module.__dict__.get("forward")
    return hasattr(module, "_hf_hook") or (own is not None and getattr(own, "__func__", None) is not type(module).forward)


def why_not_plain(linear: nn.Module, allow_meta: bool = False) -> str | None:
    """Why this linear's weight must not be read around its forward, or None. Traps 3, 4 and 5: LoRA, offload, quantised subclasses."""
    if type(linear) is not nn.Linear:
        return f"is a {type(linear).__module__.split('.')[0]}.{type(linear).__name__}, not a plain torch.nn.Linear"
    if forward_replaced(linear):
        return "has its own forward (offloaded or wrapped)"
    if any(getattr(linear, table) for table in HOOK_TABLES):
        return "has hooks"
    for name in ("weight", "bias"):
        value = linear._parameters.get(name)
        if value is None:
            if name == "bias" and name in linear._parameters:
                continue
            return f"holds no {name} parameter"
        if type(value) not in (nn.Parameter, torch.Tensor):
            return f"{name} is a {type(value).__name__}"
        if type(value.data) is not torch.Tensor:
            return f"{name} is a {type(value.data).__name__}"
        if value.is_meta and not allow_meta:
            return f"{name} is on the meta device (offloaded, or not loaded yet)"
        if value.dtype not in PLAIN_TYPES or value.layout != torch.strided:
            return f"{name} is {value.dtype}, {value.layout}"
        if value.dim() != (2 if name == "weight" else 1) or value.numel() == 0:
            return f"{name} has shape {tuple(value.shape)} (a gathered shard, or empty)"
    return None


def splits(linears: dict[str, nn.Module]) -> list[tuple[str, str | None, str]]:
    """Every (gate, up, down) by name whose shapes fit: gate and up [F, D] and down [O, F], or gate [2F, D] stacked and down [O, F]."""
    shape = {name: (linear.out_features, linear.in_features) for name, linear in linears.items()}
    if len(linears) == 2:
        return [(a, None, b) for a, b in itertools.permutations(linears, 2) if shape[a][0] == 2 * shape[b][1]]
    if len(linears) == 3:
        return [(a, b, c) for a, b, c in itertools.permutations(linears, 3) if shape[a] == shape[b] and shape[c][1] == shape[a][0]]
    return []


def one_argument(module: nn.Module) -> str | None:
    """The name of the class forward's one required parameter; None if it needs none or more than one."""
    try:
        parameters = list(inspect.signature(type(module).forward).parameters.values())[1:]
    except (TypeError, ValueError):
        return None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if len(required) == 1 and positional and positional[0] is required[0]:
        return required[0].name
    return None


def is_activation(module: nn.Module) -> bool:
    known = type(module).__module__ in ("torch.nn.modules.activation", "transformers.activations") or type(module) is nn.Identity
    return known and not any(True for _ in module.parameters()) and not any(True for _ in module.buffers())


def scalars(module: nn.Module) -> tuple[tuple[str, object], ...]:
    """The module's own numbers, switches and functions. A later change of one (a clamp limit, a multiplier) makes it run its original."""
    kinds = (bool, int, float, str, types.FunctionType, types.BuiltinFunctionType)
    return tuple((name, value) for name, value in module.__dict__.items() if name not in ("training", "forward") and type(value) in kinds)


def candidates(module: nn.Module, *, expert: bool = False, allow_meta: bool = False) -> list[Match] | Refusal | None:
    """Every formula that `module` could compute, or why it is left alone; None where it does not look like a gated MLP at all."""
    if isinstance(module, torch.jit.ScriptModule):
        return Refusal("it is a TorchScript module: its forward is compiled", True) if is_likely(module) else None
    children = {name: child for name, child in module._modules.items() if child is not None}
    linears = {name: child for name, child in children.items() if looks_linear(child)}
    likely = is_likely(module)
    parts = [name for name in children if any(name in named and named <= set(children) for named in NAMED_PARTS)]
    if wrapped := [f"{name} is a {type(children[name]).__name__}" for name in parts if name not in linears]:
        return Refusal(f"{wrapped[0]}, not a plain torch.nn.Linear", True)
    if not linears:
        stacks = sorted(name for name, value in module._parameters.items() if value is not None and value.dim() == 3 and name in EXPERT_PARAMETERS)
        return Refusal(f"mixture of experts: {', '.join(stacks)} hold one matrix per expert", True) if stacks else None
    fits = splits(linears)
    argument = one_argument(module)
    if not fits or argument is None:
        if not likely:
            return None
        return Refusal("its shapes are not those of a gated MLP" if not fits else "its forward does not take one tensor", True)
    if expert:
        return Refusal("an expert of a mixture: it sees a different number of rows in every call", True)
    if forward_replaced(module):
        return Refusal("its forward was replaced (offloaded, dispatched or wrapped)", likely)
    if any(getattr(module, table) for table in HOOK_TABLES):
        return Refusal("it has hooks", likely)
    for name, linear in linears.items():
        if reason := why_not_plain(linear, allow_meta):
            return Refusal(f"{name} {reason}", likely)
    weights = [parameter for linear in linears.values() for parameter in linear._parameters.values() if parameter is not None]
    if len({(w.device, w.dtype) for w in weights}) > 1:
        return Refusal(f"its weights differ in type or device: {sorted({f'{w.dtype} on {w.device}' for w in weights})}", likely)
    fits = [(gate, up, down) for gate, up, down in fits if up is None or (linears[gate].bias is None) == (linears[up].bias is None)]
    if not fits:
        return Refusal("one of gate and up has a bias, the other has none", likely)
    if own := [name for table in (module._parameters, module._buffers) for name, value in table.items() if value is not None]:
        return Refusal(f"it has parameters or buffers of its own: {', '.join(own)}", likely)
    rest = {name: child for name, child in children.items() if name not in linears}
    dropouts = tuple(name for name, child in rest.items() if type(child) is nn.Dropout)
    activations = [name for name, child in rest.items() if is_activation(child)]
    if other := [name for name in rest if name not in dropouts and name not in activations]:
        return Refusal(f"it has another child: {', '.join(f'{name} ({type(rest[name]).__name__})' for name in other)}", likely)
    act = (activations[0], type(rest[activations[0]]), scalars(rest[activations[0]])) if len(activations) == 1 else None
    return [
        Match(gate, up, down, layout, argument=argument, dropouts=dropouts, constants=scalars(module), activation_child=act)
        for gate, up, down in fits
        for layout in (STACKED_LAYOUTS if up is None else ("separate",))
    ]

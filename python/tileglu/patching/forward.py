"""The forward that a patched instance gets. It reads the weights at every call, and runs the class's own forward whenever in doubt."""

from __future__ import annotations

import functools
import inspect
import types

import torch
from torch import nn
from torch.nn.modules import module as module_globals

from .._functional import gated_mlp
from .match import Match, halves
from .structure import HOOK_TABLES, PLAIN_TYPES

TENSORS = {torch.Tensor, nn.Parameter, torch._subclasses.FakeTensor, torch._subclasses.functional_tensor.FunctionalTensor}


def readable(linear: nn.Module | None) -> bool:
    """May `linear`'s weight be read around its forward, now? A LoRA wrapper, a hook or a parametrisation may have come after the patch."""
    if type(linear) is not nn.Linear or "forward" in linear.__dict__:
        return False
    for table in HOOK_TABLES:
        if linear.__dict__[table]:
            return False
    weight = linear._parameters.get("weight")
    return type(weight) in TENSORS and weight.dtype in PLAIN_TYPES and weight.dim() == 2 and not weight.is_meta and "bias" in linear._parameters


def transformed() -> bool:
    """Inside vmap, jvp, functorch's grad, or under global module hooks: things that only the original forward knows."""
    if torch.compiler.is_compiling():
        return False
    if torch._C._functorch.peek_interpreter_stack() is not None or torch.autograd.forward_ad._current_level >= 0:
        return True
    return bool(module_globals._global_forward_hooks or module_globals._global_forward_pre_hooks or module_globals._global_backward_hooks)


@functools.lru_cache(maxsize=None)
def make_forward(match: Match, own_forward: types.FunctionType):
    """The forward of every module with this match and class: one function object, so that equal layers share compiled code.

    It is called `forward` and binds to the module by types.MethodType: a deep copy of the module is patched too, and a pickled one comes
    back with its own forward and loads where tileglu is not installed.
    """
    gate_name, up_name, down_name = match.gate, match.up, match.down
    layout = None if match.up is not None else match.layout
    activation, argument, ranks, constants, dropouts = match.activation, match.argument, match.ranks, match.constants, match.dropouts
    act_name, act_type, act_constants = match.activation_child or (None, None, ())
    same_in_training = match.same_in_training

    def unchanged(self) -> bool:
        attributes, children = self.__dict__, self._modules
        for name, value in constants:
            if attributes.get(name) != value:
                return False
        if act_name is not None:
            act = children.get(act_name)
            if type(act) is not act_type:
                return False
            for name, value in act_constants:
                if act.__dict__.get(name) != value:
                    return False
        if not self.training:
            return True
        for name in dropouts:
            dropout = children.get(name)
            if dropout is not None and dropout.training and dropout.p > 0:
                return False
        return same_in_training

    def forward(self, *args, **kwargs):
        if len(args) == 1 and not kwargs:
            x = args[0]
        elif not args and len(kwargs) == 1 and argument in kwargs:
            x = kwargs[argument]
        else:
            return type(self).forward(self, *args, **kwargs)
        children = self._modules
        gate, down = children.get(gate_name), children.get(down_name)
        up = gate if up_name is None else children.get(up_name)
        if type(x) in TENSORS and x.dim() in ranks and unchanged(self) and readable(gate) and readable(up) and readable(down) and not transformed():
            of_gate, of_up, of_down = gate._parameters, up._parameters, down._parameters  # nn.Module's attributes cost half a microsecond each
            w_gate, w_up, w_down = of_gate["weight"], of_up["weight"], of_down["weight"]
            bias_gate, bias_up = of_gate["bias"], of_up["bias"]
            one_device = x.device == w_gate.device == w_up.device == w_down.device
            fits = x.shape[-1] == w_gate.shape[1] and w_up.shape == w_gate.shape
            one_type = w_gate.dtype == w_up.dtype == w_down.dtype and (x.dtype == w_gate.dtype or torch.is_autocast_enabled(x.device.type))
            biases = (bias_gate is None) == (bias_up is None)
            if one_device and fits and one_type and biases:
                if up_name is None:
                    w_up = None
                    bias_gate, bias_up = (None, None) if bias_gate is None else halves(match, bias_gate)
                return gated_mlp(
                    x, w_gate, w_up, w_down, bias_gate=bias_gate, bias_up=bias_up, bias_down=of_down["bias"], activation=activation, layout=layout
                )
        return type(self).forward(self, *args, **kwargs)

    forward.tileglu_match = match
    forward.__signature__ = inspect.signature(own_forward)  # torch.export matches dynamic_shapes with the names of the arguments
    return forward


def match_of(module: nn.Module) -> Match | None:
    """The match that `module` was patched with; None if it is not patched."""
    bound = module.__dict__.get("forward")
    return getattr(getattr(bound, "__func__", None), "tileglu_match", None)


def install(module: nn.Module, match: Match) -> None:
    module.__dict__["forward"] = types.MethodType(make_forward(match, type(module).forward), module)


def remove(module: nn.Module) -> bool:
    """Give `module` its class's forward back. Also from under a wrapper that keeps the old forward in `_old_forward`, as accelerate does."""
    if match_of(module) is not None:
        del module.__dict__["forward"]
        return True
    kept = module.__dict__.get("_old_forward")
    if getattr(getattr(kept, "__func__", None), "tileglu_match", None) is not None:
        module.__dict__["_old_forward"] = types.MethodType(type(module).forward, module)
        return True
    return False

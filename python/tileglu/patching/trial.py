"""The last look before a patch: the module and the kernel side by side on the module's own weights, type and device."""

from __future__ import annotations

import copy

import torch
from torch import nn

from .forward import make_forward
from .match import Match
from .probe import Unmatched

# Two correct computations in one type differ by a few roundings of the inner product; a wrong half, bias or clamp is off by tens of percent.
LIMIT = {torch.float64: 1e-6, torch.float32: 1e-3, torch.float16: 2e-2, torch.bfloat16: 5e-2}


def at_rest(module: nn.Module, match: Match) -> nn.Module:
    """`module` in evaluation mode without touching it: the same linears, copies of the children that know a mode."""
    twin = type(module).__new__(type(module))
    twin.__dict__.update(module.__dict__)
    twin.__dict__.pop("forward", None)
    twin.__dict__["training"] = False
    twin.__dict__["_modules"] = {
        name: child if child is None or name in match.linears else copy.deepcopy(child).eval() for name, child in module._modules.items()
    }
    return twin


def trial(module: nn.Module, match: Match) -> None:
    """Raises Unmatched unless the patched forward gives what the module gives for three random rows."""
    weight = module._modules[match.gate].weight
    rank = max(match.ranks & {2, 3})
    generator = torch.Generator(device="cpu").manual_seed(7)
    x = torch.randn(*((1,) if rank == 3 else ()), 3, weight.shape[1], generator=generator, dtype=torch.float32, device="cpu")
    with torch.inference_mode(False), torch.no_grad(), torch.autocast(weight.device.type, enabled=False):
        x = x.to(device=weight.device, dtype=weight.dtype)
        twin = at_rest(module, match)
        expected, got = type(module).forward(twin, x), make_forward(match, type(module).forward)(twin, x)
    expected, got = expected.double(), got.double()
    if not torch.isfinite(expected).all():  # weights that were never set
        return
    error = ((got - expected).norm() / expected.norm().clamp_min(1e-30)).item()
    if not error <= LIMIT[weight.dtype]:
        raise Unmatched(f"on its own weights the kernel's result differs by {error:.2g} (at most {LIMIT[weight.dtype]:.0e} is allowed)")

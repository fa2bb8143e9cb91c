"""Tensor parallelism for gated MLPs: each rank computes its own columns of Y and a partial sum of Z; one reduction makes Z whole.

>>> mesh = torch.distributed.device_mesh.init_device_mesh("cuda", (world_size,))
>>> tileglu.parallel.shard(model, mesh)                       # every gated MLP of a model that all ranks hold
>>> tileglu.parallel.load(empty_model, "checkpoint/", mesh)   # or: each rank reads its own bytes from safetensors
>>> parallelize_module(model, mesh, tileglu.parallel.plan(model) | plan_of_the_rest)
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor

from ..patching.match import Match
from ..patching.probe import Unmatched
from ..patching.structure import Refusal, is_likely
from .checkpoint import Checkpoint
from .groups import check_agreement, group_of
from .sharding import Part, check_divides, columns, part_of, whole
from .style import GatedMLPParallel, as_parameter, device_of, facts, match_for, sharded_match

__all__ = ["Checkpoint", "GatedMLPParallel", "LoadReport", "full_state_dict", "load", "plan", "shard"]


def gated_mlps(model: nn.Module, *, allow_meta: bool = False) -> dict[str, Match]:
    """{module path: what it computes} of every gated MLP of `model`, by the rules of `tileglu.patch`."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model is a {type(model).__name__}; allowed is a torch.nn.Module")
    found = {}
    for name, module in model.named_modules():
        try:
            match = None if sharded_match(module) else match_for(module, allow_meta=allow_meta)
        except Unmatched:
            continue
        if isinstance(match, Match):
            found[name] = match
    return found


def why_none(model: nn.Module) -> str:
    """What speaks against the first module that looks like a gated MLP."""
    for name, module in model.named_modules():
        try:
            match = match_for(module)
        except Unmatched as verdict:
            match = Refusal(str(verdict), is_likely(module))
        if isinstance(match, Refusal) and match.likely:
            return f"; {name or type(module).__name__}: {match.reason}"
    return ""


def plan(model: nn.Module, **options) -> dict[str, GatedMLPParallel]:
    """A plan for torch's `parallelize_module`: {module path: GatedMLPParallel(**options)} of every gated MLP of `model`."""
    return {name: GatedMLPParallel(**options) for name in gated_mlps(model)}


def shard(model: nn.Module, mesh: DeviceMesh, **options) -> list[str]:
    """Shard every gated MLP of `model` over `mesh`, in place; returns their paths. Every rank holds the same whole model when it calls this.

    options: those of GatedMLPParallel. Nothing is changed if a check fails: sizes that do not divide (ValueError), ranks that hold different
    shapes, dtypes or formulas (RuntimeError, on every rank), no gated MLP at all (ValueError).
    """
    style, group = GatedMLPParallel(**options), group_of(mesh)
    found = gated_mlps(model)
    modules = dict(model.named_modules())
    sharded = [name for name, module in modules.items() if sharded_match(module)]
    check_agreement(group, [*style.facts(), *(facts(modules[name], match, name) for name, match in found.items())], "their gated MLPs")
    if not found and sharded:
        raise ValueError(f"model is sharded already: {sharded[0]}" + (f" and {len(sharded) - 1} more" if len(sharded) > 1 else ""))
    if not found:
        raise ValueError("model has no gated MLP that can be sharded" + (why_none(model) or ": no module has the shape of one"))
    for name, match in found.items():
        check_divides(columns(modules[name], match), dist.get_world_size(group), name)
    for name in found:
        style.shard(modules[name], mesh, name=name, checked=True)
    return list(found)


@dataclass(frozen=True)
class LoadReport:
    """What one rank did: paths of its sharded modules, tensor bytes that it read, tensor bytes in the checkpoint."""

    sharded: list[str]
    bytes_read: int
    bytes_total: int


def load(model: nn.Module, checkpoint: str | os.PathLike, mesh: DeviceMesh, *, device: torch.device | str | None = None, **options) -> LoadReport:
    """Fill `model` from safetensors and shard its gated MLPs; a rank reads its own rows and columns of them, and the rest whole.

    model: may be on the meta device (build it under `torch.device("meta")` or accelerate's init_empty_weights); parameter names are those of
    the checkpoint. device: where the weights go; the mesh's device by default. dtype stays that of the checkpoint where the model is on
    meta, and becomes the model's where it is not. Errors: KeyError (a parameter is not in the checkpoint), ValueError (a shape differs); what
    opening the checkpoint raises on one rank is a RuntimeError on the others.
    """
    style, group = GatedMLPParallel(**options), group_of(mesh)
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    if device is None:
        device = device_of(mesh)
    found, modules = gated_mlps(model, allow_meta=True), dict(model.named_modules())
    with contextlib.ExitStack() as opened:
        said = [*style.facts(), *(facts(modules[name], match, name) for name, match in found.items())]
        failed: Exception | None = None
        try:
            file = opened.enter_context(Checkpoint(checkpoint))
        except Exception as error:  # the other ranks are told before it is raised: they would wait for this one
            failed, said = error, [f"{type(error).__name__}: {error}"]
        try:
            check_agreement(group, said, "their gated MLPs")
        finally:
            if failed is not None:
                raise failed
        for name, match in found.items():
            check_divides(columns(modules[name], match), world, name)
        owners = {
            f"{name}.{linear}".lstrip("."): (match, columns(modules[name], match), linear)
            for name, match in found.items()
            for linear in match.linears
        }
        tensors = [(path, module._parameters, key) for path, module in modules.items() for key, p in module._parameters.items() if p is not None]
        saved = [
            (path, m._buffers, key)
            for path, m in modules.items()
            for key, b in m._buffers.items()
            if b is not None and key not in m._non_persistent_buffers_set
        ]
        seen: dict[int, nn.Parameter] = {}  # tied parameters stay tied
        for path, table, key in tensors + saved:
            old, name = table[key], f"{path}.{key}".lstrip(".")
            if id(old) in seen:
                table[key] = seen[id(old)]
                continue
            if name not in file.entries:
                twins = [other for other, o in model.named_parameters(remove_duplicate=False) if o is old and other in file.entries]
                if not twins:
                    raise KeyError(f"{name} is not in {checkpoint}")
                name = twins[0]
            if file.shape(name) != tuple(old.shape):
                raise ValueError(f"{name} has shape {list(file.shape(name))} in {checkpoint}; the model has {list(old.shape)}")
            match, n, linear = owners.get(path, (None, 0, ""))
            part = Part() if match is None else part_of(match, linear, key, n, rank, world)
            value = file.read(name, part).to(device=device, dtype=None if old.is_meta else old.dtype)
            if not isinstance(old, nn.Parameter):
                new = value
            elif match is None:
                new = nn.Parameter(value, requires_grad=old.requires_grad)
            else:
                new = as_parameter(value, match, linear, part, mesh, old.requires_grad)
            seen[id(old)] = table[key] = new
        for name, match in found.items():
            style.install(modules[name], style.forward_of(modules[name], match, mesh))
        return LoadReport(list(found), file.bytes_read, file.total_bytes)


def full_state_dict(model: nn.Module, mesh: DeviceMesh) -> dict[str, torch.Tensor]:
    """`model.state_dict()` with every sharded tensor put together, in the checkpoint's own layout. A collective: every rank calls it."""
    group = group_of(mesh)
    world = dist.get_world_size(group)
    state = {name: value.full_tensor() if isinstance(value, DTensor) else value for name, value in model.state_dict().items()}
    for path, module in model.named_modules():
        match = sharded_match(module)
        if match is None or match.up is not None:
            continue
        for kind in ("weight", "bias"):
            name = f"{path}.{match.gate}.{kind}".lstrip(".")
            if name in state:
                local = state[name].contiguous()
                parts = [torch.empty_like(local) for _ in range(world)]
                dist.all_gather(parts, local, group=group)
                state[name] = whole(match, match.gate, kind, parts)
    return state

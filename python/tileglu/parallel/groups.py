"""The process group of a mesh, and what must be true of it before anything is sent: errors here instead of hangs later."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh


def group_of(mesh: DeviceMesh) -> dist.ProcessGroup:
    """The group of a one-dimensional mesh. Raises RuntimeError or ValueError, saying what is missing."""
    if not dist.is_available() or not dist.is_initialized():
        raise RuntimeError("no process group: start the program with torchrun and call torch.distributed.init_process_group first")
    if not isinstance(mesh, DeviceMesh):
        raise TypeError(f"mesh is a {type(mesh).__name__}; allowed is a torch.distributed.DeviceMesh, from init_device_mesh")
    if mesh.ndim != 1:
        raise ValueError(f"mesh has {mesh.ndim} dimensions; allowed is one, take a named one: mesh['tp']")
    if mesh.device_type == "cuda" and not dist.is_nccl_available():
        raise RuntimeError("mesh is on cuda, and this build of torch has no NCCL: install one that has, or use a mesh on cpu")
    group = mesh.get_group()
    if mesh.device_type == "cuda" and "nccl" not in dist.get_backend_config(group):
        raise RuntimeError(f"mesh is on cuda, and its process group runs {dist.get_backend_config(group)}; allowed is backend='nccl'")
    return group


def check_device(mesh: DeviceMesh, tensor: torch.Tensor, name: str) -> None:
    if tensor.device.type not in (mesh.device_type, "meta"):
        raise ValueError(f"{name} is on {tensor.device}, and the mesh is on {mesh.device_type}; move the model first: model.to({mesh.device_type!r})")


def check_agreement(group: dist.ProcessGroup, facts: list[str], what: str) -> None:
    """Every rank must say the same, or every rank raises: a collective on unequal shapes hangs or returns garbage."""
    told: list[list[str] | None] = [None] * dist.get_world_size(group)
    dist.all_gather_object(told, facts, group=group)
    for rank, others in enumerate(told):
        if others == told[0]:
            continue
        first, other = next(((a, b) for a, b in zip(told[0] + ["nothing"], others + ["nothing"]) if a != b), (str(told[0]), str(others)))
        raise RuntimeError(f"ranks differ in {what}: rank 0 has {first}, rank {rank} has {other}; every rank must hold the same")

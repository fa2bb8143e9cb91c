"""Bad input: what is refused, and how the other ranks end when one dies. Part `refuse`."""

from __future__ import annotations

import torch
import torch.distributed as dist

import death
from setting import RANK, WORLD, Setting
from tileglu import parallel
from tileglu.nn import GatedMLP


def said(words: str, call) -> str:
    """The error that `call` raises; empty where it raises none, or one without these words."""
    try:
        call()
    except (ValueError, RuntimeError) as error:
        if words in str(error):
            return f"{type(error).__name__}: {error}"
        print(f"  rank {RANK}: not {words!r} but {error}", flush=True)
    return ""


def refuse(setting: Setting, save=lambda result: None) -> dict:
    if WORLD == 1:
        return dict(cases={"all": "needs two ranks"}, passed=True)

    def mlp(inner=64 * WORLD, dtype=torch.bfloat16):
        return GatedMLP(64, inner, device=setting.device, dtype=dtype)

    other = RANK == WORLD - 1
    watched = mlp()
    parallel.shard(watched, setting.mesh, check_inputs=True)
    x = torch.ones(3 + other, 64, device=setting.device, dtype=torch.bfloat16)
    half = torch.float16 if other else torch.bfloat16
    cases = {
        "N not divisible by 8 times the world size": said("must be a multiple of", lambda: parallel.shard(mlp(64 * WORLD + 8), setting.mesh)),
        "ranks with different shapes": said("ranks differ", lambda: parallel.shard(mlp(64 * WORLD * (1 + other)), setting.mesh)),
        "ranks with different dtypes": said("ranks differ", lambda: parallel.shard(mlp(dtype=half), setting.mesh)),
        "ranks with different inputs, check_inputs=True": said("ranks differ in their input", lambda: watched(x)),
    }
    if setting.gpu:
        at_home = GatedMLP(64, 64 * WORLD, device="cpu")
        gloo = dist.DeviceMesh.from_group(dist.new_group(backend="gloo"), "cuda")
        cases["a model on another device"] = said("move the model first", lambda: parallel.shard(at_home, setting.mesh))
        cases["a process group without NCCL"] = said("its process group runs", lambda: parallel.shard(mlp(), gloo))
    save(dict(cases=cases, passed=False))
    if RANK == 0:
        cases |= death.all_ends(setting.device.type)
    dist.barrier()
    return dict(cases=cases, passed=all(cases.values()))

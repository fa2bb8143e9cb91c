"""Where a run takes place: device, mesh, sizes; and what every part of it does with tensors."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import init_device_mesh

RANK, WORLD, LOCAL = (int(os.environ.get(name, default)) for name, default in (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0")))
CELLS = json.loads((Path(__file__).parents[1] / "race" / "cells.json").read_text())
QWEN = {name: tuple(CELLS["qwen2.5"]["models"][name]) for name in ("7B", "14B", "72B")}  # (hidden, intermediate)


class Setting:
    """One rank's place. On the CPU (gloo) sizes are small: that run checks the scripts."""

    def __init__(self, device: str):
        self.gpu = device == "cuda"
        self.device = torch.device("cuda", LOCAL) if self.gpu else torch.device("cpu")
        if self.gpu:
            torch.cuda.set_device(self.device)
            # Without it a rank whose collective timed out sleeps a minute before it ends, so that a record of all collectives can be written.
            os.environ.setdefault("TORCH_NCCL_DUMP_ON_TIMEOUT", "0")
        dist.init_process_group("nccl" if self.gpu else "gloo", timeout=datetime.timedelta(seconds=120), device_id=self.device if self.gpu else None)
        self.mesh = init_device_mesh(device, (WORLD,))
        self.models = QWEN if self.gpu else {"small": (64, 128 * WORLD)}
        self.rows = (1, 16, 128, 1024, 4096) if self.gpu else (1, 16, 512)
        self.lengths = (1, 7, 512, 2048) if self.gpu else (1, 7, 64)
        hidden, step = (1024 if self.gpu else 64), 8 * WORLD
        self.mlp = (hidden, -(-4 * hidden // step) * step)

    def synchronize(self) -> None:
        if self.gpu:
            torch.cuda.synchronize()

    def slowest(self, value: float) -> float:
        """The largest value of all ranks."""
        tensor = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.all_reduce(tensor, dist.ReduceOp.MAX)
        return tensor.item()

    def told(self, value) -> list:
        """What every rank says, by rank."""
        values = [None] * WORLD
        dist.all_gather_object(values, value)
        return values


def first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200]


def relative(value: torch.Tensor, exact: torch.Tensor) -> float:
    return ((value.double() - exact).norm() / exact.norm()).item()


def same_everywhere(value: torch.Tensor) -> bool:
    """Do all ranks hold these bits?"""
    gathered = [torch.empty_like(value) for _ in range(WORLD)]
    dist.all_gather(gathered, value.contiguous())
    return all(torch.equal(other, value) for other in gathered)


def waited(value: torch.Tensor) -> torch.Tensor:
    """torch's styles return a tensor whose collective is still on its way; a graph can't end before it has arrived."""
    return value.wait() if isinstance(value, AsyncCollectiveTensor) else value


def captured(step, warmups: int = 2) -> tuple[torch.cuda.CUDAGraph, torch.Tensor]:
    """`step` as a CUDA graph, and its output. It runs outside first: communicators connect, kernels load. thread_local: NCCL's watchdog,
    a thread of its own, may query its events meanwhile."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(warmups):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        out = step()
    return graph, out

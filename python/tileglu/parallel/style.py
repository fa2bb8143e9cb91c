"""The parallel style for one gated MLP: what `parallelize_module` applies."""

from __future__ import annotations

import types

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import ParallelStyle

from .._functional import gated_linear
from ..nn import GatedMLP
from ..patching.forward import match_of
from ..patching.match import Match, halves
from ..patching.probe import Unmatched, find
from ..patching.structure import HOOK_TABLES, Refusal
from .collectives import CopyToRanks, SumOverRanks, product_and_reduce, product_over_peers
from .groups import check_agreement, check_device, group_of
from .peers import peers_of
from .sharding import check_divides, columns, part_of

REDUCE_TYPES = (None, torch.float32, torch.bfloat16, torch.float16)


def match_for(module: nn.Module, *, allow_meta: bool = False) -> Match | Refusal | None:
    """What `module` computes: as it was patched, as a tileglu.nn.GatedMLP says, or as a probe finds. Raises Unmatched."""
    if (known := match_of(module)) is not None:
        return known
    if isinstance(module, GatedMLP):
        if module.alpha is not None or module.limit is not None or module.activation == "gpt_oss":
            return Refusal("tileglu.parallel takes no alpha or limit", True)
        if module.numerics != "fp32_through":
            return Refusal(f"tileglu.parallel computes fp32_through only, numerics is {module.numerics}", True)
        if module.separate:
            return Match("gate_proj", "up_proj", "down_proj", activation=module.activation)
        return Match("gate_up_proj", None, "down_proj", layout=module.layout, activation=module.activation)
    return find(module, allow_meta=allow_meta)


def facts(module: nn.Module, match: Match, name: str) -> str:
    tensors = [
        f"{linear}.{kind} {tuple(p.shape)} {p.dtype}"
        for linear in match.linears
        for kind, p in module._modules[linear]._parameters.items()
        if p is not None
    ]
    return f"{name or type(module).__name__}: {match.activation} {match.layout}, {', '.join(tensors)}"


def as_parameter(local: Tensor, match: Match, linear: str, part, mesh: DeviceMesh, requires_grad: bool) -> nn.Parameter:
    """A rank's part as torch's own styles hold it, a DTensor, so that checkpoints and optimisers know the whole. The two halves that a rank
    holds of a stacked weight are no placement that torch 2.11 can gather, and stay plain: `full_state_dict` puts them together."""
    if part.ranges and len(part.ranges) == 1 and (match.up is not None or linear == match.down):
        local = DTensor.from_local(local, mesh, [Shard(part.dim)], run_check=False)
    return nn.Parameter(local, requires_grad=requires_grad)


def local_of(value: Tensor | None) -> Tensor | None:
    return value.to_local() if isinstance(value, DTensor) else value


def tracks(*tensors: Tensor | None) -> bool:
    return torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors)


def device_of(mesh: DeviceMesh) -> torch.device:
    """This rank's device."""
    return torch.device(mesh.device_type, torch.cuda.current_device()) if mesh.device_type == "cuda" else torch.device(mesh.device_type)


def checksum(x: Tensor) -> int:
    """Of the bits and where they are, modulo 2^64."""
    bits = x.detach().to(torch.float64).contiguous().view(torch.int64).flatten()
    return int((bits * torch.arange(1, bits.numel() + 1, device=bits.device)).sum())


def make_forward(
    match: Match, mesh: DeviceMesh, hidden: int, *, reduce_type: torch.dtype | None, pieces: int, peer_rows: int | None, check_inputs: bool
):
    """hidden: columns of Z."""
    group = group_of(mesh)
    group_name, world = group.group_name, dist.get_world_size(group)
    peers = peers_of(group, device_of(mesh), peer_rows, hidden)
    layout = None if match.up is not None else match.layout

    def forward(self, x: Tensor) -> Tensor:
        distributed = isinstance(x, DTensor)
        if distributed:
            x = x.redistribute(mesh, [Replicate()]).to_local(grad_placements=[Replicate()])
        gate, down = self._modules[match.gate], self._modules[match.down]
        up = gate if match.up is None else self._modules[match.up]
        for name, linear in ((match.gate, gate), (match.up or match.gate, up), (match.down, down)):
            if type(linear) is not nn.Linear or any(linear.__dict__[table] for table in HOOK_TABLES):
                raise RuntimeError(
                    f"{name} of a sharded gated MLP was wrapped or hooked after it was sharded; do that first, or shard the model anew"
                )
        if self.training and (not match.same_in_training or any(self._modules[name].p > 0 for name in match.dropouts)):
            raise RuntimeError("a sharded gated MLP has no dropout: set its p to 0, or call model.eval()")
        if check_inputs and not torch.compiler.is_compiling() and not (x.is_cuda and torch.cuda.is_current_stream_capturing()):
            check_agreement(group, [f"x {tuple(x.shape)} {x.dtype} with checksum {checksum(x)}"], "their input")
        w_gate, w_down = local_of(gate.weight), local_of(down.weight)
        w_up = None if match.up is None else local_of(up.weight)
        b_gate, b_up, b_down = local_of(gate.bias), None if match.up is None else local_of(up.bias), down.bias
        if match.up is None and b_gate is not None:
            b_gate, b_up = halves(match, b_gate)
        asked = tracks(x, w_gate, w_up, w_down, b_gate, b_up, b_down)
        if asked:
            x = CopyToRanks.apply(x, group_name)
        h = gated_linear(x, w_gate, w_up, bias_gate=b_gate, bias_up=b_up, activation=match.activation, layout=layout)
        if h.dtype != w_down.dtype:  # autocast
            w_down, b_down = w_down.to(h.dtype), None if b_down is None else b_down.to(h.dtype)
        if asked:
            y = SumOverRanks.apply(nn.functional.linear(h, w_down), group_name)
        else:
            rows = h.reshape(-1, h.shape[-1])
            near = not torch.compiler.is_compiling() and peers is not None and h.dtype.itemsize == 2
            if near and peers.fits(rows.shape[0], w_down.shape[0]):
                y = product_over_peers(rows, w_down, peers)
            else:
                wide = reduce_type or (torch.promote_types(h.dtype, torch.float32))
                y = product_and_reduce(rows, w_down, wide, group, group_name, world, pieces)
            y = y.view(*h.shape[:-1], w_down.shape[0])
        y = y if b_down is None else y + b_down
        return DTensor.from_local(y, mesh, [Replicate()], run_check=False) if distributed else y

    forward.tileglu_parallel = match
    return forward


def sharded_match(module: nn.Module) -> Match | None:
    """What a sharded module computes; None if it is not sharded."""
    return getattr(getattr(module.__dict__.get("forward"), "__func__", None), "tileglu_parallel", None)


class GatedMLPParallel(ParallelStyle):
    """Shard a gated MLP: gate and up by rows, down by columns, and one reduction at the end. For `parallelize_module`.

    The input is replicated: a local tensor that every rank holds, or a DTensor of any placement; the output is of the same kind, replicated.
    reduce_type: of the partial sums that are added up; None is float32 for bf16 and fp16 (one rounding, as on one GPU).
    pieces: cut the down projection by rows, so that a piece is reduced while the next is computed; 1: do not.
    peer_rows: calls of up to so many rows add partial sums over peer memory instead of NCCL (bf16 and fp16, GPUs of one host); 0: none do. None is
        4096 for two Hopper GPUs that reach each other, where it was faster at every size, and 0 elsewhere and beside other options. 6 peer_rows
        hidden bytes of memory are taken, once for all MLPs of a group. Not under torch.compile, which takes NCCL.
    check_inputs: compare shape, dtype and a checksum of the bits of x over the ranks in every call (for debugging: it synchronises).
    Applying it raises ValueError (no gated MLP, sizes that do not divide, wrong device) or RuntimeError (ranks differ, no process group).
    """

    def __init__(self, *, reduce_type: torch.dtype | None = None, pieces: int = 1, peer_rows: int | None = None, check_inputs: bool = False):
        super().__init__()
        if not isinstance(pieces, int) or pieces < 1:
            raise ValueError(f"pieces is {pieces!r}; allowed is 1 or more")
        if reduce_type not in REDUCE_TYPES:
            raise ValueError(f"reduce_type is {reduce_type}; allowed are {', '.join(map(str, REDUCE_TYPES))}")
        if peer_rows is not None and (not isinstance(peer_rows, int) or peer_rows < 0):
            raise ValueError(f"peer_rows is {peer_rows!r}; allowed are None, and 0 or more")
        if peer_rows is None and (pieces > 1 or reduce_type not in (None, torch.float32)):
            peer_rows = 0
        if peer_rows and reduce_type not in (None, torch.float32):
            raise ValueError(f"reduce_type is {reduce_type} beside peer_rows, which adds in float32; allowed is None")
        self.options = dict(reduce_type=reduce_type, pieces=pieces, peer_rows=peer_rows, check_inputs=check_inputs)

    def facts(self) -> list[str]:
        """What every rank must say of its options: with others, a rank would wait for a collective that no other calls."""
        return ["options " + ", ".join(f"{name}={value}" for name, value in self.options.items())]

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh) -> nn.Module:
        return self.shard(module, device_mesh, name="", checked=False)

    def shard(self, module: nn.Module, mesh: DeviceMesh, *, name: str, checked: bool) -> nn.Module:
        group = group_of(mesh)
        if sharded_match(module) is not None:
            raise ValueError(f"{name or type(module).__name__} is sharded already")
        try:
            match = match_for(module)
        except Unmatched as verdict:
            match = Refusal(str(verdict), True)
        if not isinstance(match, Match):
            raise ValueError(f"{name or type(module).__name__} is no gated MLP: {match.reason if match else 'its children do not look like one'}")
        rank, world, n = dist.get_rank(group), dist.get_world_size(group), columns(module, match)
        if not checked:
            check_agreement(group, [*self.facts(), facts(module, match, name)], "a gated MLP's weights")
        check_divides(n, world, name)
        tensors = [
            (linear, kind, parameter)
            for linear in match.linears
            for kind, parameter in module._modules[linear]._parameters.items()
            if parameter is not None
        ]
        for linear, kind, parameter in tensors:
            check_device(mesh, parameter, f"{name}.{linear}.{kind}".lstrip("."))
        forward = self.forward_of(module, match, mesh)
        for linear, kind, parameter in tensors:
            part = part_of(match, linear, kind, n, rank, world)
            local = part.of(parameter.detach()).clone(memory_format=torch.contiguous_format)
            module._modules[linear]._parameters[kind] = as_parameter(local, match, linear, part, mesh, parameter.requires_grad)
        self.install(module, forward)
        return module

    def forward_of(self, module: nn.Module, match: Match, mesh: DeviceMesh):
        return make_forward(match, mesh, module._modules[match.down].out_features, **self.options)

    def install(self, module: nn.Module, forward) -> None:
        module.__dict__["forward"] = types.MethodType(forward, module)

"""What the race compares, on the same weights: torch's DTensor MLP, tileglu's sharded one in its variants, and both on one device.

  dtensor        torch's parallelize_module: ColwiseParallel stacked gate_up, one fused silu-and-mul kernel, RowwiseParallel down, bf16 all-reduce
  tileglu        float32 partial sums over NCCL (peer_rows=0), rounded once; nothing overlaps
  peers          the same sums over peer memory: the default where it is available
  split          as tileglu; the down projection's rows are cut in two, and the first half is reduced while the second is computed
  split in 4     in four
  head start     split, with a tiny kernel ahead of the second product, so that the reduction's blocks find room first
  bf16 sums      tileglu, partial sums rounded to bf16 as dtensor does; `bf16 split` cuts that in two
  no reduction   tileglu's sharded products without the collective
  one device     tileglu unsharded, on rank 0 while the others wait; `one merged` is dtensor's modules unsharded
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import torch
from torch import nn
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import tileglu
from setting import RANK, WORLD, Setting, waited
from tileglu import parallel
from tileglu.nn import GatedMLP
from tileglu.parallel.collectives import partial_product, product_and_reduce

NAMES = ("dtensor", "tileglu", "peers", "split", "split in 4", "head start", "bf16 sums", "bf16 split", "no reduction", "one device", "one merged")
EXACT = ("tileglu", "peers", "split", "split in 4")  # float32 sums, and a user can ask for them
ALONE = ("one device", "one merged")  # rank 0 runs them, the others wait
CUT = ("split", "split in 4", "head start", "bf16 split")  # from CUT_FROM rows on
CUT_FROM = 512
COLD_BYTES = 180_000_000  # three times an H200's L2


def activation_of(setting: Setting):
    """silu(gate) * up over [M, 2n] -> [M, n]."""
    if setting.gpu:
        sys.path.append(str(Path(__file__).parents[1] / "race"))  # behind this folder: there too is a contenders.py
        from silu_and_mul import silu_and_mul

        return lambda h: silu_and_mul(h, h.new_empty(h.shape[0], h.shape[1] // 2))
    return lambda h: nn.functional.silu(h.chunk(2, -1)[0]) * h.chunk(2, -1)[1]


class Merged(nn.Module):
    """Stacked linear, one silu-and-mul, linear."""

    def __init__(self, hidden: int, inner: int, activation, **kind):
        super().__init__()
        self.gate_up, self.down = nn.Linear(hidden, 2 * inner, bias=False, **kind), nn.Linear(inner, hidden, bias=False, **kind)
        self.activation = activation

    def forward(self, x):
        return self.down(self.activation(self.gate_up(x)))


def sharded_by_torch(setting: Setting, merged: Merged, hidden: int, inner: int) -> Merged:
    """torch's styles cut the stacked matrix in W pieces of rows, one after the other: give them one whose pieces are the ranks' own halves."""
    theirs = Merged(hidden, inner, merged.activation, device="meta", dtype=torch.bfloat16)
    halves = merged.gate_up.weight.detach().view(2, inner, hidden)
    blocks = [halves[:, r * inner // WORLD : (r + 1) * inner // WORLD].reshape(-1, hidden) for r in range(WORLD)]
    theirs.gate_up.weight, theirs.down.weight = nn.Parameter(torch.cat(blocks)), merged.down.weight
    parallelize_module(theirs, setting.mesh, {"gate_up": ColwiseParallel(), "down": RowwiseParallel()}, src_data_rank=None)
    return theirs


class Contenders(dict):
    """Callables by name, each a list over the sets of weights. first: the whole weights of the first set, for the right answer."""

    first: Merged


def build(setting: Setting, hidden: int, inner: int, activation, wanted: tuple[str, ...]) -> Contenders:
    """As many sets of weights as it takes for them to be cold. The sharded ones share their weights."""
    sets = max(1, min(24, -(-COLD_BYTES * WORLD // (6 * hidden * inner)))) if setting.gpu else 1
    group, out = setting.mesh.get_group(), Contenders({name: [] for name in wanted})
    for number in range(sets):
        torch.manual_seed(100 + number)
        merged = Merged(hidden, inner, activation, device=setting.device, dtype=torch.bfloat16)
        nn.init.normal_(merged.gate_up.weight, std=hidden**-0.5)
        nn.init.normal_(merged.down.weight, std=inner**-0.5)
        whole = GatedMLP(hidden, inner, layout="gate_up", device="meta")
        whole.gate_up_proj.weight, whole.down_proj.weight = merged.gate_up.weight, merged.down.weight
        base = copy.copy(whole)
        base._modules = {name: copy.copy(child) for name, child in whole._modules.items()}
        for child in base._modules.values():
            child._parameters = dict(child._parameters)
        parallel.shard(base, setting.mesh, peer_rows=0)

        def variant(base=base, **options):
            module = copy.copy(base)
            style = parallel.GatedMLPParallel(**options)
            style.install(module, style.forward_of(base, parallel.style.sharded_match(base), setting.mesh))
            return module

        theirs = sharded_by_torch(setting, merged, hidden, inner)
        local, down = base.gate_up_proj.weight.detach(), base.down_proj.weight.to_local().detach()
        assert torch.equal(theirs.gate_up.weight.to_local(), local)

        def head_start(x, local=local, down=down):
            h = tileglu.gated_linear(x, local, layout="gate_up")
            return product_and_reduce(h, down, torch.float32, group, group.group_name, WORLD, 2, head_start=True)

        def no_reduction(x, local=local, down=down):
            h = tileglu.gated_linear(x, local, layout="gate_up")
            return partial_product(h, down, torch.float32).to(torch.bfloat16)

        contenders = {
            "dtensor": lambda: lambda x, theirs=theirs: waited(theirs(x)),
            "tileglu": lambda: base,
            "peers": lambda: variant(peer_rows=max(setting.rows)),
            "split": lambda: variant(pieces=2),
            "split in 4": lambda: variant(pieces=4),
            "head start": lambda: head_start,
            "bf16 sums": lambda: variant(reduce_type=torch.bfloat16),
            "bf16 split": lambda: variant(pieces=2, reduce_type=torch.bfloat16),
            "no reduction": lambda: no_reduction,
            "one device": lambda: whole,
            "one merged": lambda: merged,
        }
        out.first = merged if number == 0 else out.first
        for name in wanted:
            out[name].append(contenders[name]())
    return out

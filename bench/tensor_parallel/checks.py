"""Is the sharded MLP right? Parts `right`, `models` and `load`."""

from __future__ import annotations

import copy
import tempfile
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor.parallel import parallelize_module

import tileglu
from setting import LOCAL, RANK, WORLD, Setting, captured, first_line, relative, same_everywhere
from tileglu import parallel
from tileglu.nn import GatedMLP

ALLOWED = 1.1  # times the unsharded error


def sums_over(call) -> str:
    """Where `call` adds its partial sums: "peers" where it starts none of torch's collectives."""
    started = []

    def counted(function):
        return lambda *arguments, **options: (started.append(function), function(*arguments, **options))[1]

    with ExitStack() as stack:
        for name in ("all_reduce", "reduce_scatter_tensor", "all_gather_into_tensor"):
            stack.enter_context(mock.patch.object(dist, name, counted(getattr(dist, name))))
        call()
    return "collectives" if started else "peers"


def sums_by_default(setting: Setting) -> str:
    """What tileglu.parallel promises for the calls of these checks: peer memory between two Hopper GPUs that reach each other."""
    mine = setting.gpu and torch.cuda.get_device_capability() == (9, 0)
    mine = mine and all(torch.cuda.can_device_access_peer(LOCAL, other) for other in range(WORLD) if other != LOCAL)
    return "peers" if WORLD == 2 and all(setting.told(bool(mine))) else "collectives"


def check(setting: Setting, whole, sharded, make_input, exact_of, compile_at: int | None, sums: str) -> list[dict]:
    """Sharded against whole at every length: errors against float64, bits of three runs, a CUDA graph, torch.compile. sums: see sums_over."""
    rows = []
    for length in setting.lengths:
        x = make_input(length)
        exact = exact_of(x)
        got = sharded(x)
        row = dict(length=length, one=relative(whole(x), exact), sharded=relative(got, exact))
        row["ratio"] = setting.slowest(row["sharded"] / row["one"])
        row["sums"] = sums_over(lambda: sharded(x))
        row["same_bits"] = all(torch.equal(sharded(x), got) for _ in range(3)) and same_everywhere(got)
        if setting.gpu:
            row["graph_same_bits"] = False
            try:
                graph, out = captured(lambda: sharded(x))
                row["graph_same_bits"] = True
                for _ in range(3):
                    out.fill_(float("nan"))
                    graph.replay()
                    torch.cuda.synchronize()
                    row["graph_same_bits"] &= torch.equal(out, got)
                del graph, out
            except RuntimeError as error:  # a capture fails on every rank alike
                row["graph_error"] = first_line(error)
        if length == compile_at:
            try:
                compiled = torch.compile(sharded, fullgraph=True, **({} if setting.gpu else {"backend": "aot_eager"}))
                ratio = relative(compiled(x), exact) / row["one"]
            except Exception as error:  # whatever the compiler raises; it does so on every rank alike
                row["compile_error"], ratio = first_line(error), float("inf")
            row["compiled_ratio"] = setting.slowest(ratio)
        row["passed"] = setting.slowest(float(not (
            row["ratio"] <= ALLOWED and row["sums"] == sums and row["same_bits"]
            and row.get("graph_same_bits", True) and row.get("compiled_ratio", 0) <= ALLOWED
        ))) == 0  # fmt: skip
        rows.append(row)
    return rows


def right(setting: Setting) -> dict:
    """The gated MLP itself, in two layouts, with sums where they go by default, and elsewhere, and with the down projection cut by rows."""
    out = {}
    hidden, inner = setting.mlp
    default = sums_by_default(setting)
    for case, layout, options, sums in (
        ("separate", "separate", {}, default),
        ("gate_up", "gate_up", {}, default),
        ("over NCCL", "gate_up", dict(peer_rows=0), "collectives"),
        ("two pieces", "gate_up", dict(pieces=2), "collectives"),
        ("four pieces", "gate_up", dict(pieces=4), "collectives"),
        ("over peers", "gate_up", dict(peer_rows=2048), "peers"),
    ):
        if case == "over peers" and not setting.gpu:
            continue
        torch.manual_seed(1)
        whole = GatedMLP(hidden, inner, layout=layout, device=setting.device, dtype=torch.bfloat16)
        for parameter in whole.parameters():
            nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
        exact, sharded = copy.deepcopy(whole).double(), copy.deepcopy(whole)
        parallel.shard(sharded, setting.mesh, **options)
        batch = 64 if setting.gpu else 8

        def make_input(length):
            torch.manual_seed(length)
            return torch.randn(max(1, batch // length), length, hidden, device=setting.device, dtype=torch.bfloat16)

        compile_at = setting.lengths[2] if case in ("separate", "gate_up") else None
        out[case] = check(setting, whole, sharded, make_input, lambda x: exact(x.double()), compile_at, sums)
    return dict(cases=out, passed=all(row["passed"] for rows in out.values() for row in rows))


def models(setting: Setting, save=lambda result: None) -> dict:
    """Tiny Llama, Qwen2 and Phi-3 (whose gate and up are stacked): each rank holds its own part of every MLP. `save` is called after each."""
    from transformers import AutoModel, LlamaConfig, Phi3Config, Qwen2Config

    hidden, step = (256 if setting.gpu else 64), 8 * WORLD
    inner = -(-4 * hidden // step) * step
    sizes = dict(hidden_size=hidden, intermediate_size=inner, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=512,
                 max_position_embeddings=4096, pad_token_id=0, bos_token_id=1, eos_token_id=2)  # fmt: skip
    out, sums = {}, sums_by_default(setting)
    for name, config in (("llama", LlamaConfig), ("qwen2", Qwen2Config), ("phi3", Phi3Config)):
        torch.manual_seed(2)
        whole = AutoModel.from_config(config(**sizes)).eval().to(setting.device, torch.bfloat16)
        for parameter in whole.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
        exact, sharded = copy.deepcopy(whole).double(), copy.deepcopy(whole)
        tileglu.patch(whole)
        tileglu.patch(sharded)
        parallelize_module(sharded, setting.mesh, parallel.plan(sharded))

        # As many tokens at every length, so that the ratio of two rounding errors is not a matter of luck.
        tokens = 2048 if setting.gpu else 128

        def call(model):
            return lambda ids: model(
                ids, attention_mask=masks[ids.shape[1]], position_ids=positions[ids.shape[1]], use_cache=False
            ).last_hidden_state  # fmt: skip

        positions = {n: torch.arange(n, device=setting.device)[None] for n in setting.lengths}
        masks = {n: torch.ones(n, n, dtype=torch.bool, device=setting.device).tril()[None, None] for n in setting.lengths}

        def make_input(length):
            torch.manual_seed(length)
            return torch.randint(3, 500, (max(1, tokens // length), length), device=setting.device)

        compile_at = setting.lengths[2] if name == "llama" or not setting.gpu else None  # inductor takes its time
        out[name] = check(setting, call(whole), call(sharded), make_input, call(exact), compile_at, sums)
        save(dict(cases=out, passed=False))
    return dict(cases=out, passed=all(row["passed"] for rows in out.values() for row in rows))


def load(setting: Setting) -> dict:
    """From safetensors: the bytes that a rank reads, and whether the parts make the whole again."""
    import safetensors.torch

    hidden, inner = setting.mlp
    out = {}
    folder = [tempfile.mkdtemp() if RANK == 0 else None]
    dist.broadcast_object_list(folder, device=setting.device)
    for layout in ("separate", "gate_up"):
        torch.manual_seed(3)
        whole = nn.ModuleDict({"mlp": GatedMLP(hidden, inner, layout=layout, dtype=torch.bfloat16)})
        path = Path(folder[0]) / f"{layout}.safetensors"
        if RANK == 0:
            safetensors.torch.save_file({name: value.contiguous() for name, value in whole.state_dict().items()}, str(path))
        dist.barrier()
        with torch.device("meta"):
            empty = nn.ModuleDict({"mlp": GatedMLP(hidden, inner, layout=layout, dtype=torch.bfloat16)})
        report = parallel.load(empty, path, setting.mesh)
        state = parallel.full_state_dict(empty, setting.mesh)
        same = all(torch.equal(state[name].cpu(), value) for name, value in whole.state_dict().items())
        passed = same and report.bytes_read * WORLD == report.bytes_total
        out[layout] = dict(bytes_read=report.bytes_read, bytes_total=report.bytes_total, same=same, passed=passed)
    return dict(cases=out, passed=all(case["passed"] for case in out.values()))

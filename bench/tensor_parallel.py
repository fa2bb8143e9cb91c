"""The sharded gated MLP on several devices: is it right, and what does it gain?

    torchrun --nproc-per-node 2 bench/tensor_parallel.py [--device cuda|cpu] [--out bench/results/tensor_parallel] [--parts right,fast,...]

Any world size W such that 8 W divides the intermediate sizes (18944, 13824, 29568: up to 8). On the CPU (gloo) sizes are small and times mean
little: that run checks the script. Writes OUT.json and OUT.html; exits 1 if a check fails. Needs tileglu, and transformers for `models`.

  right   the sharded MLP against one device: error against float64 at most 1.1 times, equal bits in every run, CUDA graphs, torch.compile
  models  the same for sharded tiny Llama, Qwen2 and Phi-3 (stacked gate_up)
  load    sharded loading from safetensors reads a rank's own bytes
  refuse  sizes that do not divide, ranks that differ, a rank that dies
  fast    Qwen-2.5 7B, 14B, 72B at M = 1 to 4096, whole MLP with its reduction, in turns, each a CUDA graph, weights cold, slots under
          20 ms after 0.12 s of idling; a time is the slowest rank's, the median of five rounds

Contenders: `dtensor` is torch's parallelize_module (ColwiseParallel stacked gate_up, RowwiseParallel down, one bf16 all-reduce) with one fused
silu-and-mul kernel; `tileglu` adds float32 partial sums; `split` reduces the first half of the rows while the second is computed; `bf16 sums`
rounds partial sums as dtensor does; `no reduction` is tileglu's without the collective; `one device` and `one merged` are unsharded.
"""

from __future__ import annotations

import argparse
import copy
import datetime
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import tileglu
from tensor_parallel_page import page
from tileglu import parallel
from tileglu.nn import GatedMLP
from tileglu.parallel.collectives import partial_product

RANK, WORLD, LOCAL = (int(os.environ.get(name, default)) for name, default in (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0")))
LENGTHS = (1, 7, 512, 2048)
ALLOWED = 1.1  # times the unsharded error
QWEN = {"7B": (3584, 18944), "14B": (5120, 13824), "72B": (8192, 29568)}
ROWS = (1, 16, 128, 1024, 4096)
COLD_BYTES = 180_000_000  # three times an H200's L2


class Setting:
    """Where the run takes place: device, mesh, sizes."""

    def __init__(self, device: str):
        self.gpu = device == "cuda"
        self.device = torch.device("cuda", LOCAL) if self.gpu else torch.device("cpu")
        if self.gpu:
            torch.cuda.set_device(self.device)
        dist.init_process_group("nccl" if self.gpu else "gloo", timeout=datetime.timedelta(seconds=120), device_id=self.device if self.gpu else None)
        self.mesh = init_device_mesh(device, (WORLD,))
        self.models = QWEN if self.gpu else {"small": (64, 128 * WORLD)}
        self.rows = ROWS if self.gpu else (1, 16, 256)
        self.lengths = LENGTHS if self.gpu else (1, 7, 64)
        self.mlp = (1024, 4096) if self.gpu else (64, 256)

    def synchronize(self) -> None:
        if self.gpu:
            torch.cuda.synchronize()

    def slowest(self, value: float) -> float:
        """The largest value of all ranks."""
        tensor = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.all_reduce(tensor, dist.ReduceOp.MAX)
        return tensor.item()


def relative(value: torch.Tensor, exact: torch.Tensor) -> float:
    return ((value.double() - exact).norm() / exact.norm()).item()


def same_everywhere(value: torch.Tensor) -> bool:
    """Do all ranks hold these bits?"""
    gathered = [torch.empty_like(value) for _ in range(WORLD)]
    dist.all_gather(gathered, value.contiguous())
    return all(torch.equal(other, value) for other in gathered)


def captured(step, warmups: int = 3) -> tuple[torch.cuda.CUDAGraph, torch.Tensor]:
    """`step` as a CUDA graph, and its output. thread_local: NCCL's watchdog may query its events meanwhile."""
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


def check(setting: Setting, whole, sharded, make_input, exact_of, compile_at: int | None) -> list[dict]:
    """Sharded against whole at every length: errors against float64, bits of three runs, a CUDA graph, torch.compile."""
    rows = []
    for length in setting.lengths:
        x = make_input(length)
        exact = exact_of(x)
        got = sharded(x)
        row = dict(length=length, one=relative(whole(x), exact), sharded=relative(got, exact))
        row["ratio"] = setting.slowest(row["sharded"] / row["one"])
        row["same_bits"] = all(torch.equal(sharded(x), got) for _ in range(3)) and same_everywhere(got)
        if setting.gpu:
            graph, out = captured(lambda: sharded(x))
            out.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            row["graph_same_bits"] = torch.equal(out, got)
        if length == compile_at:
            compiled = torch.compile(sharded, fullgraph=True, **({} if setting.gpu else {"backend": "aot_eager"}))
            row["compiled_ratio"] = setting.slowest(relative(compiled(x), exact) / row["one"])
        row["passed"] = setting.slowest(float(not (
            row["ratio"] <= ALLOWED and row["same_bits"] and row.get("graph_same_bits", True) and row.get("compiled_ratio", 0) <= ALLOWED
        ))) == 0  # fmt: skip
        rows.append(row)
    return rows


def right(setting: Setting) -> dict:
    out = {}
    hidden, inner = setting.mlp
    for layout in ("separate", "gate_up"):
        torch.manual_seed(1)
        whole = GatedMLP(hidden, inner, layout=layout, device=setting.device, dtype=torch.bfloat16)
        for parameter in whole.parameters():
            nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
        exact, sharded = copy.deepcopy(whole).double(), copy.deepcopy(whole)
        parallel.shard(sharded, setting.mesh)
        batch = 64 if setting.gpu else 8

        def make_input(length):
            torch.manual_seed(length)
            return torch.randn(max(1, batch // length), length, hidden, device=setting.device, dtype=torch.bfloat16)

        out[layout] = check(setting, whole, sharded, make_input, lambda x: exact(x.double()), setting.lengths[2])
    return dict(cases=out, passed=all(row["passed"] for rows in out.values() for row in rows))


def models(setting: Setting) -> dict:
    from transformers import AutoModel, LlamaConfig, Phi3Config, Qwen2Config

    hidden, layers = (256, 4) if setting.gpu else (64, 2)
    sizes = dict(hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=layers, num_attention_heads=4, num_key_value_heads=2, vocab_size=512,
                 max_position_embeddings=4096, pad_token_id=0, bos_token_id=1, eos_token_id=2)  # fmt: skip
    out = {}
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

        compile_at = setting.lengths[2] if name == "llama" else None
        out[name] = check(setting, call(whole), call(sharded), make_input, call(exact), compile_at)
    return dict(cases=out, passed=all(row["passed"] for rows in out.values() for row in rows))


def load(setting: Setting) -> dict:
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
        out[layout] = dict(
            bytes_read=report.bytes_read, bytes_total=report.bytes_total, same=same, passed=same and report.bytes_read * WORLD == report.bytes_total
        )
    return dict(cases=out, passed=all(case["passed"] for case in out.values()))


def refuse(setting: Setting) -> dict:
    def said(call) -> str:
        try:
            call()
        except (ValueError, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def mlp(inner=64 * WORLD, dtype=torch.bfloat16):
        return GatedMLP(64, inner, device=setting.device, dtype=dtype)

    cases = {
        "N not divisible by 8 times the world size": said(lambda: parallel.shard(mlp(64 * WORLD + 8), setting.mesh)) if WORLD > 1 else "one rank",
        "ranks with different shapes": said(lambda: parallel.shard(mlp(64 * WORLD * (1 + (RANK == 0))), setting.mesh)) if WORLD > 1 else "one rank",
        "ranks with different dtypes": said(lambda: parallel.shard(mlp(dtype=torch.float16 if RANK == 0 else torch.bfloat16), setting.mesh))
        if WORLD > 1
        else "one rank",
    }
    if RANK == 0 and WORLD > 1:
        cases["a rank that dies"] = death(setting)
    dist.barrier()
    return dict(cases=cases, passed=all(cases.values()))


def death(setting: Setting, timeout: int = 8) -> str:
    """Two processes of their own; one leaves before the reduction. How the other ends: an exception, or the end of the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith("TORCHELASTIC")}
    env |= dict(WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    command = [sys.executable, __file__, "--device", setting.device.type, "--die", str(timeout)]
    started = time.monotonic()
    pair = [
        subprocess.Popen(command, env=env | dict(RANK=str(r), LOCAL_RANK=str(r)), stderr=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        for r in (0, 1)
    ]
    try:
        text, _ = pair[0].communicate(timeout=timeout + 60)
    except subprocess.TimeoutExpired:
        return ""
    finally:
        for process in pair:
            process.kill()
    waited = [line for line in text.splitlines() if line.startswith("survivor")]
    if not waited and pair[0].returncode == 0:
        return ""
    return f"{waited[0] if waited else f'ended with code {pair[0].returncode}'}; {time.monotonic() - started:.0f} s with the start of both, timeout {timeout} s"


def die(device: str, timeout: int) -> None:
    if device == "cuda":
        torch.cuda.set_device(LOCAL)
    dist.init_process_group("nccl" if device == "cuda" else "gloo", timeout=datetime.timedelta(seconds=timeout))
    mlp = GatedMLP(64, 128, device=device, dtype=torch.bfloat16)
    parallel.shard(mlp, init_device_mesh(device, (WORLD,)))
    if RANK == 1:
        os._exit(0)
    started = time.monotonic()
    try:
        with torch.inference_mode():
            mlp(torch.ones(4, 64, device=device, dtype=torch.bfloat16)).sum().item()
    except RuntimeError as error:
        print(f"survivor: {type(error).__name__} after {time.monotonic() - started:.1f} s: {str(error).splitlines()[0][:90]}", flush=True)
        os._exit(1)
    os._exit(0)


def silu_and_mul(setting: Setting):
    """One kernel over [M, 2n] -> [M, n], as serving engines have it."""
    if not setting.gpu:
        return lambda h: nn.functional.silu(h.chunk(2, -1)[0]) * h.chunk(2, -1)[1]
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(h, out, n, block: tl.constexpr):
        row, column = tl.program_id(0).to(tl.int64), tl.program_id(1) * block + tl.arange(0, block)
        keep = column < n
        gate = tl.load(h + row * 2 * n + column, keep).to(tl.float32)
        up = tl.load(h + row * 2 * n + n + column, keep).to(tl.float32)
        tl.store(out + row * n + column, (gate * tl.sigmoid(gate) * up).to(out.dtype.element_ty), keep)

    def call(h):
        n = h.shape[-1] // 2
        out = h.new_empty(*h.shape[:-1], n)
        kernel[(h.shape[0], triton.cdiv(n, 2048))](h, out, n, 2048, num_warps=8)
        return out

    return call


class Merged(nn.Module):
    """Stacked linear, one silu-and-mul, linear."""

    def __init__(self, hidden: int, inner: int, activation, **kind):
        super().__init__()
        self.gate_up, self.down = nn.Linear(hidden, 2 * inner, bias=False, **kind), nn.Linear(inner, hidden, bias=False, **kind)
        self.activation = activation

    def forward(self, x):
        return self.down(self.activation(self.gate_up(x)))


def build(setting: Setting, hidden: int, inner: int, activation) -> dict[str, list]:
    """Sets of modules by contender, enough of them that weights are cold. The sharded ones share their weights."""
    sets = max(1, min(24, -(-COLD_BYTES * WORLD // (6 * hidden * inner)))) if setting.gpu else 1
    kind = dict(device=setting.device, dtype=torch.bfloat16)
    out = {name: [] for name in ("dtensor", "tileglu", "split", "bf16 sums", "no reduction", "one device", "one merged")}
    for number in range(sets):
        torch.manual_seed(100 + number)
        merged = Merged(hidden, inner, activation, **kind)
        nn.init.normal_(merged.gate_up.weight, std=hidden**-0.5)
        nn.init.normal_(merged.down.weight, std=inner**-0.5)
        whole = GatedMLP(hidden, inner, layout="gate_up", device="meta")
        whole.gate_up_proj.weight, whole.down_proj.weight = merged.gate_up.weight, merged.down.weight
        base = copy.copy(whole)
        base._modules = {name: copy.copy(child) for name, child in whole._modules.items()}
        for child in base._modules.values():
            child._parameters = dict(child._parameters)
        parallel.shard(base, setting.mesh)
        local = base.gate_up_proj.weight
        versions = {"tileglu": base}
        for name, options in (("split", dict(pieces=2)), ("bf16 sums", dict(reduce_type=torch.bfloat16))):
            versions[name] = copy.copy(base)
            parallel.GatedMLPParallel(**options).install(versions[name], parallel.style.sharded_match(base), setting.mesh)
        # torch's styles cut the stacked matrix in W pieces of rows, one after the other: a matrix whose pieces are the ranks' own halves
        start, stop = RANK * inner // WORLD, (RANK + 1) * inner // WORLD
        theirs = Merged(hidden, inner, activation, device="meta", dtype=torch.bfloat16)
        blocks = [
            merged.gate_up.weight.view(2, inner, hidden)[:, r * inner // WORLD : (r + 1) * inner // WORLD].reshape(-1, hidden) for r in range(WORLD)
        ]
        theirs.gate_up.weight, theirs.down.weight = nn.Parameter(torch.cat(blocks)), merged.down.weight
        parallelize_module(theirs, setting.mesh, {"gate_up": ColwiseParallel(), "down": RowwiseParallel()}, src_data_rank=None)
        assert torch.equal(theirs.gate_up.weight.to_local(), local) and stop - start == local.shape[0] // 2
        del blocks
        down = base.down_proj.weight.to_local()

        def no_reduction(x, local=local, down=down):
            h = tileglu.gated_linear(x, local, layout="gate_up")
            return partial_product(h, down, torch.float32).to(torch.bfloat16)

        for name, module in (versions | {"dtensor": theirs, "no reduction": no_reduction, "one device": whole, "one merged": merged}).items():
            out[name].append(module)
    return out


def slot(graph, count: int) -> float:
    start, stop = torch.cuda.Event(True), torch.cuda.Event(True)
    start.record()
    for _ in range(count):
        graph.replay()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) / count


def race(setting: Setting, steps: dict, rounds: int = 5) -> dict[str, float]:
    """Milliseconds of one call by contender. Every rank runs the same contenders in the same order, and the same number of times."""
    if setting.gpu:
        graphs = {}
        for name, step in list(steps.items()):
            try:
                graphs[name] = captured(step)[0]
            except RuntimeError as error:  # every rank meets it alike; the other contenders still run
                print(f"  {name} can't be captured: {str(error).splitlines()[0][:120]}", flush=True)
                if name in ("tileglu", "dtensor", "no reduction", "one device"):
                    raise
                del steps[name]
        run = {name: (lambda count, g=graph: slot(g, count)) for name, graph in graphs.items()}
    else:

        def loop(step, count):
            started = time.perf_counter()
            for _ in range(count):
                step()
            return (time.perf_counter() - started) / count * 1e3

        run = {name: (lambda count, s=step: loop(s, count)) for name, step in steps.items()}
    counts = {}
    for name in steps:
        run[name](1)
        counts[name] = max(1, int(16 / setting.slowest(max(run[name](1), 1e-3)))) if setting.gpu else 2
    order = random.Random(7)
    took = {name: [] for name in steps}
    for _ in range(rounds if setting.gpu else 2):
        for name in order.sample(list(steps), len(steps)):
            dist.barrier()
            setting.synchronize()
            if setting.gpu:
                time.sleep(0.12)
            run[name](-(-counts[name] // 6))
            took[name].append(run[name](counts[name]))
    return {name: sorted(setting.slowest(t) for t in times)[len(times) // 2] for name, times in took.items()}


def fast(setting: Setting) -> dict:
    activation, rows, failed = silu_and_mul(setting), [], []
    if RANK == 0:
        print("  model     M   tileglu us | time / dtensor's: tileglu   split  bf16 sums | share of reduction  efficiency", flush=True)
    for name, (hidden, inner) in setting.models.items():
        contenders = build(setting, hidden, inner, activation)
        for m in setting.rows:
            torch.manual_seed(m)
            xs = [torch.randn(m, hidden, device=setting.device, dtype=torch.bfloat16) for _ in contenders["tileglu"]]
            with torch.inference_mode():
                merged = contenders["one merged"][0]
                h = xs[0].float() @ merged.gate_up.weight.float().t()
                exact = ((nn.functional.silu(h[:, :inner]) * h[:, inner:]) @ merged.down.weight.float().t()).double()
                errors, steps = {}, {}
                for label, modules in contenders.items():
                    if label == "split" and m < 1024 and setting.gpu:
                        continue

                    def step(modules=modules):
                        for module, x in zip(modules, xs):
                            out = module(x)
                        return out

                    if label != "no reduction":
                        errors[label] = setting.slowest(relative(modules[0](xs[0]), exact))
                        if not errors[label] < 1e-2:
                            failed.append(f"{name} M={m} {label}: error {errors[label]:.2g}")
                            continue
                    steps[label] = step
                del h, exact
                took = {label: ms / len(xs) * 1e3 for label, ms in race(setting, steps).items()}
            row = dict(model=name, rows=m, hidden=hidden, inner=inner, us=took, errors=errors)
            best = min(took[label] for label in ("tileglu", "split") if label in took)
            row["efficiency"] = took["one device"] / (WORLD * best)
            row["share_of_reduction"] = 1 - took["no reduction"] / took["tileglu"]
            rows.append(row)
            if RANK == 0:
                ratio = {label: f"{took[label] / took['dtensor']:.3f}" if label in took else "-" for label in ("tileglu", "split", "bf16 sums")}
                print(f"  {name:6s} {m:5d} {took['tileglu']:11.1f} | {ratio['tileglu']:>26s} {ratio['split']:>7s} {ratio['bf16 sums']:>10s} | "
                      f"{row['share_of_reduction']:18.1%} {row['efficiency']:11.1%}", flush=True)  # fmt: skip
        del contenders
        if setting.gpu:
            torch.cuda.empty_cache()
    return dict(rows=rows, failed=failed, passed=not failed)


def main() -> int:
    parts = dict(right=right, models=models, load=load, fast=fast, refuse=refuse)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cuda", "cpu"))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "tensor_parallel")
    parser.add_argument("--parts", default=",".join(parts))
    parser.add_argument("--die", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.die:
        die(options.device, options.die)
    if unknown := set(options.parts.split(",")) - set(parts):
        parser.error(f"--parts has {sorted(unknown)}; allowed are {', '.join(parts)}")
    setting = Setting(options.device)
    device = torch.cuda.get_device_name() if setting.gpu else "CPU, gloo"
    results = dict(device=device, world=WORLD, torch=torch.__version__, nccl=".".join(map(str, torch.cuda.nccl.version())) if setting.gpu else "",
                   environment={name: value for name, value in os.environ.items() if name.startswith("NCCL_")})  # fmt: skip
    failed = []
    for name in options.parts.split(","):
        started = time.monotonic()
        try:
            with torch.no_grad():
                results[name] = parts[name](setting)
        except Exception as error:  # said, not swallowed: the other parts still run where ranks agree on the failure
            results[name] = dict(passed=False, error=f"{type(error).__name__}: {error}"[:400])
        results[name]["seconds"] = time.monotonic() - started
        if setting.slowest(float(not results[name]["passed"])):
            failed.append(name)
        if RANK == 0:
            show(name, results[name], failed)
    if RANK == 0:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        results["failed"] = failed
        options.out.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
        options.out.with_suffix(".html").write_text(page(results))
        print(f"failed: {', '.join(failed)}" if failed else "all checks passed", flush=True)
    dist.barrier()
    dist.destroy_process_group()
    return 1 if failed else 0


def show(name: str, result: dict, failed: list[str]) -> None:
    print(f"{name}: {'FAILED' if name in failed else 'passed'} in {result['seconds']:.0f} s", flush=True)
    if "error" in result:
        print(f"  {result['error']}", flush=True)
    for case, value in result.get("cases", {}).items():
        if isinstance(value, list):
            worst = max(value, key=lambda row: row["ratio"])
            compiled = [row["compiled_ratio"] for row in value if "compiled_ratio" in row]
            bits = all(row["same_bits"] and row.get("graph_same_bits", True) for row in value)
            print(f"  {case:9s} error / unsharded at most {worst['ratio']:.3f} (length {worst['length']}), "
                  f"compiled {max(compiled, default=float('nan')):.3f}, bits {'equal' if bits else 'DIFFER'}", flush=True)  # fmt: skip
        else:
            print(f"  {case}: {value}"[:220], flush=True)


if __name__ == "__main__":
    raise SystemExit(main())

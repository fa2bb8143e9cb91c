"""tileglu.parallel over 2 and 4 gloo processes on the CPU, against one process."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tileglu
import torch

HERE = Path(__file__).parent
CHECKS = """same_result holds_its_own_halves rounds_once pieces two_steps over_peers peers_are_agreed_on half_sums gradients distributed_input
    compiled models loads_its_own_bytes refuses_sizes refuses_ranks_that_differ
    says_that_one_rank_has_no_checkpoint""".split()
WORLDS = [2, 4]


def start(world: int, out: Path, checks: list[str]) -> list[subprocess.Popen]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = dict(os.environ, WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1")
    common["PYTHONPATH"] = os.pathsep.join([str(Path(tileglu.__file__).parent.parent), str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "parallel_worker.py"), str(out), *checks]
    return [subprocess.Popen(command, env=dict(common, RANK=str(rank), LOCAL_RANK=str(rank))) for rank in range(world)]


def finish(processes: list[subprocess.Popen], seconds: float) -> list[int]:
    deadline = time.monotonic() + seconds
    try:
        return [process.wait(max(0.1, deadline - time.monotonic())) for process in processes]
    finally:
        for process in processes:
            process.kill()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """{(world, rank): {check: what failed}}: one start of the processes for all checks."""
    pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    out = {}
    for world in WORLDS:
        path = tmp_path_factory.mktemp("parallel") / "result"
        assert finish(start(world, path, CHECKS), 200) == [0] * world
        for rank in range(world):
            out[world, rank] = json.loads(Path(f"{path}.{rank}").read_text())
    return out


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("world", WORLDS)
def test_sharded(results, world, check):
    for rank in range(world):
        assert not results[world, rank][check], f"rank {rank} of {world}\n{results[world, rank][check]}"


def test_a_dead_rank_ends_the_others(tmp_path):
    started = time.monotonic()
    codes = finish(start(2, tmp_path / "result", ["survivors_get_an_error"]), 60)
    assert time.monotonic() - started < 45 and codes[1] == 0
    assert codes[0] == 0 and not json.loads((tmp_path / "result.0").read_text())["survivors_get_an_error"]


def test_the_script_that_measures_it(tmp_path):
    """bench/tensor_parallel over gloo, small: loading, refusals with ranks that die, and every contender's answer."""
    script = HERE.parents[1] / "bench" / "tensor_parallel"
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script), "--device", "cpu"]
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=str(Path(tileglu.__file__).parent.parent))
    for parts in ("load,fast", "refuse,reductions"):
        command = [*launch, "--out", str(tmp_path / "result"), "--parts", parts]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads((tmp_path / "result.json").read_text())
    assert told["failed"] == [] and all(told[part]["passed"] for part in ("load", "fast", "refuse", "reductions"))
    assert len(told["fast"]["rows"]) == 3 and "DTensor" in (tmp_path / "result.html").read_text()


def test_without_a_process_group():
    with pytest.raises(RuntimeError, match="no process group"):
        tileglu.parallel.shard(tileglu.nn.GatedMLP(16, 32), None)


def test_without_nccl(monkeypatch):
    import torch.distributed as dist
    from torch.distributed.device_mesh import DeviceMesh

    store = dist.HashStore()
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        mesh = DeviceMesh("cpu", torch.tensor([0]))
        monkeypatch.setattr(mesh, "_device_type", "cuda")
        with pytest.raises(RuntimeError, match="its process group runs"):
            tileglu.parallel.shard(tileglu.nn.GatedMLP(16, 32), mesh)
        monkeypatch.setattr(dist, "is_nccl_available", lambda: False)
        with pytest.raises(RuntimeError, match="has no NCCL"):
            tileglu.parallel.shard(tileglu.nn.GatedMLP(16, 32), mesh)
    finally:
        dist.destroy_process_group()


def test_which_ranks_add_over_peer_memory_by_default():
    from tileglu.parallel.peers import are_neighbours

    def rank(index, **other):
        return dict(dict(host=("a", "1"), visible=["x", "y"], index=index, capability=(9, 0), reaches=[1 - index]), **other)

    assert are_neighbours([rank(0), rank(1)])
    for odd in (rank(1, host=("a", "2")), rank(1, visible=["y"]), rank(1, capability=(8, 0)), rank(1, reaches=[]), rank(0)):
        assert not are_neighbours([rank(0), odd]) and not are_neighbours([odd, rank(0)])


def test_only_the_bytes_asked_for(tmp_path):
    import safetensors.torch
    from tileglu.parallel import Checkpoint
    from tileglu.parallel.sharding import Part

    value = torch.arange(24, dtype=torch.float32).view(6, 4)
    safetensors.torch.save_file({"w": value, "other": torch.ones(100)}, str(tmp_path / "model.safetensors"))
    with Checkpoint(tmp_path) as file:
        assert torch.equal(file.read("w", Part(1, ((1, 3),))), value[:, 1:3]) and file.bytes_read == 6 * 2 * 4
        assert torch.equal(file.read("w", Part(0, ((0, 1), (3, 5)))), value[[0, 3, 4]]) and file.bytes_read == 48 + 48
        assert file.total_bytes == 4 * 124
    data = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(data[:-4])
    with pytest.raises(ValueError, match="cut short"):
        Checkpoint(tmp_path)

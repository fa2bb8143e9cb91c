"""A rank that dies, in two processes of their own, so that nothing else is poisoned: python death.py DEVICE TIMEOUT eager|graph|peers is one.

Under NCCL the survivor's kernel waits on the GPU for the one that is gone. Three ways out, each observed:
  eager  torch's watchdog sees that the collective takes longer than the group's timeout, says so, and ends the process
  graph  the watchdog doesn't know collectives that a CUDA graph replays: it is the launcher, torchrun, that ends the others
  peers  sums over peer memory in a CUDA graph: the barrier on the device gives up after the group's timeout
"""

from __future__ import annotations

import datetime
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

TIMEOUT = 8  # seconds, of the process group
PATIENCE = 22  # seconds more, for the processes to import torch, connect and end


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Pair:
    """Two ranks, the second of which dies; `how` it is noticed. launched: by torchrun, which watches them."""

    def __init__(self, device: str, how: str, launched: bool):
        self.how, self.output, self.time = how, tempfile.TemporaryFile("w+"), None
        env = {name: value for name, value in os.environ.items() if not name.startswith(("TORCHELASTIC", "RANK", "LOCAL_RANK"))}
        env |= dict(WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()), PYTHONFAULTHANDLER="0")
        env |= dict(TORCH_NCCL_DUMP_ON_TIMEOUT="0", TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC="500")
        one = [sys.executable, __file__, device, str(TIMEOUT), how]
        if launched:
            address = ["--nproc-per-node", "2", "--master-addr", "127.0.0.1", "--master-port", env["MASTER_PORT"]]
            commands = [[sys.executable, "-m", "torch.distributed.run", *address, *one[1:]]]
        else:
            commands = [one, one]
        self.processes = [
            subprocess.Popen(command, env=env | dict(RANK=str(r), LOCAL_RANK=str(r)), stdout=self.output, stderr=subprocess.STDOUT)
            for r, command in enumerate(commands)
        ]

    def ended(self) -> float | None:
        """When the survivor, or the launcher, was seen to have ended."""
        if self.time is None and self.processes[0].poll() is not None:
            self.time = time.time()
        return self.time

    def told(self) -> str:
        """How it ended, and how long after the death; empty if it did not end, or ended as if nothing had happened."""
        code = self.processes[0].poll()
        for process in self.processes:
            process.kill()
            process.wait()
        self.output.seek(0)
        text = self.output.read()
        died = re.search(r"^died at ([0-9.]+)", text, re.M)
        if not code or not died:
            print(f"  {self.how}: code {code}; its last words:\n{text[-1500:]}", flush=True)
            return ""
        words = [line for line in text.splitlines() if line.startswith("survivor")]
        words += re.findall(r"Watchdog caught collective operation timeout: .*?before timing out", text)
        words += re.findall(r"Sending process \d+ closing signal \w+", text)
        return f"{self.time - float(died[1]):.1f} s after the death, with code {code}: {words[0][:180] if words else text[-180:]}"


def all_ends(device: str) -> dict[str, str]:
    """{case: how it ended}, all pairs at once."""
    pairs = {
        f"a rank that dies (timeout {TIMEOUT} s)": Pair(device, "eager", launched=False),
        "a rank that dies under torchrun" + (", in a graph" if device == "cuda" else ""): Pair(device, "graph", launched=True),
    }
    if device == "cuda":
        pairs["a rank that dies, sums over peer memory, in a graph"] = Pair(device, "peers", launched=False)
    deadline = time.monotonic() + TIMEOUT + PATIENCE
    while time.monotonic() < deadline and not all([pair.ended() for pair in pairs.values()]):
        time.sleep(0.05)
    return {case: pair.told() for case, pair in pairs.items()}


def main() -> None:
    device, timeout, how = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh

    from setting import LOCAL, RANK, WORLD, captured
    from tileglu import parallel
    from tileglu.nn import GatedMLP

    where = torch.device("cuda", LOCAL) if device == "cuda" else None
    if where:
        torch.cuda.set_device(where)
    dist.init_process_group("nccl" if where else "gloo", timeout=datetime.timedelta(seconds=timeout), device_id=where)
    mlp = GatedMLP(64, 128, device=device, dtype=torch.bfloat16)
    parallel.shard(mlp, init_device_mesh(device, (WORLD,)), peer_rows=4 if how == "peers" else 0)  # 0: over NCCL
    x = torch.ones(4, 64, device=device, dtype=torch.bfloat16)
    with torch.inference_mode():
        run = captured(lambda: mlp(x))[0].replay if where and how != "eager" else lambda: mlp(x)
        run()
        if where:
            torch.cuda.synchronize()
        dist.barrier()
        if RANK == 1:
            print(f"died at {time.time():.3f}", flush=True)
            os._exit(1)
        started = time.monotonic()
        try:
            # A program goes on calling. torchrun asks torch to abort the communicator of a collective that timed out before it ends the process
            # (TORCH_NCCL_ASYNC_ERROR_HANDLING=1): the call during which the other died may return, with nothing in it that is right.
            while time.monotonic() < started + timeout + 12:
                run()
                torch.cuda.synchronize() if where else None
        except RuntimeError as error:
            print(f"survivor: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
            os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()

"""Who takes part. A contender is made per operand set: make(x, w, o) returns a zero-argument call that computes
silu(x w[:n]^T) * (x w[n:]^T), into o or a tensor of its own, and returns (that tensor, temporaries to keep alive ...)."""
import torch
import torch.nn.functional as F

import capi
from silu_and_mul import silu_and_mul


def formula(x, w):
    n = w.shape[0] // 2
    return F.silu(F.linear(x, w[:n])) * F.linear(x, w[n:])


class Contender:
    """`graph`: replayed from a CUDA graph (else launched call by call); `checked`: its output is compared."""
    graph = True
    checked = True
    note = ""

    def prepare(self, m, n, k):
        """Once per cell; raises where it can't take part."""

    def make(self, x, w, o):
        raise NotImplementedError

    def facts(self):
        return {}


class Gemm(Contender):
    checked = False
    note = "the bare product [M, 2N, K] by torch (cuBLAS), no activation"

    def make(self, x, w, o):
        return lambda: (F.linear(x, w),)


class Eager(Contender):
    note = "two F.linear, F.silu, multiply"

    def make(self, x, w, o):
        return lambda: (formula(x, w),)


class LaunchedEager(Eager):
    graph = False
    note = "the same, launched call by call"


class Merged(Contender):
    note = "stacked F.linear, then a fused silu-and-mul kernel"

    def make(self, x, w, o):
        def call():
            gate_up = F.linear(x, w)
            silu_and_mul(gate_up, o)
            return o, gate_up
        return call


class Compiled(Eager):
    note = "torch.compile of the eager formula"

    def prepare(self, m, n, k):
        torch._dynamo.config.cache_size_limit = 1024
        self.function = torch.compile(formula, dynamic=False)

    def make(self, x, w, o):
        return lambda: (self.function(x, w),)


class Quack(Contender):
    """QuACK's gemm_gated (PyPI quack-kernels); raises where it isn't installed."""

    def __init__(self, tuned):
        self.tuned = tuned
        self.note = "QuACK gemm_gated, " + ("autotuned" if tuned else "default")

    def prepare(self, m, n, k):
        from quack.gemm_interface import gemm_gated
        self.function = gemm_gated

    def make(self, x, w, o):
        def call():
            self.function(x, w.T, activation="swiglu", store_preact=False, concat_layout=("B",), postact_out=o, tuned=self.tuned)
            return (o,)
        return call


class Tileglu(Contender):
    """The product through its C ABI: its own choice of kernel, or a kernel or row by name."""

    def __init__(self, library, kernel="", interleaved=False):
        self.library, self.kernel, self.interleaved = library, kernel, interleaved
        self.note = ("kernel " + kernel if kernel else "its own choice") + (", interleaved weights" if interleaved else ", plain weights")

    def prepare(self, m, n, k):
        self.plan = self.library.plan(m, n, k, capi.INTERLEAVED if self.interleaved else capi.STACKED_GATE_UP, self.kernel)

    def make(self, x, w, o):
        if self.interleaved:
            n, k = w.shape[0] // 2, w.shape[1]
            w = w.view(2, n, k).transpose(0, 1).reshape(2 * n, k).contiguous()
        workspace = torch.empty(self.plan.workspace_bytes, dtype=torch.uint8, device=x.device) if self.plan.workspace_bytes else None
        run = self.plan.call(x, w, o, workspace, torch.cuda.current_stream)

        def call():
            run()
            return o, w, workspace
        return call

    def facts(self):
        return {"row": self.plan.row, "reason": self.plan.reason}


def by_name(name, library, other=None):
    """gemm, eager, launched_eager, merged, compile, quack, quack_tuned, tileglu, kernel1, kernel2, or row:NAME; other and other:NAME where
    there is a second build of the library."""
    simple = {"gemm": Gemm, "eager": Eager, "launched_eager": LaunchedEager, "merged": Merged, "compile": Compiled}
    if name in simple:
        return simple[name]()
    if name in ("quack", "quack_tuned"):
        return Quack(name == "quack_tuned")
    if name == "tileglu":
        return Tileglu(library)
    if name == "kernel1":
        return Tileglu(library, "gate_first")
    if name == "kernel2":
        return Tileglu(library, "interleaved", interleaved=True)
    if name.startswith("row:"):
        row = name[4:]
        return Tileglu(library, row, interleaved=row.startswith("interleaved"))
    if other and name.split(":")[0] == "other":
        row = name[6:]
        return Tileglu(other, row, interleaved=row.startswith("interleaved"))
    allowed = ", ".join(simple) + ", quack, quack_tuned, tileglu, kernel1, kernel2, row:NAME, and with --other other, other:NAME"
    raise SystemExit(f"contender is '{name}'; allowed are {allowed}")

"""tileglu through its C ABI (include/tileglu/tileglu.h), by ctypes: what any language would do."""
import ctypes as c


class Problem(c.Structure):
    _fields_ = [(f, c.c_int64) for f in ("m", "n", "k", "ldx", "ldw", "ldy")] + \
               [(f, c.c_int32) for f in ("x_type", "w_type", "y_type", "layout", "activation", "numerics")] + \
               [("alpha", c.c_float), ("limit", c.c_float), ("bias", c.c_int32), ("reserved", c.c_int32 * 3)]


class Weights(c.Structure):
    _fields_ = [("first", c.c_void_p), ("second", c.c_void_p), ("layout", c.c_int32), ("reserved", c.c_int32)]


class Tensors(c.Structure):
    _fields_ = [("x", c.c_void_p), ("w", Weights), ("y", c.c_void_p), ("bias_gate", c.c_void_p), ("bias_up", c.c_void_p),
                ("workspace", c.c_void_p), ("workspace_bytes", c.c_size_t), ("reserved", c.c_void_p * 2)]


class Options(c.Structure):
    _fields_ = [("kernel", c.c_char_p), ("workspace_limit", c.c_int64), ("backend", c.c_int32), ("wait_for_weights", c.c_int32),
                ("reserved", c.c_int32 * 2)]


STACKED_GATE_UP, INTERLEAVED = 1, 3


class Library:
    """The shared library and one device of this machine."""

    def __init__(self, path, device="cuda"):
        self.lib = c.CDLL(path)
        for name, kind in (("tileglu_last_error", c.c_char_p), ("tileglu_plan_row", c.c_char_p), ("tileglu_plan_reason", c.c_char_p),
                           ("tileglu_version", c.c_char_p), ("tileglu_kernel_name", c.c_char_p), ("tileglu_plan_workspace_bytes", c.c_size_t),
                           ("tileglu_kernel_count", c.c_size_t), ("tileglu_plan_cost_us", c.c_double)):
            getattr(self.lib, name).restype = kind
        for name in ("tileglu_plan_row", "tileglu_plan_reason", "tileglu_plan_workspace_bytes", "tileglu_plan_cost_us", "tileglu_plan_destroy",
                     "tileglu_prepare"):
            getattr(self.lib, name).argtypes = [c.c_void_p]
        self.lib.tileglu_kernel_name.argtypes = [c.c_size_t]
        self.lib.tileglu_run.argtypes = [c.c_void_p, c.c_void_p, c.c_void_p]
        self.device = c.c_void_p()
        self.check(self.lib.tileglu_device_create(device.encode(), c.byref(self.device)))

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.lib.tileglu_last_error().decode())

    def rows(self):
        return [self.lib.tileglu_kernel_name(i).decode() for i in range(self.lib.tileglu_kernel_count())]

    def plan(self, m, n, k, layout=STACKED_GATE_UP, kernel=""):
        return Plan(self, m, n, k, layout, kernel)


class Plan:
    """A plan for bf16 silu; `row` and `reason` say what was chosen."""

    def __init__(self, library, m, n, k, layout, kernel):
        self.library, self.handle, self.layout = library, c.c_void_p(), layout
        problem = Problem(m=m, n=n, k=k, layout=layout)
        options = Options(kernel=kernel.encode())
        library.check(library.lib.tileglu_plan_create(c.byref(problem), library.device, c.byref(options), c.byref(self.handle)))
        library.check(library.lib.tileglu_prepare(self.handle))
        self.row = library.lib.tileglu_plan_row(self.handle).decode()
        self.reason = library.lib.tileglu_plan_reason(self.handle).decode()
        self.workspace_bytes = library.lib.tileglu_plan_workspace_bytes(self.handle)

    def call(self, x, w, y, workspace, stream):
        """A zero-argument call; the operands' addresses are fixed in it."""
        tensors = Tensors(x=x.data_ptr(), w=Weights(first=w.data_ptr(), layout=self.layout), y=y.data_ptr(),
                          workspace=workspace.data_ptr() if workspace is not None else None, workspace_bytes=self.workspace_bytes)
        run, check = self.library.lib.tileglu_run, self.library.check
        return lambda: check(run(self.handle, c.byref(tensors), c.c_void_p(stream().cuda_stream)))

    def __del__(self):
        if self.handle:
            self.library.lib.tileglu_plan_destroy(self.handle)

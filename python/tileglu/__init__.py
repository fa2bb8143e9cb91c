"""tileglu: the gated MLP of a language model in one kernel.

>>> y = tileglu.gated_linear(x, w_gate, w_up)          # silu(x w_gate^T) * (x w_up^T)
>>> h = tileglu.gated_mlp(x, w_gate, w_up, w_down)     # the whole MLP
>>> print(tileglu.patch(model))                        # every gated MLP of a model; tileglu.unpatch(model) undoes it
"""

import importlib
from typing import TYPE_CHECKING

from . import _library  # loads the operators
from . import nn
from ._functional import explain, gated_linear, gated_mlp
from ._pack import pack, unpack
from .patching import patch, unpatch

if TYPE_CHECKING:  # what a type checker is to know of __getattr__
    from . import parallel
    from ._compile_pass import CompilePass, compile_pass

_on_demand = {"compile_pass": "._compile_pass", "CompilePass": "._compile_pass"}


def __getattr__(name: str):
    """What takes longer to import than everything else here is imported when it is asked for: torch.distributed.tensor, torch._inductor."""
    if name == "parallel":
        return importlib.import_module(".parallel", __name__)
    if name in _on_demand:
        return getattr(importlib.import_module(_on_demand[name], __name__), name)
    raise AttributeError(f"module 'tileglu' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__version__ = "0.1.0"
__all__ = ["CompilePass", "compile_pass", "explain", "gated_linear", "gated_mlp", "nn", "pack", "parallel", "patch", "unpack", "unpatch"]

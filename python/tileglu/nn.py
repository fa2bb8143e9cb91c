"""The gated MLP as a module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from . import _words
from ._functional import gated_mlp
from ._pack import pack, unpack


def _of(linear: nn.Module) -> tuple[Tensor, Tensor | None]:
    """Weight and bias. A parametrisation takes them out of the parameters; then, and in a module that is no linear, they are attributes."""
    own = linear._parameters
    return (own["weight"], own["bias"]) if "weight" in own and "bias" in own else (linear.weight, linear.bias)


class GatedMLP(nn.Module):
    """``down(act(gate(x)) * up(x))`` with the gated product in one kernel.

    With ``layout="separate"`` the parameters are those of a Llama-like checkpoint (``gate_proj``, ``up_proj``, ``down_proj``), with a
    stacked layout those of Phi-3 (``gate_up_proj``, ``down_proj``). Either module loads either checkpoint: ``load_state_dict`` splits or
    stacks as needed; ``checkpoint_layout`` says how a stacked checkpoint is ordered where the module itself is separate. A state dict of a
    stacked GatedMLP names its order in its metadata (torch.save keeps it, safetensors does not), and one in another order is reordered.

    Args:
        hidden_size: K, the width of x and of the output.
        intermediate_size: N.
        bias: on gate and up. ``down_bias``: on down; as ``bias`` where None.
        activation, alpha, limit, numerics: as :func:`tileglu.gated_linear`.
        layout: separate, gate_up, up_gate or interleaved.
    """

    def __init__(
        self,
        hidden_size: int,
        intermediate_size: int,
        *,
        bias: bool = False,
        down_bias: bool | None = None,
        activation: str = "silu",
        alpha: float | None = None,
        limit: float | None = None,
        numerics: str = "fp32_through",
        layout: str = "separate",
        checkpoint_layout: str = "gate_up",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.separate = _words.layout_of(layout, one_matrix=layout != "separate") == _words.SEPARATE
        _words.activation_of(activation, alpha, limit)  # refuses early
        _words.numerics_of(numerics)
        _words.stacked_layout_of(checkpoint_layout, "checkpoint_layout")
        self.layout, self.checkpoint_layout = layout, checkpoint_layout
        self.activation, self.alpha, self.limit, self.numerics = activation, alpha, limit, numerics
        kind = {"device": device, "dtype": dtype}
        if self.separate:
            self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias, **kind)
            self.up_proj = nn.Linear(hidden_size, intermediate_size, bias, **kind)
        else:
            self.gate_up_proj = nn.Linear(hidden_size, 2 * intermediate_size, bias, **kind)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias if down_bias is None else down_bias, **kind)

    def forward(self, x: Tensor) -> Tensor:
        how = {"activation": self.activation, "alpha": self.alpha, "limit": self.limit, "numerics": self.numerics}
        children = self._modules  # nn.Module's own attribute lookup fails first, which takes longer than the kernel's launch for nine of them
        w_down, bias_down = _of(children["down_proj"])
        if self.separate:
            w_gate, bias_gate = _of(children["gate_proj"])
            w_up, bias_up = _of(children["up_proj"])
            return gated_mlp(x, w_gate, w_up, w_down, bias_gate=bias_gate, bias_up=bias_up, bias_down=bias_down, **how)
        w, bias = _of(children["gate_up_proj"])
        return gated_mlp(x, w, w_down=w_down, bias=bias, bias_down=bias_down, layout=self.layout, **how)

    def _save_to_state_dict(self, destination, prefix, keep_vars) -> None:
        """The rows of `gate_up_proj` do not show their order: the state dict's metadata names it, beside the module's version."""
        super()._save_to_state_dict(destination, prefix, keep_vars)
        metadata = getattr(destination, "_metadata", {}).get(prefix[:-1])
        if metadata is not None and not self.separate:
            metadata["layout"] = self.layout

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs) -> None:
        came_as = local_metadata.get("layout", self.checkpoint_layout if self.separate else self.layout)
        for kind in ("weight", "bias"):
            one = f"{prefix}gate_up_proj.{kind}"
            gate, up = f"{prefix}gate_proj.{kind}", f"{prefix}up_proj.{kind}"
            try:
                if self.separate and one in state_dict and gate not in state_dict:
                    state_dict[gate], state_dict[up] = unpack(state_dict[one], came_as)
                    del state_dict[one]
                elif not self.separate and gate in state_dict and up in state_dict and one not in state_dict:
                    state_dict[one] = pack(state_dict[gate], state_dict[up], self.layout)
                    del state_dict[gate], state_dict[up]
                elif not self.separate and one in state_dict and came_as != self.layout:
                    state_dict[one] = pack(*unpack(state_dict[one], came_as), self.layout)
            except (RuntimeError, ValueError) as refused:  # torch collects what is wrong, over all modules
                error_msgs.append(f"{one}: {refused}")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    def extra_repr(self) -> str:
        return f"activation={self.activation!r}, layout={self.layout!r}, numerics={self.numerics!r}"

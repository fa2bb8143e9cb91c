"""`tileglu.patch(model)`: run the gated MLPs of a PyTorch model through tileglu; `tileglu.unpatch(model)`: undo it.

A module is found by its structure (structure.py), accepted only if a numeric probe shows that it computes one known formula (probe.py), and
patched per instance by its forward alone (forward.py): parameters, children, state dict and class stay as they are.
"""

from __future__ import annotations

import logging
import threading

from torch import nn

from ..nn import GatedMLP
from .forward import install, match_of, remove
from .match import Match
from .probe import Unmatched, find
from .report import LeftAlone, Patched, PatchReport
from .structure import Refusal, is_likely
from .trial import trial

__all__ = ["LeftAlone", "Match", "PatchReport", "Patched", "match_of", "patch", "unpatch"]

log = logging.getLogger("tileglu")
lock = threading.RLock()


def experts_of(model: nn.Module) -> set[int]:
    """ids of the members of every ModuleList that is called experts."""
    lists = (m for name, m in model.named_modules() if isinstance(m, nn.ModuleList) and name.rpartition(".")[2] == "experts")
    return {id(child) for experts in lists for child in experts}


def patch(model: nn.Module, *, dry_run: bool = False) -> PatchReport:
    """Run every gated MLP of `model` that can be proven to be one through `tileglu.gated_mlp`. Returns a report; print it.

    model: any nn.Module; every submodule is looked at. Patching again is harmless. dry_run: report only, change nothing.
    A patched module runs its own forward whenever something has changed that tileglu does not know: a LoRA adapter or a hook was added, its
    weights moved or changed type, a dropout is active, it is called with more than one tensor. Weights are read at every call.
    Errors: TypeError if `model` is not an nn.Module. Modules that are refused are not errors; the report has the reason for each.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"model is a {type(model).__name__}; tileglu.patch takes a torch.nn.Module")
    report = PatchReport(dry_run=dry_run)
    with lock:
        experts = experts_of(model)
        for name, module in list(model.named_modules()):
            kind = type(module).__name__
            if isinstance(module, GatedMLP):  # runs through tileglu as it is
                continue
            if (done := match_of(module)) is not None:
                report.already.append(Patched(name, kind, done.describe()))
                continue
            try:
                found = find(module, expert=id(module) in experts)
                if isinstance(found, Match):
                    trial(module, found)
            except Unmatched as verdict:
                (report.left_alone if is_likely(module) else report.other).append(LeftAlone(name, kind, str(verdict)))
                continue
            if isinstance(found, Refusal):
                (report.left_alone if found.likely else report.other).append(LeftAlone(name, kind, found.reason))
            elif isinstance(found, Match):
                report.patched.append(Patched(name, kind, found.describe()))
                if not dry_run:
                    install(module, found)
        for entry in report.left_alone:
            log.info("left %s (%s) alone: %s", entry.name, entry.kind, entry.reason)
    return report


def unpatch(model: nn.Module) -> int:
    """Give every patched submodule of `model` its own forward back, the very one of its class. Returns how many there were."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model is a {type(model).__name__}; tileglu.unpatch takes a torch.nn.Module")
    with lock:
        return sum(remove(module) for module in list(model.modules()))

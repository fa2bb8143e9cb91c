"""What `tileglu.patch` did: which modules run through tileglu, which do not, and why. Printing it is the intended use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Patched:
    name: str  # the module's path in the model
    kind: str  # its class
    formula: str  # "silu (gate_proj, up_proj, down_proj)"


@dataclass(frozen=True)
class LeftAlone:
    name: str
    kind: str
    reason: str


@dataclass
class PatchReport:
    """`patched`: done by this call. `already`: done by an earlier one. `left_alone`: they look like gated MLPs but are not, or may not be
    touched. `other`: shapes fit by accident (attention, routers); they compute something else."""

    patched: list[Patched] = field(default_factory=list)
    already: list[Patched] = field(default_factory=list)
    left_alone: list[LeftAlone] = field(default_factory=list)
    other: list[LeftAlone] = field(default_factory=list)
    dry_run: bool = False

    def __len__(self) -> int:
        """How many modules run through tileglu now."""
        return len(self.patched) + len(self.already)

    @property
    def reasons(self) -> dict[str, str]:
        """{module path: why it was left alone}"""
        return {entry.name: entry.reason for entry in self.left_alone}

    def __str__(self) -> str:
        verb = "would patch" if self.dry_run else "patched"
        lines = [f"tileglu {verb} {len(self.patched)} gated MLP{'' if len(self.patched) == 1 else 's'}"]
        lines[0] += f"; {len(self.already)} already patched" if self.already else ""
        lines[0] += f"; left {len(self.left_alone)} alone" if self.left_alone else ""
        groups = Counter((entry.kind, entry.formula) for entry in self.patched)
        lines += [f"  {count:4d} x {kind}: {formula}" for (kind, formula), count in groups.items()]
        alone: dict[tuple[str, str], list[str]] = {}
        for entry in self.left_alone:
            alone.setdefault((entry.kind, entry.reason), []).append(entry.name)
        for (kind, reason), names in alone.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            lines.append(f"  left {len(names)} x {kind}: {reason} [{names[0] or 'the model itself'}{more}]")
        if not len(self) and not self.left_alone:
            lines.append("  no module has the shape of a gated MLP")
        return "\n".join(lines)

"""The numeric probe: does this module compute one of its candidate formulas, everywhere we can look?

The module's own forward runs on a copy that keeps every attribute but has small linears with random weights and biases (fresh LoRA
branches, zero biases and equal halves would hide errors; the user's weights are neither read nor copied). Gate and up pre-activations
then have unit scale, and inputs at 0.1 to 1000 times it meet every clamp up to about a thousand: at 0.3 a clamp at 10 is invisible.
"""

from __future__ import annotations

import contextlib
import copy

import torch
from torch import nn

from .match import ACTIVATIONS, Match, formula
from .structure import candidates

SCALES = (0.1, 1.0, 30.0, 1000.0)
TOLERANCE = 1e-5  # relative, in float64: 1e3 times what a forward that computes an inner step in float32 shows
SHAPES = {1: (), 2: (5,), 3: (2, 3), 4: (2, 1, 3)}  # leading dimensions by rank; every forward must take 2-D or 3-D inputs
ALL_OF_IT = 2**25  # weight elements up to which a module whose forward needs its real sizes is probed at them


class Unmatched(Exception):
    """The probe's verdict in words: the module stays as it is."""


def small_copy(module: nn.Module, match: Match, hidden: int, inner: int, outer: int, dtype: torch.dtype, seed: int) -> nn.Module:
    """`module` with the same attributes, copies of its other children, and random linears of the given sizes on the CPU."""
    generator = torch.Generator(device="cpu").manual_seed(seed)
    twin = type(module).__new__(type(module))
    twin.__dict__.update(module.__dict__)
    twin.__dict__.pop("forward", None)
    for table in ("_parameters", "_buffers", "_modules"):
        twin.__dict__[table] = dict(module.__dict__[table])
    rows = {match.gate: (2 if match.up is None else 1) * inner, match.up: inner, match.down: outer}
    for name, child in module._modules.items():
        if name in match.linears:
            columns = inner if name == match.down else hidden
            linear = nn.Linear(columns, rows[name], bias=child.bias is not None, device="cpu", dtype=dtype)
            linear.weight.data.copy_(torch.randn(linear.weight.shape, generator=generator, dtype=torch.float64, device="cpu") * columns**-0.5)
            if linear.bias is not None:
                linear.bias.data.copy_(torch.randn(linear.bias.shape, generator=generator, dtype=torch.float64, device="cpu"))
            twin._modules[name] = linear
        elif child is not None:
            twin._modules[name] = copy.deepcopy(child)
    return twin.train(False)


def difference(value: object, expected: torch.Tensor) -> float:
    """Relative Frobenius error; infinite for anything that is not the tensor expected."""
    if not isinstance(value, torch.Tensor) or value.shape != expected.shape or value.dtype != expected.dtype:
        return float("inf")
    error = (value - expected).norm() / expected.norm().clamp_min(1e-300)
    return error.item() if torch.isfinite(error) else float("inf")


def inputs(rank: int, hidden: int, scale: float, dtype: torch.dtype, seed: int) -> torch.Tensor:
    generator = torch.Generator(device="cpu").manual_seed(seed)
    return (torch.randn(*SHAPES[rank], hidden, generator=generator, dtype=torch.float64, device="cpu") * scale).to(dtype)


def outputs_agree(twin: nn.Module, match: Match, rank: int, hidden: int, dtype: torch.dtype) -> bool:
    for number, scale in enumerate(SCALES):
        x = inputs(rank, hidden, scale, dtype, seed=100 + number)
        if not difference(twin.forward(x.clone()), formula(match, x, twin._modules)) < TOLERANCE:
            return False
    return True


def gradients_agree(twin: nn.Module, match: Match, rank: int, hidden: int, dtype: torch.dtype) -> bool:
    parameters = [p for name in match.linears for p in twin._modules[name].parameters()]
    weight = None
    found = []
    for compute in (twin.forward, lambda x: formula(match, x, twin._modules)):
        x = inputs(rank, hidden, 1.0, dtype, seed=200).requires_grad_()
        y = compute(x)
        weight = torch.linspace(-1, 1, y.numel(), dtype=dtype, device="cpu").view(y.shape) if weight is None else weight
        found.append(torch.autograd.grad((y * weight).sum(), [x, *parameters], allow_unused=True))
    return all(difference(a, b) < TOLERANCE for a, b in zip(*found))


def accepts(twin: nn.Module, rank: int, hidden: int, dtype: torch.dtype) -> str | None:
    """None if forward returns a tensor for an input of this rank; else what happened."""
    try:
        value = twin.forward(inputs(rank, hidden, 1.0, dtype, seed=99))
    except Exception as error:  # whatever a foreign forward raises is a reason to leave it alone
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:120]
    return None if isinstance(value, torch.Tensor) else f"it returns a {type(value).__name__}"


def try_sizes(module: nn.Module, found: list[Match], hidden: int, inner: int, outer: int, dtype: torch.dtype) -> Match:
    """The one match among `found`, probed at the given sizes, with the facts that the probe learned. Raises Unmatched."""
    winners, failure = [], "no order and activation gives its output"
    for split in {(m.gate, m.up, m.down): m for m in found}.values():
        twin = small_copy(module, split, hidden, inner, outer, dtype, seed=1)
        trouble = {rank: accepts(twin, rank, hidden, dtype) for rank in SHAPES}
        ranks = frozenset(rank for rank, problem in trouble.items() if problem is None)
        if not ranks & {2, 3}:
            failure = f"its forward fails on a plain input: {trouble[3]}"
            continue
        for match in (m for m in found if m.linears == split.linears):
            for activation in ACTIVATIONS:
                if activation == "identity" and (match.layout == "up_gate" or (match.up is not None and match.gate > match.up)):
                    continue
                trial = match.with_formula(activation=activation, ranks=ranks)
                if all(outputs_agree(twin, trial, rank, hidden, dtype) for rank in sorted(ranks)):
                    winners.append((trial, twin))
    if not winners:
        raise Unmatched(failure)
    if len(winners) > 1:
        raise Unmatched(f"several formulas give its output: {'; '.join(match.describe() for match, _ in winners)}")
    match, twin = winners[0]
    rank = max(match.ranks & {2, 3})
    if not gradients_agree(twin, match, rank, hidden, dtype):
        raise Unmatched("its gradients are not those of the formula")
    training = twin.train(True)
    for name in match.dropouts:  # a dropout child is looked at in every call; here, what forward itself does in training
        training._modules[name].p = 0.0
    same = accepts(training, rank, hidden, dtype) is None and outputs_agree(training, match, rank, hidden, dtype)
    return match.with_formula(same_in_training=same)


@contextlib.contextmanager
def one_thread():
    """Products of these sizes take 10 us on one thread and up to 3 ms on several where other processes are busy."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def sizes(module: nn.Module, match: Match) -> tuple[int, int, int]:
    """(hidden, inner, outer): D, F and O of the module itself."""
    down = module._modules[match.down]
    return module._modules[match.gate].in_features, down.in_features, down.out_features


def probe(module: nn.Module, found: list[Match]) -> Match:
    """The formula that `module` computes. Raises Unmatched, with the reason, unless exactly one of `found` is it.

    Sizes are cut to at most 48 x 80 first, all weights alike; a forward that fails there, because it knows its sizes, is probed at them.
    """
    real = sizes(module, found[0])
    small = (min(real[0], 48), min(real[1], 80), min(real[2], 48 if real[2] == real[0] else 56))
    attempts = [(small, torch.float64), (small, torch.float32)]
    if 3 * real[0] * real[1] <= ALL_OF_IT and small != real:
        attempts += [(real, torch.float32)]
    reasons = []
    with torch.inference_mode(False), torch.enable_grad(), torch.device("cpu"), torch.autocast("cpu", enabled=False):
        with torch.random.fork_rng(devices=[]), one_thread():
            for attempt, dtype in attempts:
                try:
                    return try_sizes(module, found, *attempt, dtype)
                except Unmatched as verdict:
                    reasons.append(str(verdict))
                    if "fails on a plain input" not in reasons[-1]:
                        break
                except Exception as error:  # a foreign forward may raise anything, at any scale
                    reasons.append(f"its forward or its gradient fails in the probe: {type(error).__name__}: {error}"[:160])
                    break
    raise Unmatched(reasons[-1])


def find(module: nn.Module, **options) -> Match | object | None:
    """`candidates`, then the probe: a Match, a Refusal, or None. Raises Unmatched."""
    found = candidates(module, **options)
    return probe(module, found) if isinstance(found, list) else found

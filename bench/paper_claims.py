"""The paper's claims (arXiv 2607.02521) beside what the races measured.

  python3 bench/paper_claims.py FILE.json ...

Reads the JSON of bench/race (contenders gemm, kernel1, kernel2, tileglu; launched_eager, eager, merged, compile where they took part) and of
scripts/dram_bytes, and prints one line a claim: the paper's figure, ours, and the cell it comes from. A claim whose contenders are in none of
the files is said to be missing. Needs nothing but Python.
"""
import argparse

import races

PEAK_TFLOPS = 989.0  # dense bf16, H100 and H200, datasheet


def cells_of(paths):
    """[(model, m, n, k, {contender: us})] of the burst cells; each ratio is taken inside one cell of one run."""
    return [(cell["model"], cell["m"], cell["n"], cell["k"], cell["us"]) for cell in races.cells(paths)]


def name_of(cell):
    return f"{cell[0]}, M = {cell[1]}"


def fused(us):
    """The faster of the paper's two kernels, as the paper picks it."""
    return min(us[name] for name in ("kernel1", "kernel2") if name in us)


def having(cells, *names):
    return [cell for cell in cells if all(name in cell[4] for name in names)]


def speedups(cells, baseline, contender):
    """[(speed-up, cell)], best last."""
    found = having(cells, baseline)
    found = [c for c in found if contender in c[4] or (contender == "fused" and ("kernel1" in c[4] or "kernel2" in c[4]))]
    return sorted(((c[4][baseline] / (fused(c[4]) if contender == "fused" else c[4][contender]), c) for c in found), key=lambda pair: pair[0])


def spread(pairs, unit=""):
    """'least to most, and where', of pairs (value, cell)."""
    if not pairs:
        return "not in these files"
    (low, at_low), (high, at_high) = pairs[0], pairs[-1]
    mean = f"geomean {races.geomean([value for value, _ in pairs]):.2f}{unit} of {len(pairs)} cells" if low > 0 else f"{len(pairs)} cells"
    return f"{low:.2f}{unit} ({name_of(at_low)}) to {high:.2f}{unit} ({name_of(at_high)}), {mean}"


def tflops(cells, contender):
    found = [(4e-6 * c[1] * c[2] * c[3] / c[4][contender], c) for c in having(cells, contender)]
    return max(found, key=lambda pair: pair[0]) if found else None


def peaks(cells):
    parts = []
    for contender in ("kernel1", "kernel2", "tileglu", "gemm"):
        best = tflops(cells, contender)
        if best:
            parts.append(f"{contender} {best[0]:.0f} TFLOP/s, {100 * best[0] / PEAK_TFLOPS:.1f} % ({name_of(best[1])})")
    return "; ".join(parts) or "not in these files"


def preferences(cells):
    both = having(cells, "kernel1", "kernel2")
    if not both:
        return "not in these files"
    first = [c for c in both if c[4]["kernel1"] < c[4]["kernel2"]]
    where = ", ".join(name_of(c) for c in first[:8]) + (" ..." if len(first) > 8 else "")
    return f"Kernel-2 faster in {len(both) - len(first)} of {len(both)} cells, Kernel-1 in {len(first)}" + (f" ({where})" if first else "")


def activation_share(cells):
    """Share of gate, up and activation together that is not the product: (eager - gemm) / eager, both in CUDA graphs."""
    return sorted(((100 * (c[4]["eager"] - c[4]["gemm"]) / c[4]["eager"], c) for c in having(cells, "eager", "gemm")), key=lambda pair: pair[0])


def intensity(m, n, k, stored):
    """FLOP a byte with `stored` passes over an [m, n] intermediate beside X, both weights and Y, 2 bytes an element."""
    return 4 * m * n * k / (2 * (m * k + 2 * n * k + m * n + stored * m * n))


def intensity_gain(cells):
    """Fused against eager: gate and up written and read, silu(gate) written and read: six passes. From shapes alone; no cache is counted."""
    gains = [(100 * (intensity(c[1], c[2], c[3], 0) / intensity(c[1], c[2], c[3], 6) - 1), c) for c in cells]
    return sorted(gains, key=lambda pair: pair[0])


def is_dram(document):
    """Whether scripts/dram_bytes wrote it. A cell that Nsight Compute did not measure has an error in place of a ratio."""
    cells = document.get("cells")
    return "metrics" in document and isinstance(cells, list) and all(cell.keys() >= {"row", "m", "ratio"} or "error" in cell for cell in cells)


def dram_lines(documents):
    return [f"{cell['row']} M = {cell['m']} {cell['ratio']:.3f}" for document in documents for cell in document["cells"] if "ratio" in cell]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON of bench/race or scripts/dram_bytes")
    files = parser.parse_args().files
    dram = {file: document for file in files if is_dram(document := races.load(file))}
    cells = cells_of(file for file in files if file not in dram)
    claims = [
        ("up to 2.47x over PyTorch, launched", "the faster of its two: " + spread(speedups(cells, "launched_eager", "fused"), "x")),
        ("", "tileglu: " + spread(speedups(cells, "launched_eager", "tileglu"), "x")),
        ("the same, PyTorch in a CUDA graph", "the faster of its two: " + spread(speedups(cells, "eager", "fused"), "x")),
        ("", "tileglu: " + spread(speedups(cells, "eager", "tileglu"), "x")),
        ("(not in the paper) over merged", "tileglu: " + spread(speedups(cells, "merged", "tileglu"), "x")),
        ("79.5 % of the bf16 peak", peaks(cells)),
        ("13 of 20 to Kernel-2, Kernel-1 at M >= 2048", preferences(cells)),
        ("SwiGLU 9-37 % of the time", "of gate, up and activation: " + spread(activation_share(cells), " %")),
        ("torch.compile at 34-94 % of eager's speed", "eager's time over compile's, in graphs: " + spread(speedups(cells, "eager", "compile"))),
        ("arithmetic intensity up by as much as 247 %", "from the shapes: " + spread(intensity_gain(cells), " %")),
        ("no intermediate in memory", "DRAM bytes over X + Wg + Wu + Y: " + (", ".join(dram_lines(dram.values())) or "not in these files")),
    ]
    width = max(len(claim) for claim, _ in claims)
    for claim, ours in claims:
        print(f"{claim:{width}}  {ours}")


if __name__ == "__main__":
    races.command(main)

"""Fit the constants of the planner's wave model (src/plan/cost_sm90.cpp) to races of rows, and write them as a table.

  python3 bench/fit_rows.py bench/results/*rows*.json bench/results/*race*.json            # print the fit and its regret
  python3 bench/fit_rows.py bench/results/*r[oa][wc]*.json --only src/plan/tables/paired_rows.hpp,... --write src/plan/tables/row_timings.hpp

A race of rows: python3 bench/race --contenders gemm,row:paired_p128x96_s4_c2x1,... Needs numpy and scipy.
The regret is what choosing by the model costs against choosing the best row in every raced cell.
"""
import argparse
import json
import re

import numpy as np
from scipy.optimize import least_squares

SMS, OVERLAP_EXPONENT = 132, 4.0  # the machine that was raced; overlapped() of cost_sm90.cpp
# Blocks of the plain silu bf16 instance that an SM holds (registers of the build, 65536 an SM, 2048 threads).
DECODE_BLOCKS_PER_SM = {"t1r1u2w8p": 4, "t1r2u2w8p": 2, "t2r2u2w8p": 1, "t2r3u1w4": 4, "t2r2u2w4p": 4}
LEAST_CELLS = 5  # fewer say nothing about five constants
FIELDS = ("block_ns", "tile_ns", "fixed_us", "bytes_per_ns", "idle", "imbalance", "tail", "blocks_per_sm", "largest_m", "smallest_m", "smallest_k")


def shape_of(row):
    """(tile rows, output columns, cluster_m, cluster_n) from a row's name."""
    found = re.match(r"(paired_(?:p|c|tp?)|gate_first_[pc]?|interleaved_[pc]?)(\d+)x(\d+).*?(?:_c(\d)x(\d))?$", row)
    kind, rows, columns, cm, cn = found.groups()
    return int(rows), int(columns) // (2 if kind.startswith("interleaved") else 1), int(cm or 1), int(cn or 1)


def tiles_of(row, m, n):
    """(tiles of the busiest CTA, share of the SMs that are idle on average)"""
    rows, columns, cm, cn = shape_of(row)
    tiles = -(-m // (rows * cm)) * -(-n // (columns * cn))
    per_sm = -(-tiles // (SMS // (cm * cn)))
    return per_sm, max(0.0, 1 - tiles * cm * cn / per_sm / SMS)


def predict_tiles(p, cells):
    multiply = cells["tiles"] * (cells["blocks"] * p[0] + p[1]) * 1e-3
    stream = cells["bytes"] / p[3] * 1e-3 * (1 + p[4] * cells["idle"])
    top = np.maximum(multiply, stream)
    return p[2] + top * ((multiply / top) ** OVERLAP_EXPONENT + (stream / top) ** OVERLAP_EXPONENT) ** (1 / OVERLAP_EXPONENT)


def predict_decode(p, cells):
    fixed_us, rate, imbalance, tail = p
    return fixed_us + cells["weights"] / rate * 1e-3 * (1 + imbalance * (cells["steps"] - 1) + tail * cells["tail"])


def burst_cells(paths):
    for path in paths:
        for cell in json.load(open(path))["rows"]:
            if cell["regime"] == "burst" and "gemm" in cell["us"]:
                yield (cell["m"], cell["n"], cell["k"]), cell


def gather(paths):
    """{row: list of (m, n, k, us, weight)} of the burst cells. Runs differ in clock, so a time counts as its ratio to the bare product of its own
    run, times the median of the bare product over the runs of that cell; a cell that was raced twice counts by the mean of its ratios.
    A row that a race left out as too slow counts by its quick reading, at a low weight: without it the fit would guess wildly there."""
    bare, ratios, quick = {}, {}, {}
    for at, cell in burst_cells(paths):
        gemm = cell["us"]["gemm"]
        bare.setdefault(at, []).append(gemm)
        for name, us in cell.get("quick_us", {}).items():
            quick.setdefault(name[4:], {})[at] = us / gemm
        for name, us in cell["us"].items():
            row = name[4:] if name.startswith("row:") else cell.get("facts", {}).get(name, {}).get("row")  # a race of choices counts too
            if row and re.match("paired|decode|gate_first|interleaved", row):
                ratios.setdefault(row, {}).setdefault(at, []).append(us / gemm)
    found = {}
    for row in ratios.keys() | quick.keys():
        idle = 0 if row.startswith("decode") else shape_of(row)[0] * (shape_of(row)[2] - 1)  # up to this m a cluster has CTAs without rows: never chosen
        cells = {at: (ratio, 0.25) for at, ratio in quick.get(row, {}).items()}
        cells |= {at: (float(np.exp(np.mean(np.log(values)))), 1.0) for at, values in ratios.get(row, {}).items()}
        found[row] = [(*at, ratio * float(np.median(bare[at])), weight) for at, (ratio, weight) in sorted(cells.items()) if at[0] > idle]
    return dict(sorted(found.items()))


def fit_decode(row, points):
    m, n, k, us, _ = (np.array(v, dtype=float) for v in zip(*points))
    tiles, warps = int(re.search(r"r(\d+)", row).group(1)), int(re.search(r"w(\d+)", row).group(1))
    blocks, resident = np.ceil(k / 64), DECODE_BLOCKS_PER_SM[row.split("_")[1]]
    waves = np.ceil(n / (8 * tiles)) / (SMS * resident)
    cells = {"weights": 4 * n * k, "steps": np.ceil(blocks / warps) * warps / blocks, "tail": (np.ceil(waves) - waves) / waves}
    solved = least_squares(lambda p: np.log(predict_decode(p, cells) / us), [2, 4000, 0.3, 0.1], bounds=([0.3, 2500, 0, 0], [12, 4700, 1.5, 0.6]),
                           loss="soft_l1", f_scale=0.01)
    fixed_us, rate, imbalance, tail = solved.x
    return (0, 0, fixed_us, rate, 0, imbalance, tail, resident, 0, 0, 0), predict_decode(solved.x, cells)


def fit_tiles(row, points):
    m, n, k, us, weight = (np.array(v, dtype=float) for v in zip(*points))
    tiles, idle = (np.array(v, dtype=float) for v in zip(*[tiles_of(row, int(a), int(b)) for a, b in zip(m, n)]))
    cells = {"blocks": np.ceil(k / 64), "bytes": 4 * n * k + 2 * m * (k + n), "tiles": tiles, "idle": idle}
    rows, columns, _, _ = shape_of(row)
    ideal = 4 * rows * columns * 64 / 4096 / 1.98  # 4096 bf16 FLOP per clock and SM, 1.98 GHz in burst
    low, high = [0.97 * ideal, 0, 1, 1000, 0], [5 * ideal, 20 * ideal, 15, 4600, 2]
    best = None
    for rate in (3800, 4200):
        for slow in (1.05, 1.4, 2):
            solved = least_squares(lambda p: weight * np.log(predict_tiles(p, cells) / us), [slow * ideal, 0.5 * ideal, 3, rate, 0.3], bounds=(low, high),
                                   loss="soft_l1", f_scale=0.02, x_scale=[ideal, ideal, 3, 4000, 1])
            best = solved if best is None or solved.cost < best.cost else best
    return (*best.x, 0, 0, 0, m[weight == 1].max(initial=0), m.min(), k.min()), predict_tiles(best.x, cells)


def write_table(path, fits, sources):
    lines = ["// What the Hopper rows were measured to cost. Written by bench/fit_rows.py; edit the races, not this file.", "#pragma once", "",
             "#include <array>", "#include <string_view>", "", '#include "plan/config/kernel_row.hpp"', "", "namespace tileglu::plan_detail {", "",
             "struct measured_row {", "  std::string_view row;", "  row_timing timing;  ///< " + ", ".join(FIELDS), "  std::string_view evidence;", "};", "",
             f"inline constexpr std::array<measured_row, {len(fits)}> row_timings = {{{{"]
    for row, (p, errors) in sorted(fits.items()):
        values = f"{p[0]:.1f}, {p[1]:.0f}, {p[2]:.2f}, {p[3]:.0f}, {p[4]:.2f}, {p[5]:.2f}, {p[6]:.2f}, {p[7]:.0f}, {p[8]:.0f}, {p[9]:.0f}, {p[10]:.0f}"
        lines.append(f'    {{"{row}", {{{values}}}, "H200, {len(errors)} cells, median error {np.median(errors) * 100:.1f} %, largest {errors.max() * 100:.1f} %: {sources}"}},')
    lines += ["}};", "", "}  // namespace tileglu::plan_detail", ""]
    open(path, "w").write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("races", nargs="+")
    parser.add_argument("--write", help="the header to write")
    parser.add_argument("--only", help="a file that names the rows to keep (the tables' headers, say); rows it does not name are left out")
    options = parser.parse_args()
    rows = gather(options.races)
    if options.only:
        text = "".join(open(path).read() for path in options.only.split(","))
        rows = {row: points for row, points in rows.items() if f'"{row}"' in text}
    fits, measured, predicted = {}, {}, {}
    for row, points in rows.items():
        if len(points) < LEAST_CELLS or (row.startswith("decode") and row.split("_")[1] not in DECODE_BLOCKS_PER_SM):
            print(f"{row:28s} {len(points):3d} cells: left out")
            continue
        p, guess = (fit_decode if row.startswith("decode") else fit_tiles)(row, points)
        errors = np.abs(np.log(guess / np.array([point[3] for point in points])))[[point[4] == 1 for point in points]]
        if errors.size == 0 or sum(point[4] for point in points) < LEAST_CELLS:
            print(f"{row:28s} {errors.size:3d} cells: left out")
            continue
        fits[row] = (p, errors)
        print(f"{row:28s} {errors.size:3d} cells, error median {np.median(errors):.3f} largest {errors.max():.3f}  " + ", ".join(f"{f} {v:.4g}" for f, v in zip(FIELDS, p)))
        for (m, n, k, us, _), g in zip(points, guess):
            measured.setdefault((m, n, k), {})[row] = us
            predicted.setdefault((m, n, k), {})[row] = g
    print("\ncells where the model's choice is not the best row:")
    regrets = {}
    for cell, times in sorted(measured.items()):
        chosen, best = min(predicted[cell], key=predicted[cell].get), min(times, key=times.get)
        regrets.setdefault(cell[0], []).append(times[chosen] / times[best])
        if times[chosen] > 1.01 * times[best]:
            print(f"  M={cell[0]} N={cell[1]} K={cell[2]}: {chosen} {times[chosen]:.1f} us, best {best} {times[best]:.1f} us ({times[chosen] / times[best]:.3f})")
    for m, values in sorted(regrets.items()):
        print(f"M={m}: geomean regret {np.exp(np.mean(np.log(values))):.4f}")
    if options.write:
        write_table(options.write, fits, "bench/results/*-h200-rows-*.json")


if __name__ == "__main__":
    main()

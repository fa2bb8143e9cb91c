"""Fit the constants of the planner's wave model (src/plan/cost_sm90.cpp) to races of rows, and write them as a table.

  python3 bench/fit_rows.py bench/results/*h200*rows*.json bench/results/*h200*race*.json       # print the fit and its regret
  ... --only src/plan/tables/paired_rows.hpp,src/plan/tables/decode_rows.hpp,src/plan/tables/paper_rows.hpp --write src/plan/tables/row_timings.hpp

A race of rows: python3 bench/race --contenders gemm,row:paired_p128x96_s4_c2x1,... Needs numpy and scipy.
The regret is what choosing by the model costs against choosing the best row in every raced cell.
"""
import argparse
import re

import numpy as np
from scipy.optimize import least_squares

import races

SMS, OVERLAP_EXPONENT = 132, 4.0  # the machine that was raced; overlapped() of cost_sm90.cpp
# Blocks of the plain silu bf16 instance that an SM holds (registers of the build, 65536 an SM, 2048 threads).
DECODE_BLOCKS_PER_SM = {"t1r1u2w8p": 4, "t1r2u2w8p": 2, "t2r2u2w8p": 1, "t2r3u1w4": 4, "t2r2u2w4p": 4}
LEAST_CELLS = 5  # fewer say nothing about five constants
FIELDS = ("block_ns", "tile_ns", "fixed_us", "bytes_per_ns", "idle", "imbalance", "tail", "blocks_per_sm", "largest_m", "smallest_m", "smallest_k")
DIGITS = (1, 0, 2, 0, 2, 2, 2, 0, 0, 0, 0)  # of each in the table


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


def gather(paths):
    """{row: list of (m, n, k, us, weight)} of the burst cells. Runs differ in clock, so a time counts as its ratio to the bare product of its own
    run, times the median of the bare product over the runs of that cell; a cell that was raced twice counts by the mean of its ratios.
    A row that a race left out as too slow counts by its quick reading, at a low weight: without it the fit would guess wildly there."""
    bare, ratios, quick = {}, {}, {}
    for cell in races.cells(paths):
        at, gemm = (cell["m"], cell["n"], cell["k"]), cell["us"].get("gemm")
        if not gemm:
            continue
        bare.setdefault(at, []).append(gemm)
        for name, us in cell.get("quick_us", {}).items():
            quick.setdefault(races.row_of(cell, name), {})[at] = us / gemm
        for row, ratio in races.row_ratios(cell):  # a race of choices counts too
            if races.HOPPER_ROW.match(row):
                ratios.setdefault(row, {}).setdefault(at, []).append(ratio)
    found = {}
    for row in ratios.keys() | quick.keys():
        rows, _, cluster_m, _ = (0, 0, 1, 0) if row.startswith("decode") else shape_of(row)
        idle = rows * (cluster_m - 1)  # up to this m a cluster has CTAs without rows: never chosen
        cells = {at: (ratio, 0.25) for at, ratio in quick.get(row, {}).items()}
        cells |= {at: (races.geomean(values), 1.0) for at, values in ratios.get(row, {}).items()}
        found[row] = [(*at, ratio * float(np.median(bare[at])), weight) for at, (ratio, weight) in sorted(cells.items()) if at[0] > idle]
    return dict(sorted(found.items()))


def fit_decode(row, points):
    m, n, k, us, _ = (np.array(v, dtype=float) for v in zip(*points))
    tiles, warps = int(re.search(r"r(\d+)", row).group(1)), int(re.search(r"w(\d+)", row).group(1))
    blocks, resident = np.ceil(k / 64), DECODE_BLOCKS_PER_SM[row.split("_")[1]]
    waves = np.ceil(n / (8 * tiles)) / (SMS * resident)
    cells = {"weights": 4 * n * k, "steps": np.ceil(blocks / warps) * warps / blocks, "tail": (np.ceil(waves) - waves) / waves}
    low, high = [0.3, 2500, 0, 0], [12, 4700, 1.5, 0.6]
    solved = least_squares(lambda p: np.log(predict_decode(p, cells) / us), [2, 4000, 0.3, 0.1], bounds=(low, high), loss="soft_l1", f_scale=0.01)
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
            solved = least_squares(lambda p: weight * np.log(predict_tiles(p, cells) / us), [slow * ideal, 0.5 * ideal, 3, rate, 0.3],
                                   bounds=(low, high), loss="soft_l1", f_scale=0.02, x_scale=[ideal, ideal, 3, 4000, 1])
            best = solved if best is None or solved.cost < best.cost else best
    return (*best.x, 0, 0, 0, m[weight == 1].max(initial=0), m.min(), k.min()), predict_tiles(best.x, cells)


def fit_all(rows):
    """{row: (constants, points, predicted us)} of the rows with enough cells; says which are left out."""
    fits = {}
    for row, points in rows.items():
        decode, exact = row.startswith("decode"), sum(point[4] == 1 for point in points)
        # What quick readings weigh counts: a quarter of a cell each.
        if not exact or sum(point[4] for point in points) < LEAST_CELLS or (decode and row.split("_")[1] not in DECODE_BLOCKS_PER_SM):
            print(f"{row:28s} {exact:3d} cells: left out")
            continue
        p, predicted = (fit_decode if decode else fit_tiles)(row, points)
        fits[row] = (p, points, predicted)
        errors = errors_of(points, predicted)
        print(f"{row:28s} {exact:3d} cells, error median {np.median(errors):.3f} largest {errors.max():.3f}  "
              + ", ".join(f"{field} {value:.4g}" for field, value in zip(FIELDS, p)))
    return fits


def errors_of(points, predicted):
    """|log(predicted / measured)| of the cells that were raced in full."""
    return np.abs(np.log(predicted / np.array([point[3] for point in points])))[[point[4] == 1 for point in points]]


def print_regrets(fits):
    """What choosing by the model costs against the best row, cell by cell where it is above 1 %, and the geomean for each M."""
    measured, predicted, regrets = {}, {}, {}
    for row, (_, points, guesses) in fits.items():
        for (m, n, k, us, _), guess in zip(points, guesses):
            measured.setdefault((m, n, k), {})[row] = us
            predicted.setdefault((m, n, k), {})[row] = guess
    print("\ncells where the model's choice is not the best row:")
    for (m, n, k), times in sorted(measured.items()):
        chosen, best = min(predicted[m, n, k], key=predicted[m, n, k].get), min(times, key=times.get)
        regret = times[chosen] / times[best]
        regrets.setdefault(m, []).append(regret)
        if regret > 1.01:
            print(f"  M={m} N={n} K={k}: {chosen} {times[chosen]:.1f} us, best {best} {times[best]:.1f} us ({regret:.3f})")
    for m, values in sorted(regrets.items()):
        print(f"M={m}: geomean regret {races.geomean(values):.4f}")


def write_table(path, fits):
    lines = ["// What the Hopper rows were measured to cost. Written by bench/fit_rows.py from races of rows and of choices on an H200",
             "// (bench/results/*h200*rows*.json, *h200*race*.json); edit the races, not this file.", "#pragma once", "",
             "#include <array>", "#include <string_view>", "", '#include "plan/config/kernel_row.hpp"', "", "namespace tileglu::plan_detail {", "",
             "struct measured_row {", "  std::string_view row;", f"  row_timing timing;  ///< {', '.join(FIELDS)}",
             "  std::string_view evidence;", "};", "",
             f"inline constexpr std::array<measured_row, {len(fits)}> row_timings = {{{{"]
    for row, (p, points, predicted) in sorted(fits.items()):
        errors = errors_of(points, predicted)
        values = ", ".join(f"{value:.{digits}f}" for value, digits in zip(p, DIGITS))
        evidence = f"H200, {len(errors)} cells, median error {np.median(errors) * 100:.1f} %, largest {errors.max() * 100:.1f} %"
        lines.append(f'    {{"{row}", {{{values}}}, "{evidence}"}},')
    lines += ["}};", "", "}  // namespace tileglu::plan_detail", ""]
    with open(path, "w") as file:
        file.write("\n".join(lines))


def named_in(paths):
    """The Hopper rows whose names stand in quotation marks in these files."""
    found = set()
    for path in paths:
        try:
            with open(path) as file:
                found |= {match.group(1) for match in re.finditer(rf'"({races.HOPPER_ROW.pattern})"', file.read())}
        except OSError as error:
            raise races.BadFile(f"{path}: {error.strerror}") from None
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("races", nargs="+", help="JSON of bench/race")
    parser.add_argument("--only", help="files that name the rows to keep (the tables' headers, say), by commas; other rows are left out")
    parser.add_argument("--write", help="the header to write")
    options = parser.parse_args()
    rows = gather(options.races)
    if options.only:
        keep = named_in(options.only.split(","))
        rows = {row: points for row, points in rows.items() if row in keep}
    fits = fit_all(rows)
    print_regrets(fits)
    if options.write:
        write_table(options.write, fits)


if __name__ == "__main__":
    races.command(main)

"""Fit the constants of the planner's wave model (src/plan/cost_sm90.cpp) to races of rows: python3 bench/fit_rows.py race.json [more.json].

The race is one of rows by name: python3 bench/race --contenders gemm,row:paired_p128x96_s4_c2x1,... ; needs numpy and scipy.
Prints a table of {block_ns, tile_ns, fixed_us, bytes_per_ns} a row, the error of the fit, and what choosing by it would cost against
choosing the best row in every cell.
"""
import json
import re
import sys

import numpy as np
from scipy.optimize import least_squares

SMS, BANDWIDTH_EXPONENT = 132, 5.0  # the machine that was raced; overlapped() of cost_sm90.cpp


def shape_of(row):
    """(tile rows, output columns, cluster_m, cluster_n) from a row's name."""
    found = re.match(r"(paired_[pc]|gate_first_|interleaved_[pc]?)(\d+)x(\d+).*?(?:_c(\d)x(\d))?$", row)
    kind, rows, columns, cm, cn = found.groups()
    return int(rows), int(columns) // (2 if kind.startswith("interleaved") else 1), int(cm or 1), int(cn or 1)


def tiles_per_sm(row, m, n):
    rows, columns, cm, cn = shape_of(row)
    tiles = -(-m // (rows * cm)) * -(-n // (columns * cn))
    return -(-tiles // (SMS // (cm * cn)))


def predict_tiles(parameters, cells):
    block_ns, tile_ns, fixed_us, rate = parameters
    multiply = cells["tiles"] * (cells["blocks"] * block_ns + tile_ns) * 1e-3
    stream = cells["bytes"] / rate * 1e-3
    top = np.maximum(multiply, stream)
    return fixed_us + top * ((multiply / top) ** BANDWIDTH_EXPONENT + (stream / top) ** BANDWIDTH_EXPONENT) ** (1 / BANDWIDTH_EXPONENT)


def predict_decode(parameters, cells):
    _, imbalance, fixed_us, rate = parameters
    return fixed_us + cells["weights"] / rate * 1e-3 * (1 + imbalance * (cells["steps"] - 1))


def gather(documents):
    """{row: list of (m, n, k, us)}"""
    found = {}
    for document in documents:
        for cell in document["rows"]:
            if cell["regime"] != "burst":
                continue
            for name, us in cell["us"].items():
                if name.startswith("row:"):
                    found.setdefault(name[4:], []).append((cell["m"], cell["n"], cell["k"], us))
    return found


def cells_of(row, points):
    m, n, k, us = (np.array(v, dtype=float) for v in zip(*points))
    blocks = np.ceil(k / 64)
    cells = {"blocks": blocks, "weights": 4 * n * k, "bytes": 4 * n * k + 2 * m * (k + n), "us": us}
    if row.startswith("decode"):
        warps = int(re.search(r"w(\d+)", row).group(1))
        cells["steps"] = np.ceil(blocks / warps) * warps / blocks
    else:
        cells["tiles"] = np.array([tiles_per_sm(row, int(a), int(b)) for a, b in zip(m, n)], dtype=float)
    return cells


def fit(row, points):
    cells = cells_of(row, points)
    predict = predict_decode if row.startswith("decode") else predict_tiles
    if row.startswith("decode"):
        start, low, high = [1, 0.5, 2, 3900], [0.5, 0, 0.3, 500], [2, 2, 20, 5500]
    else:
        rows, columns, _, _ = shape_of(row)
        ideal = 4 * rows * columns * 64 / 4096 / 1.98  # 4096 bf16 FLOP per clock and SM, 1.98 GHz in burst
        start, low, high = [1.1 * ideal, 0.5 * ideal, 4, 3800], [0.8 * ideal, 0, 0.5, 500], [3 * ideal, 20 * ideal, 20, 5500]
    solved = least_squares(lambda p: np.log(predict(p, cells) / cells["us"]), start, bounds=(low, high), loss="soft_l1", f_scale=0.03, x_scale=np.abs(start))
    return solved.x, np.abs(np.log(predict(solved.x, cells) / cells["us"])), predict(solved.x, cells)


def main():
    rows = gather([json.load(open(path)) for path in sys.argv[1:]])
    measured, predicted = {}, {}
    for row, points in rows.items():
        parameters, errors, guess = fit(row, points)
        print(f"{row:34s} {{{parameters[0]:.1f}, {parameters[1]:.0f}, {parameters[2]:.2f}, {parameters[3]:.0f}}}  # {len(points)} cells, error median {np.median(errors):.3f} largest {errors.max():.3f}"
              if not row.startswith("decode") else
              f"{row:34s} {{{parameters[0]:.1f}, {parameters[1]:.2f}, {parameters[2]:.2f}, {parameters[3]:.0f}}}  # {len(points)} cells, error median {np.median(errors):.3f} largest {errors.max():.3f}")
        for (m, n, k, us), g in zip(points, guess):
            measured.setdefault((m, n, k), {})[row] = us
            predicted.setdefault((m, n, k), {})[row] = g
    print("\ncells where the model's choice is not the best row:")
    regrets = {}
    for cell, times in sorted(measured.items()):
        chosen, best = min(predicted[cell], key=predicted[cell].get), min(times, key=times.get)
        regrets.setdefault(cell[0], []).append(times[chosen] / times[best])
        if times[chosen] > 1.005 * times[best]:
            print(f"  M={cell[0]} N={cell[1]} K={cell[2]}: {chosen} {times[chosen]:.1f} us, best {best} {times[best]:.1f} us ({times[chosen] / times[best]:.3f})")
    for m, values in regrets.items():
        print(f"M={m}: geomean regret {np.exp(np.mean(np.log(values))):.4f}")


if __name__ == "__main__":
    main()

"""What the planner's choice was measured to cost, cell by cell, without a GPU: python3 bench/choices.py --program build/cli/tileglu bench/results/*h200*r*.json

For every (M, N, K) of a list of bench/race/cells.json, asks `tileglu plan --device h200` which row it would take, and looks that row up in the races: time /
bare product of the same run, the mean over the runs that raced it. Prints the cells above --worst, those that no race has seen, and the geomean for
each M. Where a list is raced as a whole (scripts/gpu_race) that race says more: here cells come from runs of different days and bursts.
"""
import argparse
import json
import math
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def raced(paths, regime):
    """{(m, n, k): {row: [ratio to the bare product]}}"""
    found = {}
    for path in paths:
        for cell in json.load(open(path)).get("rows", []):
            if cell["regime"] != regime or "gemm" not in cell["us"]:
                continue
            at = found.setdefault((cell["m"], cell["n"], cell["k"]), {})
            for name, us in cell["us"].items():
                row = name[4:] if name.startswith("row:") else cell.get("facts", {}).get(name, {}).get("row")
                if row:
                    at.setdefault(row, []).append(us / cell["us"]["gemm"])
    return found


def choices(program, m_values, n, k, device):
    """{m: row}"""
    shape = f"{','.join(str(m) for m in m_values)}x{n}x{k}"
    text = subprocess.run([program, "plan", shape, "--device", device, "--layout", "stacked_gate_up", "--brief"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        match = re.search(r"\bm=(\d+)\b.*?\b((?:paired|decode|gate_first|interleaved)_\w+|portable)\b", line)
        if match:
            found[int(match.group(1))] = match.group(2)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("races", nargs="+", help="JSON of bench/race")
    parser.add_argument("--program", default="build/cli/tileglu", help="the command line program")
    parser.add_argument("--cells", default=os.path.join(HERE, "race", "cells.json"))
    parser.add_argument("--device", default="h200", help="h200 or h100; the races must be of that GPU")
    parser.add_argument("--regime", default="burst", choices=("burst", "sustained"))
    parser.add_argument("--worst", type=float, default=1.04, help="print cells above this ratio")
    options = parser.parse_args()
    races = raced(options.races, options.regime)
    for name, cells in json.load(open(options.cells)).items():
        if name == "about":
            continue
        by_m = {}
        for model, (k, n) in cells["models"].items():
            for m, row in choices(options.program, cells["m"], n, k, options.device).items():
                ratios = races.get((m, n, k), {}).get(row)
                if not ratios:
                    print(f"{name}: {model} M = {m}: {row} was not raced there")
                    continue
                ratio = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
                by_m.setdefault(m, []).append(ratio)
                if ratio > options.worst:
                    print(f"{name}: {model} M = {m}: {row} {ratio:.3f} ({len(ratios)} races)")
        for m, ratios in by_m.items():
            print(f"{name}: M = {m:5d} geomean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f} over {len(ratios)} of {len(cells['models'])} models, largest {max(ratios):.3f}")


if __name__ == "__main__":
    main()

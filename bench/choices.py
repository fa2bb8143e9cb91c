"""What the planner's choice was measured to cost, cell by cell, without a GPU.

  python3 bench/choices.py --program build/cli/tileglu bench/results/*h200*rows*.json bench/results/*h200*race*.json

For every (M, N, K) of the lists of bench/race/cells.json, asks `tileglu plan --device h200` which row it would take, and looks that row up in
the races: time / bare product of the same run, the geomean over the runs that raced it. Prints the cells above --worst, those that no race has
seen, and the geomean for each M. Where a list is raced as a whole (scripts/gpu_race) that race says more: here cells come from runs of
different days and bursts.
"""
import argparse
import json
import os
import subprocess

import races

HERE = os.path.dirname(os.path.abspath(__file__))


def raced(paths, regime):
    """{(m, n, k): {row: [ratio to the bare product]}}"""
    found = {}
    for cell in races.cells(paths, regime):
        at = found.setdefault((cell["m"], cell["n"], cell["k"]), {})
        for row, ratio in races.row_ratios(cell):
            at.setdefault(row, []).append(ratio)
    return found


def choices(program, m_values, n, k, device):
    """{m: row}"""
    shape = f"{','.join(map(str, m_values))}x{n}x{k}"
    command = [program, "plan", shape, "--device", device, "--layout", "stacked_gate_up", "--json"]
    try:
        plans = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    except OSError as error:
        raise races.BadFile(f"--program is {program}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        raise races.BadFile(f"{' '.join(command)}: {error.stderr.strip() or f'exit code {error.returncode}'}") from None
    except ValueError:
        raise races.BadFile(f"--program is {program}: its plan is no JSON; allowed is the command line program of tileglu") from None
    return {plan["problem"]["m"]: plan["row"] for plan in plans}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("races", nargs="+", help="JSON of bench/race")
    parser.add_argument("--program", default="build/cli/tileglu", help="the command line program")
    parser.add_argument("--cells", default=os.path.join(HERE, "race", "cells.json"))
    parser.add_argument("--device", default="h200", help="h200 or h100; the races must be of that GPU")
    parser.add_argument("--regime", default="burst", choices=("burst", "sustained"))
    parser.add_argument("--worst", type=float, default=1.04, help="print cells above this ratio")
    return parser.parse_args()


def main():
    options = arguments()
    measured = raced(options.races, options.regime)
    for name, cells in races.load(options.cells).items():
        if name == "about":
            continue
        by_m = {}
        for model, (k, n) in cells["models"].items():
            for m, row in choices(options.program, cells["m"], n, k, options.device).items():
                ratios = measured.get((m, n, k), {}).get(row)
                if not ratios:
                    print(f"{name}: {model} M = {m}: {row} was not raced there")
                    continue
                ratio = races.geomean(ratios)
                by_m.setdefault(m, []).append(ratio)
                if ratio > options.worst:
                    print(f"{name}: {model} M = {m}: {row} {ratio:.3f}, runs: {len(ratios)}")
        for m, ratios in by_m.items():
            over = f"{len(ratios)} of {len(cells['models'])} models"
            print(f"{name}: M = {m:5d} geomean {races.geomean(ratios):.3f} over {over}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    races.command(main)

"""The JSON of bench/race, read once for all that judge by it: fit_rows.py, choices.py, paper_claims.py."""
import json
import math
import os
import re
import sys

NEEDED = {"model", "m", "n", "k", "regime", "us"}  # of a cell; `us` is {contender: microseconds a call}
HOPPER_ROW = re.compile(r"(paired|decode|gate_first|interleaved)_\w+")


class BadFile(Exception):
    """A file that can't be used; the text names it and says why."""


def load(path):
    """The JSON object of a file."""
    try:
        with open(path) as file:
            document = json.load(file)
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise BadFile(f"{path}: no JSON: {error}") from None
    if not isinstance(document, dict):
        raise BadFile(f"{path}: a JSON {type(document).__name__}; allowed is an object")
    return document


def is_race(document):
    rows = document.get("rows")
    return isinstance(rows, list) and all(isinstance(cell, dict) and cell.keys() >= NEEDED and isinstance(cell["us"], dict) for cell in rows)


def cells(paths, regime="burst"):
    """The cells of these races in one regime, file after file."""
    for path in paths:
        document = load(path)
        if not is_race(document):
            raise BadFile(f"{path}: no race; allowed is an object whose 'rows' have {', '.join(sorted(NEEDED))}")
        yield from (cell for cell in document["rows"] if cell["regime"] == regime)


def row_of(cell, contender):
    """The row of the planner's tables that a contender ran: named by row:NAME, or chosen and noted in the cell's facts. None where it is no row."""
    return contender[4:] if contender.startswith("row:") else cell.get("facts", {}).get(contender, {}).get("row")


def row_ratios(cell):
    """(row, time / time of the bare product in the same cell) of each contender that ran a row; none where the bare product did not run."""
    bare = cell["us"].get("gemm")
    named = ((row_of(cell, contender), us) for contender, us in cell["us"].items()) if bare else ()
    return [(row, us / bare) for row, us in named if row]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def command(main):
    """Runs a script's main(); a bad file ends it with exit code 2 and one line, as the command line ends bad usage."""
    try:
        main()
    except BadFile as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        sys.exit(2)

"""The page of a run: one HTML file that needs nothing else."""

from __future__ import annotations

import html

from contenders import NAMES

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2430}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}div{overflow-x:auto}table{border-collapse:collapse;width:100%}
td,th{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dde3ea}td:first-child,th:first-child{text-align:left}
.left td{text-align:left}.bad{color:#b3261e;font-weight:600}.good{color:#1b6e3c}svg text{font:11px system-ui,sans-serif}
@media(prefers-color-scheme:dark){body{background:#14181e;color:#dde3ea}td,th{border-color:#333c47}svg text{fill:#dde3ea}
.good{color:#6cc28f}.bad{color:#f2938c}}"""

BARS = {"tileglu": "#2563a8", "peers": "#7b4fb0", "split": "#7aa6d6", "split in 4": "#4a9a8a", "bf16 sums": "#c58a2b"}
SUMS = ("float32", "float32, two steps", "float32, peers", "bf16")
TITLES = {
    "right": "The sharded MLP against one device",
    "models": "Sharded tiny models against one device",
    "fast": "Time of the whole MLP, microseconds",
    "reductions": "The reduction alone, microseconds",
    "load": "Sharded loading",
    "refuse": "Bad input",
}


def table(head: list[str], rows: list[list[str]], kind: str = "") -> str:
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><table class='{kind}'><tr>{''.join(f'<th>{html.escape(name)}</th>' for name in head)}</tr>{cells}</table></div>"


def verdict(passed: bool) -> str:
    return f"<span class={'good' if passed else 'bad'}>{'passed' if passed else 'failed'}</span>"


def number(value: float | None, form: str = ".1f") -> str:
    return "-" if value is None or value != value else format(value, form)


def bars(rows: list[dict]) -> str:
    """Time of each contender over torch's DTensor MLP; left of the line is faster."""
    unit, height, y, parts = 380.0, 11, 18, []
    for row in rows:
        parts.append(f'<text x="0" y="{y + 12}">{row["model"]}, M = {row["rows"]}</text>')
        for label, colour in BARS.items():
            if label in row["us"] and "dtensor" in row["us"]:
                ratio = row["us"][label] / row["us"]["dtensor"]
                width = min(ratio, 1.5) * unit
                title = f"<title>{label} {ratio:.3f}</title>"
                parts.append(f'<rect x="120" y="{y}" width="{width:.0f}" height="{height - 2}" fill="{colour}">{title}</rect>')
                parts.append(f'<text x="{124 + width:.0f}" y="{y + 8}">{ratio:.3f}</text>')
                y += height
        y += 7
    line = f'<line x1="{120 + unit}" x2="{120 + unit}" y1="12" y2="{y}" stroke="#888" stroke-dasharray="4 3"/>'
    key = "".join(f'<text x="{120 + 110 * i}" y="10" style="fill:{c}">{label}</text>' for i, (label, c) in enumerate(BARS.items()))
    return f'<svg width="100%" viewBox="0 0 760 {y + 4}" role="img" aria-label="time relative to torch">{key}{line}{"".join(parts)}</svg>'


def correctness(part: dict) -> str:
    rows = []
    for case, values in part.get("cases", {}).items():
        for row in values:
            graph = {True: "yes", False: "no", None: "-"}[row.get("graph_same_bits")] + html.escape(" " + row.get("graph_error", ""))
            compiled = number(row.get("compiled_ratio"), ".3f") + html.escape(" " + row.get("compile_error", ""))
            found = [f"{row['one']:.3e}", f"{row['sharded']:.3e}", f"{row['ratio']:.3f}", html.escape(row.get("sums", "-"))]
            same = "yes" if row["same_bits"] else "no"
            rows.append([f"{html.escape(case)}, length {row['length']}", *found, same, graph, compiled, verdict(row["passed"])])
    return table(["case", "error, one device", "error, sharded", "ratio", "sums over", "same bits", "under a CUDA graph", "ratio compiled", ""], rows)


def speed(part: dict) -> str:
    rows = []
    for row in part.get("rows", []):
        shares = [number(row["share_of_reduction"], ".1%"), number(row["efficiency"], ".1%")]
        rows.append([f"{row['model']}, M = {row['rows']}", *(number(row["us"].get(name)) for name in NAMES), *shares])
    return (
        "<p>Time relative to torch's DTensor MLP (dashed line; shorter is faster)</p>"
        + bars(part.get("rows", []))
        + table(["case", *NAMES, "reduction", "efficiency"], rows)
        + "<p>Reduction: the share of tileglu's time that the collective takes. Efficiency: one device's time over world size times the least of "
        "tileglu's, peers', split's and split in 4's. tileglu: float32 sums over NCCL. peers: over peer memory, the default where it is available. "
        "head start: split, with a tiny kernel ahead of the second product. bf16: partial sums are rounded to "
        "bf16, as torch's are; the others are float32. one device, one merged: unsharded, tileglu's modules and torch's, on one GPU.</p>"
        + "".join(f"<p class=bad>{html.escape(line)}</p>" for line in part.get("failed", []))
    )


def sums(part: dict) -> str:
    rows = [[f"{row['rows']} x {row['hidden']}", *(number(row["us"].get(way)) for way in SUMS)] for row in part.get("rows", [])]
    note = "<p>float32: one all-reduce, then a rounding to bf16. Two steps: a reduce-scatter in float32, an all-gather in bf16.</p>"
    return table(["sums", *SUMS], rows) + note


def cases(part: dict) -> str:
    return table(["case", "result"], [[html.escape(case), html.escape(str(value))] for case, value in part.get("cases", {}).items()], "left")


BODIES = dict(right=correctness, models=correctness, fast=speed, reductions=sums, load=cases, refuse=cases)


def page(results: dict) -> str:
    title = f"The gated MLP on {results['world']} devices"
    nccl = f", NCCL {results['nccl']}" if results["nccl"] else ""
    text = [
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>tileglu: {title}</title><style>{STYLE}</style><h1>{title}</h1>",
        f"<p>{html.escape(results['device'])}; torch {results['torch']}{nccl}; {html.escape(str(results['environment']))}</p>",
    ]
    for name, heading in TITLES.items():
        if name in results:
            part = results[name]
            text.append(f"<h2>{heading}: {verdict(part['passed'])}</h2>{html.escape(part.get('error', ''))}{BODIES[name](part)}")
    return "\n".join(text) + "\n"

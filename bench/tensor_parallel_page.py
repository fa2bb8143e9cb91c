"""The page of bench/tensor_parallel.py: one HTML file that needs nothing else."""

from __future__ import annotations

import html

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1c2430}h1{font-size:1.5rem}
h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dde3ea}
td:first-child,th:first-child{text-align:left}.bad{color:#b3261e;font-weight:600}.good{color:#1b6e3c}svg text{font:11px system-ui,sans-serif}
@media(prefers-color-scheme:dark){body{background:#14181e;color:#dde3ea}td,th{border-color:#333c47}svg text{fill:#dde3ea}}"""


def table(head: list[str], rows: list[list[str]]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{html.escape(name)}</th>' for name in head)}</tr>{cells}</table>"


def verdict(passed: bool) -> str:
    return f"<span class={'good' if passed else 'bad'}>{'passed' if passed else 'failed'}</span>"


def bars(rows: list[dict]) -> str:
    """Time of each contender over torch's DTensor MLP; left of the line is faster."""
    labels, colours = ("tileglu", "split", "bf16 sums"), ("#2563a8", "#7aa6d6", "#c58a2b")
    unit, height, y, parts = 380.0, 11, 18, []
    for row in rows:
        parts.append(f'<text x="0" y="{y + 12}">{row["model"]}, M = {row["rows"]}</text>')
        for label, colour in zip(labels, colours):
            if label in row["us"] and "dtensor" in row["us"]:
                ratio = row["us"][label] / row["us"]["dtensor"]
                width = min(ratio, 1.5) * unit
                parts.append(
                    f'<rect x="120" y="{y}" width="{width:.0f}" height="{height - 2}" fill="{colour}"><title>{label} {ratio:.3f}</title></rect>'
                )
                parts.append(f'<text x="{124 + width:.0f}" y="{y + 8}">{ratio:.3f}</text>')
            y += height
        y += 7
    line = f'<line x1="{120 + unit}" x2="{120 + unit}" y1="12" y2="{y}" stroke="#888" stroke-dasharray="4 3"/>'
    key = "".join(f'<text x="{120 + 110 * i}" y="10" style="fill:{c}">{label}</text>' for i, (label, c) in enumerate(zip(labels, colours)))
    return f'<svg width="100%" viewBox="0 0 760 {y + 4}" role="img" aria-label="time relative to torch">{key}{line}{"".join(parts)}</svg>'


def correctness(title: str, part: dict) -> str:
    rows = [
        [f"{html.escape(case)}, length {row['length']}", f"{row['one']:.3e}", f"{row['sharded']:.3e}", f"{row['ratio']:.3f}", "yes" if row["same_bits"] else "no",
         {True: "yes", False: "no", None: "-"}[row.get("graph_same_bits")], f"{row['compiled_ratio']:.3f}" if "compiled_ratio" in row else "-", verdict(row["passed"])]
        for case, values in part.get("cases", {}).items() for row in values
    ]  # fmt: skip
    head = ["case", "error, one device", "error, sharded", "ratio", "same bits", "under a CUDA graph", "ratio compiled", ""]
    return f"<h2>{title}: {verdict(part['passed'])}</h2>{html.escape(part.get('error', ''))}{table(head, rows)}"


def page(results: dict) -> str:
    text = [
        f"<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'><title>tileglu, tensor parallel</title><style>{STYLE}</style>"
    ]
    text.append(f"<h1>The gated MLP on {results['world']} devices</h1><p>{html.escape(results['device'])}; torch {results['torch']}"
                f"{', NCCL ' + results['nccl'] if results['nccl'] else ''}; {html.escape(str(results['environment']))}</p>")  # fmt: skip
    for name, title in (("right", "The sharded MLP against one device"), ("models", "Sharded tiny models against one device")):
        if name in results:
            text.append(correctness(title, results[name]))
    if "fast" in results:
        part = results["fast"]
        rows = [
            [f"{row['model']}, M = {row['rows']}", *(f"{row['us'][c]:.1f}" if c in row["us"] else "-" for c in CONTENDERS),
             f"{row['share_of_reduction']:.1%}", f"{row['efficiency']:.1%}"]
            for row in part.get("rows", [])
        ]  # fmt: skip
        text.append(f"<h2>Time of the whole MLP, microseconds: {verdict(part['passed'])}</h2>{html.escape(part.get('error', ''))}")
        text.append("<p>Time relative to torch's DTensor MLP (dashed line; shorter is faster)</p>" + bars(part.get("rows", [])))
        text.append(table(["case", *CONTENDERS, "reduction", "efficiency"], rows))
        text.append(
            "<p>Reduction: the share of tileglu's time that the collective takes. Efficiency: one device's time over world size times sharded time.</p>"
        )
    for name, title in (("load", "Sharded loading"), ("refuse", "Bad input")):
        if name in results:
            part = results[name]
            rows = [[html.escape(case), html.escape(str(value))] for case, value in part.get("cases", {}).items()]
            text.append(f"<h2>{title}: {verdict(part['passed'])}</h2>{html.escape(part.get('error', ''))}{table(['case', 'result'], rows)}")
    return "\n".join(text) + "\n"


CONTENDERS = ("dtensor", "tileglu", "split", "bf16 sums", "no reduction", "one device", "one merged")

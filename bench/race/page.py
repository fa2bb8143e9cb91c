"""The race as one self-contained HTML page: ratio to the bare product by M, one line a contender; readable in light and dark."""
import html
import math

# Okabe and Ito's palette, told apart with any colour vision.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#7a5195", "#8c564b"]
STYLE = """
:root{--fg:#1b1f24;--bg:#fff;--grid:#d8dee4;--soft:#57606a}
@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--grid:#30363d;--soft:#8b949e}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1080px;margin:2rem auto;padding:0 1rem}
svg{width:100%;height:auto}text{fill:var(--fg);font:12px system-ui,sans-serif}
.soft{fill:var(--soft)}.grid{stroke:var(--grid)}.one{stroke:var(--fg);stroke-width:1.5}
table{border-collapse:collapse;font-size:13px;margin:1rem 0}td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid var(--grid)}
td:first-child,th:first-child{text-align:left}
.wins{font-weight:700}h2{margin-top:2.2rem}.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:1rem}
"""


def plot(title, series, width=1000, height=360):
    """`series`: {name: {m: ratio}}. M on a logarithmic axis, the ratio on a linear one, clipped at 1.6."""
    ms = sorted({m for points in series.values() for m in points})
    values = [v for points in series.values() for v in points.values()]
    if not values:
        return ""
    low, high = math.floor(min(values + [0.95]) * 20) / 20, min(1.6, math.ceil(max(values) * 20) / 20)
    left, right, top, bottom = 46, 150, 26, 34
    x = lambda m: left + (width - left - right) * (math.log2(m) - math.log2(ms[0])) / max(1e-9, math.log2(ms[-1]) - math.log2(ms[0]))
    y = lambda v: top + (height - top - bottom) * (high - min(v, high)) / max(1e-9, high - low)
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">'
             f'<text x="{left}" y="16" font-weight="600">{html.escape(title)}</text>']
    for i in range(int(round((high - low) / 0.05)) + 1):
        v = low + 0.05 * i
        one = abs(v - 1) < 1e-9
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(v):.1f}" y2="{y(v):.1f}" class="{"one" if one else "grid"}"/>'
                     f'<text x="{left - 6}" y="{y(v) + 4:.1f}" text-anchor="end" class="soft">{v:.2f}</text>')
    parts += [f'<text x="{x(m):.1f}" y="{height - 14}" text-anchor="middle" class="soft">{m}</text>' for m in ms]
    labels = []
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x(m):.1f},{y(points[m]):.1f}" for m in ms if m in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{3 if name == "tileglu" else 1.6}"/>')
        parts += [f'<circle cx="{x(m):.1f}" cy="{y(v):.1f}" r="2.6" fill="{colour}"><title>{html.escape(name)}, M = {m}: {v:.3f}</title></circle>'
                  for m, v in points.items()]
        labels.append([y(points[max(points)]), name, colour])
    labels.sort()
    for i in range(1, len(labels)):
        labels[i][0] = max(labels[i][0], labels[i - 1][0] + 14)
    parts += [f'<text x="{width - right + 8}" y="{at + 4:.1f}" style="fill:{colour}">{html.escape(name)}</text>' for at, name, colour in labels]
    return "".join(parts) + "</svg>"


def table(regime, by_m):
    names = [n for n in dict.fromkeys(n for means in by_m.values() for n in means) if n != "gemm"]

    def ratio(means, n):
        return f'<td class="{"wins" if means[n] < 1 else ""}">{means[n]:.3f}</td>' if n in means else "<td>-</td>"

    rows = "".join(f"<tr><td>{m}</td>" + "".join(ratio(means, n) for n in names) + "</tr>" for m, means in by_m.items())
    return f"<table><tr><th>M ({regime})</th>{''.join(f'<th>{html.escape(n)}</th>' for n in names)}</tr>{rows}</table>"


def cells(rows):
    """Every cell: its times, its ratios, the kernel that was chosen."""
    lines = []
    for row in rows:
        base = row["us"].get("gemm")
        times = ", ".join(f"{n} {us:.1f}" + (f" ({us / base:.3f})" if base and n != "gemm" else "") for n, us in row["us"].items())
        chosen = row["facts"].get("tileglu", {}).get("row", "")
        out = "; out: " + ", ".join(f"{n}: {why}" for n, why in row["out"].items()) if row["out"] else ""
        lines.append(f"<tr><td>{html.escape(row['model'])}</td><td>{row['m']}</td><td>{row['regime']}</td>"
                     f"<td style='text-align:left'>{html.escape(times + out)}</td><td>{html.escape(chosen)}</td></tr>")
    return "<table><tr><th>model</th><th>M</th><th>regime</th><th>us (ratio)</th><th>tileglu's row</th></tr>" + "".join(lines) + "</table>"


def render(document):
    parts = []
    for regime, by_m in document["geomean"].items():
        names = [n for n in dict.fromkeys(n for means in by_m.values() for n in means) if n != "gemm"]
        series = {n: {m: means[n] for m, means in by_m.items() if n in means} for n in names}
        title = f"time / time of the bare product, geomean over the models, {regime}"
        parts.append(f"<h2>{regime.capitalize()}</h2>" + plot(title, series) + table(regime, by_m))
        figures = []
        for model in dict.fromkeys(row["model"] for row in document["rows"]):
            series = {}
            for row in document["rows"]:
                if row["model"] == model and row["regime"] == regime and "gemm" in row["us"]:
                    for n, us in row["us"].items():
                        if n != "gemm":
                            series.setdefault(n, {})[row["m"]] = us / row["us"]["gemm"]
            figures.append(plot(f"{model}, {regime}", series, width=520, height=300))
        parts.append(f'<div class="figures">{"".join(figures)}</div>')
    machine = document["machine"]["before"]
    notes = "".join(f"<li><b>{html.escape(n)}</b>: {html.escape(note)}</li>" for n, note in document["notes"].items())
    return ('<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>tileglu race, {document['date']}</title>"
            f"<style>{STYLE}</style><h1>Gated products on {html.escape(machine.get('name', '?'))}, {document['date']}</h1>"
            "<p>Below 1.00 a contender, activation included, beats the plain matrix product alone. "
            f"Driver {html.escape(machine.get('driver_version', '?'))}, CUDA {html.escape(str(machine.get('cuda')))}, "
            f"torch {html.escape(str(machine.get('torch')))}, power limit {html.escape(machine.get('power.limit', '?'))}.</p><ul>{notes}</ul>"
            + "".join(parts) + f"<h2>Every cell</h2>{cells(document['rows'])}"
            f"<details><summary>Protocol</summary><pre>{html.escape(document['protocol'])}</pre></details></html>")

"""tileglu in PyTorch, cell by cell (the `# %%` lines are cells in VS Code and Spyder); the last cell draws a plot.

python3 examples/torch_tour.py        # writes out/torch_tour.svg
"""

# %% A gated MLP's two weights, as a checkpoint holds them
import pathlib
import time

import torch
from torch.nn import functional as F

import tileglu

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
hidden, intermediate = (3584, 18944) if device == "cuda" else (576, 1536)  # Qwen2.5-7B's, or SmolLM2-135M's
w_gate, w_up = (torch.randn(intermediate, hidden, device=device).mul_(hidden**-0.5).bfloat16() for _ in range(2))
x = torch.randn(2, 8, hidden, device=device).bfloat16()

# %% One line
y = tileglu.gated_linear(x, w_gate, w_up)
print(y.shape, y.dtype)

# %% What ran, and why
print(tileglu.explain(x, w_gate, w_up))

# %% One stacked matrix gives the same bits, and a gradient takes torch's own path
stacked = tileglu.pack(w_gate, w_up, "gate_up")
assert torch.equal(tileglu.gated_linear(x, stacked, layout="gate_up"), y)
w = w_gate.clone().requires_grad_()
tileglu.gated_linear(x, w, w_up).float().sum().backward()
print("gradient", w.grad.float().norm().item())


# %% How far each is from the exact answer: one rounding against four
def unfused(rows):
    return F.silu(F.linear(rows, w_gate)) * F.linear(rows, w_up)


def error(got, rows):
    exact = F.silu(rows.double() @ w_gate.double().T) * (rows.double() @ w_up.double().T)
    return ((got.double() - exact).norm() / exact.norm()).item()


rows = x.reshape(-1, hidden)
print(f"relative error: fused {error(tileglu.gated_linear(rows, w_gate, w_up), rows):.2e}, unfused {error(unfused(rows), rows):.2e}")


# %% Time by the number of tokens, in turns, the best of five
def milliseconds(call, rows):
    call(rows)
    best = float("inf")
    for _ in range(5):
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        call(rows)
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


tokens = [1, 4, 16, 64, 256, 1024]
curves = {"unfused": [], "tileglu": []}
with torch.no_grad():
    for m in tokens:
        rows = torch.randn(m, hidden, device=device).bfloat16()
        curves["unfused"].append(milliseconds(unfused, rows))
        curves["tileglu"].append(milliseconds(lambda r: tileglu.gated_linear(r, w_gate, w_up), rows))
        print(f"{m:5d} tokens: unfused {curves['unfused'][-1]:8.3f} ms, tileglu {curves['tileglu'][-1]:8.3f} ms")

# %% The plot: unfused time over tileglu's; above 1, tileglu is faster
ratios = [a / b for a, b in zip(curves["unfused"], curves["tileglu"])]
width, height, left, bottom = 640, 320, 60, 50
top = max(1.2, max(ratios) * 1.1)


def at(i, value):
    return left + i * (width - left - 20) / (len(tokens) - 1), (height - bottom) * (1 - value / top) + 10


points = [at(i, r) for i, r in enumerate(ratios)]
one = at(0, 1.0)[1]
svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">']
svg.append(f'<rect width="{width}" height="{height}" fill="white"/>')
svg.append(f'<line x1="{left}" x2="{width - 20}" y1="{one:.1f}" y2="{one:.1f}" stroke="#888" stroke-dasharray="4"/>')
svg.append(f'<text x="{left - 24}" y="{one + 4:.1f}">1.0</text>')
svg.append('<polyline fill="none" stroke="#0072b2" stroke-width="2" points="' + " ".join(f"{px:.1f},{py:.1f}" for px, py in points) + '"/>')
for (px, py), m, r in zip(points, tokens, ratios):
    svg.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="#0072b2"/><text x="{px:.1f}" y="{py - 8:.1f}" text-anchor="middle">{r:.2f}</text>')
    svg.append(f'<text x="{px:.1f}" y="{height - bottom + 28}" text-anchor="middle">{m}</text>')
caption = f"tokens ({device}, K {hidden}, N {intermediate}); unfused time / tileglu time"
svg.append(f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">{caption}</text></svg>')
path = pathlib.Path("out/torch_tour.svg")
path.parent.mkdir(exist_ok=True)
path.write_text("\n".join(svg))
print(f"wrote {path}")

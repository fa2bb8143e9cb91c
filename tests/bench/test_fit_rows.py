"""bench/fit_rows.py: constants that made a race are found again from it, and its table is C++. Needs numpy and scipy."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import fit_rows  # noqa: E402

ROW = "paired_p128x96_s5_c2x1"
SHAPES = [(896, 4864), (3584, 18944), (8192, 29568)]


def tile_us(m: int, n: int, k: int, block_ns: float, tile_ns: float, fixed_us: float) -> float:
    """ROW's time where multiplying hides the stream: the busiest of 66 clusters of two has ceil(tiles / 66) tiles of 256 x 96."""
    tiles = -(-m // 256) * -(-n // 96)
    return fixed_us + -(-tiles // 66) * (k / 64 * block_ns + tile_ns) * 1e-3


def race(path: pathlib.Path, scale: float, quick: dict | None = None) -> str:
    """A race on a machine `scale` times as slow, its bare product with it."""
    rows = []
    for k, n in SHAPES:
        for m in (2048, 4096, 8192):
            gemm = 4e-6 * m * n * k / 700
            us = {"gemm": gemm * scale, f"row:{ROW}": tile_us(m, n, k, 520, 700, 4) * scale, "row:quack": gemm * scale}
            cell = {"model": f"{k}", "m": m, "n": n, "k": k, "regime": "burst", "us": us}
            rows.append(cell | ({"quick_us": quick} if quick else {}))
    rows.append({"model": "x", "m": 1, "n": 8, "k": 8, "regime": "sustained", "us": {"gemm": 1.0, f"row:{ROW}": 100.0}})
    path.write_text(json.dumps({"rows": rows}))
    return str(path)


def test_the_constants_that_made_a_race_are_found_whatever_its_clock(tmp_path: pathlib.Path) -> None:
    paths = [race(tmp_path / f"{scale}.json", scale) for scale in (1.0, 1.0, 1.3)]
    points = fit_rows.gather(paths)
    assert list(points) == [ROW], "a contender that is no row of a Hopper kernel is not fitted"
    assert len(points[ROW]) == 9
    (block_ns, tile_ns, fixed_us, *_, largest_m, smallest_m, smallest_k), predicted = fit_rows.fit_tiles(ROW, points[ROW])
    assert (block_ns, tile_ns, fixed_us) == pytest.approx((520, 700, 4), rel=0.1)
    assert (largest_m, smallest_m, smallest_k) == (8192, 2048, 896)
    for (m, n, k, us, weight), guess in zip(points[ROW], predicted):
        assert weight == 1
        assert us == pytest.approx(tile_us(m, n, k, 520, 700, 4)), "the median of the bare products is of the runs at 1.0"
        assert guess == pytest.approx(us, rel=0.01)


def test_a_quick_reading_weighs_a_quarter_and_makes_no_row_alone(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture) -> None:
    other = "paired_c128x64_s6_c1x1"
    points = fit_rows.gather([race(tmp_path / "race.json", 1.0, quick={f"row:{other}": 5000.0})])
    assert {point[4] for point in points[other]} == {0.25}
    assert list(fit_rows.fit_all(points)) == [ROW]
    assert f"{other}         0 cells: left out" in capsys.readouterr().out


def test_the_program_writes_a_table_and_names_bad_files(tmp_path: pathlib.Path) -> None:
    def fit(*arguments) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(BENCH / "fit_rows.py"), *map(str, arguments)], capture_output=True, text=True)

    table, names = tmp_path / "table.hpp", tmp_path / "rows.hpp"
    names.write_text(f'"{ROW}", "paired_c1"')
    done = fit(race(tmp_path / "race.json", 1.0), "--only", names, "--write", table)
    assert done.returncode == 0, done.stderr
    assert "M=8192: geomean regret 1.0000" in done.stdout
    assert "std::array<measured_row, 1> row_timings" in table.read_text()
    assert f'{{"{ROW}", {{5' in table.read_text()
    for path, says in ((tmp_path / "none.json", "No such file"), (table, "no JSON")):
        done = fit(path)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert path.name in done.stderr and says in done.stderr

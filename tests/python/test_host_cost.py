"""bench/host_cost.py: what it prints and writes, by itself and against another build."""

import json
import os
import pathlib
import subprocess
import sys

import tileglu

HOST_COST = pathlib.Path(__file__).resolve().parents[2] / "bench" / "host_cost.py"


def measured(tmp_path, *options):
    out = tmp_path / "cost.json"
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}  # on a GPU the exit code is a judgement, of a host that may be busy
    done = subprocess.run([sys.executable, HOST_COST, "--out", out, *options], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, json.loads(out.read_text())


def test_by_itself(tmp_path):
    text, cost = measured(tmp_path, "--rounds", "2")
    assert "tileglu.gated_linear over an empty operator (allowed: 6): " in text
    for call in cost["us"].values():
        assert 0 < call["least"] <= call["median"] and len(call["rounds"]) == 2
    over = cost["us"]["tileglu.gated_linear"]["median"] - cost["us"]["empty operator"]["median"]
    assert abs(cost["parts_us"]["tileglu.gated_linear over an empty operator (allowed: 6)"] - over) < 1e-9


def test_another_build_that_does_not_load(tmp_path):
    (tmp_path / "tileglu").mkdir()
    (tmp_path / "tileglu" / "__init__.py").write_text("raise ImportError('broken')")
    done = subprocess.run([sys.executable, HOST_COST, "--against", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and "the process of other build has ended, with exit status 1" in done.stderr


def test_wrong_options(tmp_path):
    for options, text in (
        (["--against", tmp_path], f"--against is '{tmp_path}', which holds no tileglu/__init__.py"),
        (["--rounds", "0"], "--rounds is 0; allowed is 1 or more"),
    ):
        done = subprocess.run([sys.executable, HOST_COST, *options], capture_output=True, text=True)
        assert done.returncode == 2 and text in done.stderr


def test_against_another_build(tmp_path):
    """Here against itself: each build is found by its folder, and each has its rounds."""
    folder = pathlib.Path(tileglu.__file__).parents[1]
    text, cost = measured(tmp_path, "--rounds", "2", "--against", str(folder))
    assert f"== {folder}" in text and "== this build" in text
    assert cost["us"]["other"].keys() == cost["us"]["this"].keys() >= {"empty operator", "tileglu.gated_linear", "tileglu.nn.GatedMLP"}
    for calls in cost["us"].values():
        for call in calls.values():
            assert 0 < call["least"] <= call["median"] and len(call["rounds"]) == 2

"""The wheel: one file for every Python, built without torch, installed into a fresh virtual environment."""

import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = """
import pathlib, sys, torch, tileglu
assert pathlib.Path(tileglu.__file__).is_relative_to(sys.prefix), tileglu.__file__
x, gate, up = (torch.randn(*s).bfloat16() for s in ((4, 64), (48, 64), (48, 64)))
y = tileglu.gated_linear(x, gate, up)
exact = torch.nn.functional.silu(x.double() @ gate.double().T) * (x.double() @ up.double().T)
error = float((y.double() - exact).norm() / exact.norm())
assert error < 0.004, error
print("relative error", error)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> pathlib.Path:
    """The wheel that scripts/test_python built, or one built here."""
    if path := os.environ.get("TILEGLU_WHEEL"):
        return pathlib.Path(path)
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", str(SOURCE), "--no-deps", "-w", str(folder),
               "--config-settings=cmake.define.TILEGLU_CUDA=OFF"]  # fmt: skip
    subprocess.run(command, check=True)
    return next(folder.glob("tileglu-*.whl"))


def test_one_wheel_for_every_python(wheel):
    assert re.fullmatch(r"tileglu-\d+\.\d+\.\d+-py3-none-linux_(x86_64|aarch64)\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
        metadata = files.read(next(n for n in names if n.endswith("METADATA"))).decode()
    assert {"tileglu/__init__.py", "tileglu/_tileglu_torch.so", "tileglu/py.typed", "tileglu/nn.py"} <= names
    assert not [n for n in names if n.startswith(("tests", "python/", "csrc"))]
    assert "Requires-Dist: torch>=2.10" in metadata


def test_the_build_needs_no_torch():
    requires = re.search(r"^requires = \[(.*?)\]", (SOURCE / "pyproject.toml").read_text(), re.M | re.S).group(1)
    assert "scikit-build-core" in requires and "torch" not in requires


def test_a_fresh_virtual_environment(wheel, tmp_path):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    installer = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(installer, check=True)
    # torch, which takes gigabytes, is lent by this environment; tileglu is not: the program checks where it comes from.
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    (pathlib.Path(site) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([python, "-c", PROGRAM], capture_output=True, text=True, cwd=tmp_path, env=clean)
    assert done.returncode == 0, done.stderr
    assert "relative error" in done.stdout


def test_a_copied_source_folder_says_what_is_missing(tmp_path):
    (tmp_path / "tileglu").mkdir()
    for file in (SOURCE / "python" / "tileglu").glob("*.py"):
        (tmp_path / "tileglu" / file.name).write_text(file.read_text())
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", "import tileglu"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode != 0 and "install tileglu with `pip install .`" in done.stderr

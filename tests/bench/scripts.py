"""The scripts that judge races and run them, without a GPU: python3 tests/bench/scripts.py TILEGLU. fit_rows.py: test_fit_rows.py beside it."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
PROGRAM = sys.argv.pop(1)


def cell(m=64, k=896, n=4864, regime="burst", model="0.5B", facts=None, **us):
    return {"model": model, "m": m, "n": n, "k": k, "regime": regime, "us": us, "facts": facts or {}}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def program(self, name, text):
        """A shell script in a folder that stands first in PATH."""
        path = self.file(f"bin/{name}", "#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def run_command(self, code, command, says="", **environment):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=os.environ | {"PATH": path} | environment)
        self.assertEqual(done.returncode, code, f"{command}: {done.stdout}{done.stderr}")
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn(says, done.stdout + done.stderr)
        return done.stdout

    def script(self, code, name, *arguments, says=""):
        return self.run_command(code, [sys.executable, ROOT / "bench" / name, *arguments], says)


class Choices(Scripts):
    def choices(self, code, *arguments, program=PROGRAM, says=""):
        cells = self.file("cells.json", {"about": "one", "list": {"models": {"0.5B": [896, 4864]}, "m": [1, 64]}})
        return self.script(code, "choices.py", "--program", program, "--cells", cells, *arguments, says=says)

    def test_a_row_costs_what_its_races_say(self):
        plans = self.run_command(0, [PROGRAM, "plan", "1,64x4864x896", "--device", "h200", "--layout", "stacked_gate_up", "--json"])
        first, second = (plan["row"] for plan in json.loads(plans))
        named, chosen = f"row:{first}", {"tileglu": {"row": second}}
        one = self.file("one.json", {"rows": [cell(m=1, gemm=10.0, **{named: 12.0}), cell(gemm=10.0, tileglu=9.0, facts=chosen)]})
        sustained = cell(m=1, regime="sustained", gemm=1.0, **{named: 9.0})
        other = self.file("other.json", {"rows": [cell(m=1, gemm=20.0, **{named: 6.0}), sustained]})
        said = self.choices(0, one, other, "--worst", "0.5")
        self.assertIn(f"0.5B M = 1: {first} 0.600, runs: 2", said)  # the geomean of 1.2 and 0.3
        self.assertIn("M =     1 geomean 0.600 over 1 of 1 models, largest 0.600", said)
        self.assertIn(f"0.5B M = 64: {second} 0.900, runs: 1", said)
        self.assertNotIn("0.5B", self.choices(0, one, other, "--worst", "0.95"))

    def test_what_no_race_has_seen_is_said(self):
        said = self.choices(0, self.file("one.json", {"rows": [cell(m=1, tileglu=1.0)]}))
        self.assertEqual(said.count("was not raced there"), 2)

    def test_bad_files_and_programs_are_named(self):
        race = self.file("race.json", {"rows": []})
        self.choices(2, self.folder / "none.json", says="none.json: No such file")
        self.choices(2, self.file("half.json", '{"rows": ['), says="half.json: no JSON")
        self.choices(2, self.file("list.json", []), says="list.json: a JSON list; allowed is an object")
        self.choices(2, self.file("other.json", {"rows": [{"m": 1}]}), says="other.json: no race; allowed is an object whose 'rows' have")
        self.choices(2, race, program=self.folder / "none", says="none: No such file")
        self.choices(2, race, program="/bin/echo", says="its plan is no JSON")
        self.choices(2, race, "--device", "toaster", says="toaster")


class PaperClaims(Scripts):
    def test_each_claim_by_hand(self):
        race = self.file("race.json", {"rows": [
            cell(gemm=10.0, eager=20.0, launched_eager=40.0, merged=12.0, compile=16.0, kernel1=10.0, kernel2=8.0, tileglu=5.0),
            cell(m=2048, gemm=100.0, eager=125.0, kernel1=90.0, kernel2=95.0),
            cell(m=1, regime="sustained", gemm=1.0, kernel1=1e-3, kernel2=1.0)]})
        moved = [{"row": "paired_x", "m": 64, "ratio": 1.0074}, {"error": "no counters"}]
        dram = self.file("dram.json", {"metrics": "dram__bytes_read.sum", "cells": moved})
        said = self.script(0, "paper_claims.py", race, dram)
        for line in ("the faster of its two: 5.00x (0.5B, M = 64) to 5.00x", "tileglu: 8.00x (0.5B, M = 64)",
                     "the faster of its two: 1.39x (0.5B, M = 2048) to 2.50x (0.5B, M = 64), geomean 1.86x of 2 cells",
                     "tileglu: 2.40x (0.5B, M = 64)", "Kernel-2 faster in 1 of 2 cells, Kernel-1 in 1 (0.5B, M = 2048)",
                     "20.00 % (0.5B, M = 2048) to 50.00 % (0.5B, M = 64)", "in graphs: 1.25 (0.5B, M = 64)",
                     "kernel1 397 TFLOP/s, 40.1 % (0.5B, M = 2048)",  # 4 x 2048 x 4864 x 896 / 90 us
                     "paired_x M = 64 1.007\n"):
            self.assertIn(line, said)

    def test_missing_claims_are_said(self):
        self.assertEqual(self.script(0, "paper_claims.py", self.file("race.json", {"rows": [cell(gemm=1.0)]})).count("not in these files"), 9)

    def test_bad_files_are_named(self):
        self.script(2, "paper_claims.py", self.file("cpu.json", {"cells": [{"ratio": 1.0}]}), says="cpu.json: no race")
        self.script(2, "paper_claims.py", self.folder / "none.json", says="none.json: No such file")


class GpuRace(Scripts):
    """By a python3 and an nvidia-smi that only write down what they are asked."""

    def race(self, code, *names, python="exit 0", says=""):
        self.program("nvidia-smi", "echo 'NVIDIA H200'\n")
        self.program("python3", f'echo "$@" >> {self.folder}/asked\n{python}\n')
        (self.folder / "asked").write_text("")
        self.run_command(code, [ROOT / "scripts" / "gpu_race", PROGRAM, self.folder, *names], says)
        return re.findall(r"-h200-race-(\w+)\.json", (self.folder / "asked").read_text())

    def test_names_choose(self):
        self.assertEqual(self.race(0), ["default", "outside", "sustained", "field", "compile"])
        self.assertEqual(self.race(0, "field"), ["field"])
        self.assertEqual(self.race(0, "compile", "default"), ["compile", "default"])

    def test_a_name_that_is_none_is_refused_before_anything_runs(self):
        for name in ("fields", "", "default outside"):
            self.assertEqual(self.race(2, "default", name, says=f"'{name}' is no race; allowed are default outside"), [])

    def test_a_race_that_fails_fails_the_whole_and_the_others_run(self):
        self.assertEqual(self.race(1, "default", "field", python="exit 1", says="in: default field"), ["default", "field"])


class GpuTests(Scripts):
    """By a gpu_check that writes down what it is asked."""

    def check(self, code, *arguments, outcome=0):
        self.program("nvidia-smi", "echo 'NVIDIA H200'\n")
        gpu_check = self.program("gpu_check", f'echo "$@" > {self.folder}/asked\nexit {outcome}\n')
        out = self.folder / "new" / "out"
        self.run_command(code, [ROOT / "scripts" / "gpu_tests", *arguments], GPU_CHECK=gpu_check, OUT=str(out))
        self.assertTrue(out.is_dir())
        return (self.folder / "asked").read_text()

    def test_a_gpu_check_built_elsewhere_runs_with_its_options(self):
        asked = self.check(0, "--quick", "--kernels", "paired")
        self.assertRegex(asked, rf"^--json {self.folder}/new/out/\d{{4}}-\d\d-\d\d-h200-gpu-check\.json --quick --kernels paired\n$")

    def test_its_failure_fails(self):
        self.check(1, outcome=3)

    def parts(self, code, *arguments, body="", says="", **variables):
        """By a gpu_check that writes a part's JSON, behind `body`, in which $part, $parts and $json are set. The joined JSON."""
        self.program("nvidia-smi", "echo 'NVIDIA H200'\n")
        read = """while [ $# -gt 0 ]; do case $1 in --json) json=$2; shift;; --part) part=${2%/*} parts=${2#*/}; shift;; esac; shift; done\n"""
        groups = "$([ $part = 1 ] && echo 6 || echo 1)"
        row = '{"row": "a", "check": "models", "passed": 2, "failed": 0, "refused": 1, "worst_error_ratio": 1.\'$part\'}'
        text = (
            '{"tileglu": "0.1.0", "command": "gpu_check --full --part \'$part/$parts\'", "seconds": 1.5, "device": {"name": "H200"}, '
            '"part": \'$part\', "parts": \'$parts\', "passed": 2, "failed": 0, "failures": [], "rows": [%s], '
            '"sweep": [{"check": "models", "groups": \'$groups\', "of": 9, "m": "1,2", "rows": "every row", '
            '"placements": "p", "epilogues": "e", "seconds": 2.5}]}'
        ) % row
        gpu_check = self.program("gpu_check", f"{read}groups={groups}\n{body}\necho '{text}' > $json\n")
        out = self.folder / "new" / "out"
        self.run_command(code, [ROOT / "scripts" / "gpu_tests", *arguments], says=says, GPU_CHECK=gpu_check, OUT=str(out), **variables)
        return json.loads(next(out.glob("*-gpu-check.json")).read_text())

    def test_a_full_run_is_four_parts_joined(self):
        whole = self.parts(0, "--full", says="8 checks in")
        self.assertEqual((whole["passed"], whole["failed"], whole["command"]), (8, 0, "gpu_check --full"))
        self.assertEqual([part["part"] for part in whole["parts"]], [1, 2, 3, 4])
        self.assertEqual(whole["rows"], [dict(row="a", check="models", passed=8, failed=0, refused=4, worst_error_ratio=1.4)])
        self.assertEqual((whole["sweep"][0]["groups"], whole["sweep"][0]["of"]), (9, 9))

    def test_groups_that_no_part_took_fail(self):
        self.assertIn("models: 8 of 9 groups were taken", self.parts(1, "--full", "--parts", "3")["failures"])

    def test_a_part_of_another_run_fails(self):
        self.assertIn("part 3: parts is 5; part 1 has 4", self.parts(1, "--full", body="[ $part = 3 ] && parts=5")["failures"])

    def test_a_part_that_wrote_nothing_fails(self):
        whole = self.parts(1, "--full", body="[ $part = 2 ] && exit 3", says="part-2: FAILED, exit status 3")
        self.assertIn("of 4 parts these are missing: 2", whole["failures"])

    def test_a_part_that_hangs_fails(self):
        whole = self.parts(1, "--full", body="[ $part = 4 ] && sleep 100", says="part-4: FAILED", LIMIT="-29")  # with 30 s more: one
        self.assertIn("of 4 parts these are missing: 4", whole["failures"])

    def test_numbers_that_are_none_are_refused(self):
        self.program("nvidia-smi", "echo 'NVIDIA H200'\n")
        self.run_command(2, [ROOT / "scripts" / "gpu_tests", "--parts", "0"], says="--parts is '0'")
        self.run_command(2, [ROOT / "scripts" / "gpu_tests"], says="LIMIT is 'ten'", LIMIT="ten")

    def sanitized(self, code, body=""):
        sanitizer = f'echo "$@" >> {self.folder}/tools\n{body}\n'
        self.program("compute-sanitizer", sanitizer)
        self.check(code, "--sanitize", "--quick")
        return sorted((self.folder / "tools").read_text().splitlines())

    def test_the_sanitizers_run_small_cases(self):
        lines = self.sanitized(0)
        self.assertEqual([line.split()[1] for line in lines], ["initcheck", "memcheck", "racecheck", "synccheck"])
        checks = {line.split()[1]: line.split("--checks ")[1] for line in lines}
        self.assertEqual(checks.pop("racecheck"), "repeats,row_bits,sweep --quick --tiny")
        self.assertEqual(set(checks.values()), {"repeats,row_bits,sweep,whole_mlp --quick --tiny"})
        self.assertEqual(["9gpu_check" in line for line in lines], [False, False, True, False])

    def test_what_a_sanitizer_finds_fails(self):
        for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
            self.sanitized(1, body=f"[ $2 = {tool} ] && exit 1 || exit 0")

    def test_a_race_fails_unless_it_is_in_a_kernel_of_cublaslt(self):
        race = "========= Error: Race reported between Read access at {}+0xb00"
        self.sanitized(0, body=f"echo '{race.format('nvjet_sm90_tst_64x8')}'")
        self.sanitized(1, body=f"[ $2 = racecheck ] && echo '{race.format('tileglu::sm90::paired_kernel')}' || exit 0")
        self.sanitized(1, body="[ $2 = racecheck ] && echo '========= Internal Sanitizer Error: no' || exit 0")


class GpuPython(Scripts):
    """By a python that writes down what it is asked."""

    def asked(self, code, *stages, outcome=0, says="", model=True):
        self.program("nvidia-smi", "echo 'NVIDIA H200'\n")
        python = self.program("some-python", f'echo "$@" >> {self.folder}/asked\nexit {outcome}\n')
        if model:
            self.file("model/model.safetensors", "weights")
        out = self.folder / "out"
        self.run_command(code, [ROOT / "scripts" / "gpu_python", *stages], says=says, PYTHON=python, OUT=str(out), MODEL=str(self.folder / "model"))
        asked = self.folder / "asked"
        return asked.read_text().splitlines() if asked.exists() else []

    def test_every_stage_runs_and_says_where_its_figures_go(self):
        asked = self.asked(0)
        words = [re.search(r"ahead_of_time and cuda|tests/python/test_\w+|bench/\w+|examples/\w+", line)[0] for line in asked]
        files = ["autocast", "autograd", "compile", "gated_linear", "module", "operator"]
        right = ["ahead_of_time and cuda", "bench/host_cost", "examples/smollm2", *(f"tests/python/test_{name}" for name in files)]
        self.assertEqual(sorted(words[:9]), sorted(right))  # side by side
        self.assertEqual(words[9:], ["bench/host_cost", "bench/race_mlp", "examples/smollm2"])
        for line, name in zip(asked[9:], ("host-cost", "race-mlp", "smollm2-speed")):
            self.assertRegex(line, rf"{self.folder}/out/\d{{4}}-\d\d-\d\d-h200-{name}\.json")

    def test_a_stage_by_name(self):
        self.assertEqual(len(self.asked(0, "mlp")), 1)

    def test_an_unknown_stage_is_refused_before_anything_runs(self):
        self.assertEqual(self.asked(2, "mlp", "hosts", says="'hosts'; allowed are tests host mlp smollm2"), [])

    def test_what_fails_stops_no_other_and_is_named(self):
        says = r"failed: ahead_of_time test_autocast test_autograd test_compile test_gated_linear test_module test_operator mlp"
        self.assertEqual(len(self.asked(1, "tests", "mlp", outcome=1, says=says)), 8)

    def test_a_model_that_is_not_there_fails_its_stage_alone(self):
        self.assertEqual(len(self.asked(1, "smollm2", "mlp", model=False, says="scripts/get_model brings it")), 1)


class WithoutAGpu(Scripts):
    """By an nvidia-smi that fails as it does beside a broken driver: it says why on standard output."""

    def test_it_is_said_before_anything_is_built_or_installed(self):
        self.program("nvidia-smi", "echo 'NVIDIA-SMI has failed'\nexit 9\n")
        self.program("cmake", f"touch {self.folder}/built\n")
        for name, *arguments in (("gpu_tests",), ("gpu_race", PROGRAM, self.folder), ("gpu_python",)):
            self.run_command(3, [ROOT / "scripts" / name, *arguments], says=f"{name}: no NVIDIA GPU was found", OUT=f"{self.folder}/out")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bin"])

    def test_help_is_there(self):
        for name in ("gpu_tests", "gpu_race", "gpu_python"):
            self.assertNotIn("set -", self.run_command(0, [ROOT / "scripts" / name, "--help"], says=f"scripts/{name} ["))

    def test_programs_that_are_not_there_are_named(self):
        self.program("nvidia-smi", "echo 'NVIDIA H200'\n")
        self.run_command(2, [ROOT / "scripts" / "gpu_tests"], says="GPU_CHECK is '/nowhere', which is no program", GPU_CHECK="/nowhere")
        self.run_command(2, [ROOT / "scripts" / "gpu_python"], says="PYTHON is '/nowhere', which is no program", PYTHON="/nowhere")
        self.run_command(2, [sys.executable, ROOT / "scripts" / "dram_bytes"], says="scripts/dram_bytes GPU_CHECK OUT.json")


class WrongArguments(Scripts):
    """Are refused before anything is downloaded, installed or built."""

    def test_they_are_named(self):
        for name, arguments, says in (
            ("get_model", ["--help"], "'--help' is given; it takes no arguments"),
            ("install", ["test"], "'test' is given; allowed are nothing, and tests"),
            ("install", ["tests", "all"], "'tests all' is given"),
            ("configure", [], "the folder is ''; allowed is scripts/configure FOLDER"),
            ("configure", ["-DTILEGLU_CUDA=OFF"], "the folder is '-DTILEGLU_CUDA=OFF'"),
        ):
            self.run_command(2, [ROOT / "scripts" / name, *arguments], says=says)


class TestPythons(Scripts):
    def test_a_named_interpreter_that_is_not_there_fails_before_anything_is_installed(self):
        self.run_command(3, [ROOT / "scripts" / "test_pythons", "3.99"], says="python3.99 is not there, or has no venv module")
        self.run_command(3, [ROOT / "scripts" / "test_pythons", str(self.folder / "python")], says="python is not there")


class Results(unittest.TestCase):
    def test_every_file_is_in_the_table_and_reads(self):
        """A file that is not committed yet may be missing from the table."""
        table = (RESULTS / "README.md").read_text()
        listed = re.findall(r"^\| `([\w.-]+)`", table, flags=re.M)
        self.assertEqual(len(listed), len(set(listed)))
        for stem in listed:
            json.loads((RESULTS / f"{stem}.json").read_text())
        tracked = subprocess.run(["git", "-C", RESULTS, "ls-files", "*.json"], capture_output=True, text=True).stdout.split()
        self.assertEqual([name for name in tracked if pathlib.Path(name).stem not in listed], [])


if __name__ == "__main__":
    unittest.main()

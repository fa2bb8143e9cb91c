"""The command line: exit codes that mean something, JSON that parses, errors that name what is wrong."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
DONE, CHECK_FAILED, BAD_USAGE, ENVIRONMENT = 0, 1, 2, 3


def tileglu(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


class CommandLine(unittest.TestCase):
    def expect(self, code, *arguments, says=""):
        done = tileglu(*arguments)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertIn(says, done.stdout + done.stderr)
        return done

    def json(self, *arguments):
        return json.loads(self.expect(DONE, *arguments, "--json").stdout)

    def test_help_teaches_by_example(self):
        self.expect(DONE, "--help", says="tileglu check 1,16,128x1536x576")
        for command in ("check", "bench", "plan", "info"):
            self.expect(DONE, command, "--help", says=f"  tileglu {command}")
        self.expect(DONE, "--version", says=".")

    def test_bad_usage(self):
        self.expect(BAD_USAGE)
        self.expect(BAD_USAGE, "dance")
        self.expect(BAD_USAGE, "plan", "--no-such-option")
        self.expect(BAD_USAGE, "plan", says="no problem was given")
        for shape in ("16", "16x4", "16x4x2x1", "ax4x2", "1,x4x2", "99999999999999999999x4x2", ""):
            self.expect(BAD_USAGE, "plan", shape, says=f"'{shape}'")
        self.expect(BAD_USAGE, "plan", "--", "-1x4x2", says="m is -1")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--device", "toaster", says="toaster")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--kernel", "turbo", says="turbo")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--backend", "tpu", says="tpu")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--activation", "swish", says="silu")
        self.expect(BAD_USAGE, "plan", "4x4864x896", "--device", "h200", "--kernel", "interleaved", says="allowed is interleaved")

    def test_info(self):
        info = self.json("info")
        self.assertEqual([b["name"] for b in info["backends"]], ["oracle", "cpu", "cuda_portable", "sm90"])
        for backend in info["backends"]:
            self.assertEqual(backend["available"], backend["missing"] == "")
        self.assertTrue(info["cuda"] or info["cuda_reason"])
        self.expect(DONE, "info", says="oracle")

    def test_plan(self):
        plans = self.json("plan", "1,64x4864x896", "--device", "a100")
        self.assertEqual([p["problem"]["m"] for p in plans], [1, 64])
        self.assertEqual({p["backend"] for p in plans}, {"cuda_portable"})
        self.assertTrue(all(c["reason"] for p in plans for c in p["considered"]))
        self.expect(DONE, "plan", "4096x4864x896", "--device", "h100", "--kernel", "gate_first", says="chosen   gate_first")
        self.assertEqual(len(self.expect(DONE, "plan", "1,2,3x64x64", "--device", "none", "--brief").stdout.splitlines()), 4)

    def test_check(self):
        checks = self.json("check", "0,1,5x40x24", "--device", "cpu", "--activation", "gpt_oss", "--bias", "--dtype", "fp16", "--every-kernel")
        self.assertEqual(checks["wrong"], 0)
        self.assertTrue({c["kernel"] for c in checks["checks"]} >= {"cpu_stream", "cpu_blocked"})
        self.expect(DONE, "check", "3x17x9", "--device", "cpu", "--ldx", "11", "--ldy", "19", "--numerics", "match_unfused", "--layout", "interleaved", says="1 of 1 right")
        self.expect(DONE, "check", "2x8x8", "--device", "cpu", "--backend", "oracle", says="oracle")
        if not self.json("info")["gpus"]:
            self.expect(ENVIRONMENT, "check", "2x64x64", "--device", "a100", says="not_available")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "problems.json"
            file.write_text(json.dumps([{"m": [1, 2], "n": 16, "k": 8, "activation": "relu"}, {"name": "x", "m": 3, "n": 8, "k": [8, 16], "bias": True}]))
            checks = self.json("check", "--device", "cpu", "--file", str(file))["checks"]
            self.assertEqual([(c["m"], c["n"], c["k"], c["activation"], c["bias"]) for c in checks],
                             [(1, 16, 8, "relu", False), (2, 16, 8, "relu", False), (3, 8, 8, "silu", True), (3, 8, 16, "silu", True)])
            for text, says in (("{", "parse"), ("{}", "no JSON array"), ('[{"m": 1, "n": 2}]', '"k"'), ('[{"m": [], "n": 2, "k": 3}]', "empty"),
                               ('[{"m": 1, "n": 2, "k": 3, "colour": 4}]', "colour"), ('[{"m": "one", "n": 2, "k": 3}]', "type"),
                               ('[{"m": 1, "n": 2, "k": 3, "activation": "swish"}]', "swish"), ("[]", "no problem")):
                file.write_text(text)
                self.expect(BAD_USAGE, "check", "--file", str(file), says=says)
            self.expect(ENVIRONMENT, "check", "--file", folder + "/missing.json", says="missing.json")

    def test_bench(self):
        with tempfile.TemporaryDirectory() as folder:
            output = folder + "/bench.json"
            bench = self.json("bench", "1,8x64x32", "--device", "cpu", "--rounds", "2", "--every-kernel", "--output", output)
            self.assertEqual(bench, json.loads(pathlib.Path(output).read_text()))
            for cell in bench["cells"]:
                self.assertIn("tileglu", [c["name"] for c in cell["contenders"]])
                for contender in cell["contenders"]:
                    self.assertEqual(len(contender["burst_rounds_us"]), 2)
                    self.assertGreater(contender["burst_us"], 0)
                    self.assertTrue(contender.get("right", True))
            self.expect(ENVIRONMENT, "bench", "1x8x8", "--device", "cpu", "--rounds", "1", "--output", folder + "/no/such/folder.json", says="could not be written")
        self.expect(BAD_USAGE, "bench", "1x8x8", "--rounds", "0")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "info", "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, ENVIRONMENT)
        self.assertIn("could not be written", done.stderr)


if __name__ == "__main__":
    unittest.main()

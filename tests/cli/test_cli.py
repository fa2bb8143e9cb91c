"""The command line: exit codes that mean something, JSON that parses, errors that name what is wrong."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
DONE, WRONG_RESULT, BAD_USAGE, CANNOT, FILE_TROUBLE = 0, 1, 2, 3, 4


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
        for command in ("run", "check", "bench", "plan", "pack", "info"):
            text = self.expect(DONE, command, "--help", says=f"  tileglu {command}").stdout
            for option in ("--help", "--json"):
                self.assertIn(option, text)
            for example in (shlex.split(line, comments=True) for line in text.splitlines() if line.startswith(f"  tileglu {command}")):
                for word in (word for word in example if word.startswith("--")):
                    self.assertIn(word, text.split("Examples:")[0], f"{example} uses an option that {command} --help does not describe")
        self.expect(DONE, "--version", says=".")

    def test_bad_usage(self):
        self.expect(BAD_USAGE)
        self.expect(BAD_USAGE, says="allowed are the commands run, check, bench, plan, pack, info")
        self.expect(BAD_USAGE, "dance", says="'dance' is no command; allowed are the commands run, check")
        self.expect(BAD_USAGE, "--json", "info", says="'--json' stands before the command")
        self.expect(BAD_USAGE, "plan", "1x8x8", "--dtype", "bf16", "--dtype", "fp16", says="--dtype is given 2 times; allowed is once")
        self.expect(BAD_USAGE, "plan", "1x8x8", "--ldx", says="--ldx is given no value; allowed is one")
        self.expect(BAD_USAGE, "info", "extra", says="'extra' is no argument of `tileglu info`")
        for command in ("run", "check", "bench", "plan", "info", "pack --layout separate --out x"):
            name = command.split()[0]
            for words in ("--no-such-option", "--no-such-option=3"):
                self.expect(BAD_USAGE, *command.split(), words, says=f"'{words}' is no option of `tileglu {name}`; allowed are --help")
            self.expect(BAD_USAGE, *command.split(), "--json=2", says="--json is given a value; allowed is --json alone")
        self.expect(BAD_USAGE, "plan", says="no problem was given")
        for shape in ("16", "16x4", "16x4x2x1", "ax4x2", "1,x4x2", "99999999999999999999x4x2", ""):
            self.expect(BAD_USAGE, "plan", shape, says=f"'{shape}'")
        typed = self.expect(BAD_USAGE, "plan", "1x8x8\n\x1b[31m", says="shape is '1x8x8??[31m'")
        self.assertNotIn("\x1b", typed.stderr, "what was typed commands no terminal")
        self.expect(BAD_USAGE, "plan", "--", "-1x4x2", says="m is -1")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--device", "toaster", says="toaster")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--kernel", "turbo", says="turbo")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--backend", "tpu", says="tpu")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--activation", "swish", says="silu")

    def test_numbers_are_read_whole(self):
        whole, budget = "allowed are whole numbers from", "allowed are numbers from 1 to 1e+18"
        for value in ("inf", "nan", "-1", "0", "1e19", "many", "0x10", "1e6x"):
            self.expect(BAD_USAGE, "check", "1x4x2", f"--budget={value}", says=f"--budget: the value is '{value}'; {budget}")
        for option, value in (("--seed", "-1"), ("--seed", "1.5"), ("--ldx", "1.5"), ("--ldw", "-4"), ("--ldy", "1e30"), ("--ldx", 20 * "9")):
            self.expect(BAD_USAGE, "check", "1x4x2", option, value, says=f"{option}: the value is '{value}'; {whole}")
        for option, value in (("--rounds", "0"), ("--rounds", "1001"), ("--rounds", "two"), ("--sustained-from", "-1")):
            self.expect(BAD_USAGE, "bench", "1x8x8", option, value, says=f"{option}: the value is '{value}'; {whole}")
        for option, value in (("--m", "1.5"), ("--m", "0"), ("--m", "1,x"), ("--rows-checked", "0"), ("--seconds", "nan"), ("--seconds", "inf")):
            self.expect(BAD_USAGE, "run", option, value, says=f"{option}: the value is '{value.split(',')[-1]}'; allowed are")
        for option in ("--alpha", "--limit"):
            for value in ("1e39", "x"):
                says = f"{option}: the value is '{value}'; allowed are numbers that float32 holds"
                self.expect(BAD_USAGE, "plan", "1x4x2", f"{option}={value}", says=says)
        self.expect(BAD_USAGE, "plan", "1x4x2", "--activation", "gpt_oss", "--alpha", "nan", says="act.alpha is nan; allowed is a finite number")
        self.expect(BAD_USAGE, "plan", "1x4x2", "--limit", "0", says="act.limit is 0")
        self.assertEqual(self.json("plan", "1x4x2", "--activation", "gpt_oss", "--alpha", "0", "--ldx", "010")[0]["problem"],
                         {"m": 1, "n": 4, "k": 2, "dtype": "bf16", "layout": "separate", "activation": "gpt_oss", "alpha": 0.0, "limit": 7.0,
                          "bias": False, "numerics": "fp32_through", "ldx": 10})
        self.expect(BAD_USAGE, "plan", "1x4x2", "--bias=2", says="--bias is given a value; allowed is --bias alone")
        for words in (("plan", "1x4x2", "--file", ""), ("bench", "1x4x2", "--output", ""), ("run", "--model", ""), ("run", "--out", ""),
                      ("run", "--activations", ""), ("pack", "--layout", "separate", "--out", "")):
            self.expect(BAD_USAGE, *words, says=f"{words[-2]}: the value is ''; allowed is a path")

    def test_exit_codes(self):
        """One table for every command: docs/command-line.md, and the foot of --help."""
        missing = "/no/such/folder/x"
        for words in (("plan", "--file", missing), ("check", "--file", missing), ("bench", "--file", missing), ("run", "--model", missing),
                      ("pack", "--model", missing, "--layout", "separate", "--out", missing)):
            self.expect(FILE_TROUBLE, *words, says=missing)
        for command in ("plan", "check", "bench"):
            self.expect(BAD_USAGE, command, "1x8x8", "--kernel", "turbo", says="'turbo'")
            self.expect(CANNOT, command, "1x8x8", "--device", "cuda:99", says="not_available")
            self.expect(CANNOT, command, "64x8x8", "--device", "cpu", "--kernel", "cpu_stream", says="m is 64; allowed are 1 to 4")
            self.expect(CANNOT, command, "1x8x8", "--device", "cpu", "--kernel", "portable", says="allowed is a CUDA device")
        for command in ("plan", "check"):
            self.expect(BAD_USAGE, command, "1x8x8", "--device", "toaster", says="toaster")
            self.expect(CANNOT, command, "1x8x8", "--device", "cpu", "--backend", "sm90", says="unsupported")
        for command in ("check", "bench"):
            self.expect(CANNOT, command, "999999999x4864x896", "--device", "cpu", says="out_of_memory: m=999999999")
        self.expect(CANNOT, "plan", "4x4864x896", "--device", "h200", "--kernel", "interleaved", says="allowed is interleaved")

    def test_the_baseline_is_planned_as_what_it_computes(self):
        words = ("8x16x16", "--device", "cpu", "--kernel", "cpu_unfused")
        for command in ("plan", "check"):
            self.expect(CANNOT, command, *words, says="cpu_unfused: mode is fp32_through; allowed is match_unfused")
            self.expect(DONE, command, *words, "--numerics", "match_unfused", says="cpu_unfused")

    def test_a_slip_in_the_number_of_threads(self):
        for threads in ("100000", "2147483647", "0", "-1", "many"):
            done = subprocess.run([PROGRAM, "check", "8x64x64", "--device", "cpu"], capture_output=True, text=True,
                                  env=os.environ | {"OMP_NUM_THREADS": threads})
            self.assertEqual(done.returncode, DONE, f"{threads}: {done.stderr}")

    def test_few_outputs_are_judged_by_the_rule(self):
        for shape in ("1,2,3x1,2,3x1,2,3", "1,5x7,33x64,200"):
            for numerics in ("fp32_through", "match_unfused"):
                for seed in ("1", "2", "3"):
                    words = ("--every-kernel", "--numerics", numerics, "--seed", seed, "--activation", "gelu_erf")
                    self.expect(DONE, "check", shape, "--device", "cpu", *words)

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
        padded = ("--ldx", "11", "--ldy", "19", "--numerics", "match_unfused", "--layout", "interleaved")
        self.expect(DONE, "check", "3x17x9", "--device", "cpu", *padded, says="1 of 1 right")
        self.expect(DONE, "check", "2x8x8", "--device", "cpu", "--backend", "oracle", says="oracle")
        if not self.json("info")["gpus"]:
            self.expect(CANNOT, "check", "2x64x64", "--device", "a100", says="not_available")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "problems.json"
            problems = [{"m": [1, 2], "n": 16, "k": 8, "activation": "relu"}, {"name": "x", "m": 3, "n": 8, "k": [8, 16], "bias": True}]
            file.write_text(json.dumps(problems))
            checks = self.json("check", "--device", "cpu", "--file", str(file))["checks"]
            self.assertEqual([(c["m"], c["n"], c["k"], c["activation"], c["bias"]) for c in checks],
                             [(1, 16, 8, "relu", False), (2, 16, 8, "relu", False), (3, 8, 8, "silu", True), (3, 8, 16, "silu", True)])
            for text, says in (
                ("{", "parse"), ("", "parse"), ("{}", "no JSON array"), ("[]", "no problem"), ('[{"m": 1, "n": 2}]', 'problem 1: it lacks "k"'),
                ('[{"m": [], "n": 2, "k": 3}]', '"m" is an empty list'), ('[{"m": 1, "n": 2, "k": 3, "colour": 4}]', '"colour" is no part'),
                ('[{"m": 1, "n": 2, "k": 3}, 7]', "problem 2: it is 7; allowed is an object"), ("[[]]", "problem 1: it is an array"),
                ('[{"m": 1, "n": 2, "k": 3, "activation": "swish"}]', "swish"), ('[{"m": 1, "m": 2, "n": 2, "k": 3}]', '"m" is there twice'),
                ('[{"m": 1, "n": 2, "k": 3, "ldx": 2}]', "problem 1: ldx is 2; allowed are 0 (dense) or at least k = 3"),
                ('[{"m": -1, "n": 2, "k": 3}]', "problem 1: m is -1; allowed are 0 to"), ('[{"m": 1e999, "n": 2, "k": 3}]', "1e999")
            ):  # fmt: skip
                file.write_text(text)
                self.expect(BAD_USAGE, "check", "--file", str(file), says=says)
            # No value is converted: what is no whole number, word, number or truth value is named, with its entry.
            whole = "; allowed are whole numbers from 0 to 1099511627776"
            truth, single = "; allowed are true and false", "; allowed are numbers that float32 holds"
            for key, value, allowed in (
                ("m", "1.5", whole), ("n", "1e30", whole), ("k", "18446744073709551615", whole), ("m", '"16"', whole), ("m", "true", whole),
                ("m", "null", whole), ("m", "[1, 2.5]", whole), ("ldx", "8.0", whole), ("ldy", "[8]", whole), ("bias", "1", truth),
                ("bias", '"yes"', truth), ("dtype", "16", "; allowed is a word"), ("alpha", '"1"', single), ("alpha", "1e39", single),
                ("limit", "false", single)
            ):  # fmt: skip
                entry = {"m": "1", "n": "8", "k": "8", key: value}
                file.write_text('[{"m": 1, "n": 8, "k": 8}, {' + ", ".join(f'"{k}": {v}' for k, v in entry.items()) + "}]")
                done = self.expect(BAD_USAGE, "plan", "--file", str(file), says=allowed)
                self.assertIn(f"'{file}', problem 2: \"{key}\" is ", done.stderr)
            file.write_text(json.dumps([{"m": list(range(400)), "n": list(range(400)), "k": 8}]))
            self.expect(BAD_USAGE, "plan", "--file", str(file), says="more than 100000 problems")
            file.write_bytes(b"[" * 3_000_000)  # deep, and cut off
            self.expect(BAD_USAGE, "plan", "--file", str(file), says="parse")
            self.expect(FILE_TROUBLE, "check", "--file", folder + "/missing.json", says="missing.json' could not be read: No such file")
            self.expect(FILE_TROUBLE, "check", "--file", folder, says="Is a directory")
            self.expect(BAD_USAGE, "check", "--file", "/dev/zero", says="longer than 16777216 bytes")

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
            self.assertEqual(os.listdir(folder), ["bench.json"])
            lost = self.expect(FILE_TROUBLE, "bench", "1x8x8", "--device", "cpu", "--rounds", "1", "--output", folder + "/no/such/folder.json",
                               says="cannot write " + folder + "/no/such/folder.json: No such file")
            self.assertIn("medians of 1 rounds", lost.stdout, "what was measured is shown all the same")
            link = pathlib.Path(folder) / "link.json"
            for target in ("/proc/self/fd/1", folder + "/other.json"):  # as /dev/stdout is, which may not become a file
                link.symlink_to(target)
                done = self.expect(DONE, "bench", "1x8x8", "--device", "cpu", "--rounds", "1", "--output", str(link))
                self.assertTrue(link.is_symlink())
                text = pathlib.Path(target).read_text() if target.startswith(folder) else done.stdout
                self.assertIn('"cells"', text)
                link.unlink()

    def test_output_that_cannot_be_written(self):
        commands = (("info",), ("info", "--json"), ("plan", "1x8x8"), ("plan", "1x8x8", "--json"), ("check", "1x8x8", "--device", "cpu"),
                    ("bench", "1x8x8", "--device", "cpu", "--rounds", "1"), ("--help",), ("plan", "--help"), ("--version",))
        for words in commands:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, FILE_TROUBLE, words)
            self.assertIn("standard output could not be written: No space left on device", done.stderr)
        # Closed streams: nothing is written into a file that happens to get their number.
        shell = f"{shlex.quote(PROGRAM)} plan 1x8x8"
        closed = subprocess.run(["sh", "-c", shell + " >&-"], capture_output=True, text=True)
        self.assertEqual((closed.returncode, closed.stdout), (FILE_TROUBLE, ""))
        self.assertIn("Bad file descriptor", closed.stderr)
        self.assertEqual(subprocess.run(["sh", "-c", shell + " >/dev/null 2>&- <&-"]).returncode, DONE)
        self.assertEqual(subprocess.run(["sh", "-c", shell + " --bad 2>/dev/full"]).returncode, BAD_USAGE)
        # A reader that has gone: silent, with the code that shells give to SIGPIPE.
        reader, writer = os.pipe()
        os.close(reader)
        gone = subprocess.run([PROGRAM, "plan", "1x8x8"], stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual((gone.returncode, gone.stderr), (128 + 13, ""))


if __name__ == "__main__":
    unittest.main()

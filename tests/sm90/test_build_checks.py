"""The checks that guard the kernels' machine code can fail: scripts/check_sass and scripts/checked_nvcc on made-up input."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(SCRIPTS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
check_sass = load("check_sass")

#  0x00 prologue | 0x20 loop: try-wait, HGMMA, back | 0x60 epilogue | 0x80 the wait's retry, out of line
KERNEL = [
    (0x00, "MEMBAR.ALL.GPU"),
    (0x10, "MOV R1, R2"),
    (0x20, "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R3"),
    (0x30, "@!P0 BRA 0x80"),
    (0x40, "HGMMA.64x192x16.F32.BF16 R24, gdesc[UR8], R24, UP0"),
    (0x50, "@P1 BRA 0x20"),
    (0x60, "MEMBAR.ALL.CTA"),
    (0x70, "EXIT"),
    (0x80, "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R3"),
    (0x90, "@!P0 BRA 0x80"),
    (0xA0, "BRA 0x40"),
]


def changed(address, instruction):
    return [(a, instruction if a == address else i) for a, i in KERNEL]


class CheckSass(unittest.TestCase):
    def test_a_good_kernel_passes(self):
        self.assertEqual(check_sass.complaints("paired_kernel", KERNEL), [])

    def test_the_main_loop_holds_the_retry_and_not_the_epilogue(self):
        (loop,) = check_sass.main_loops(KERNEL, "HGMMA")
        self.assertEqual([KERNEL[i][0] for i in loop], [0x20, 0x30, 0x40, 0x50, 0x80, 0x90, 0xA0])

    def test_a_barrier_in_the_main_loop_fails(self):
        for instruction in ("MEMBAR.ALL.GPU", "ERRBAR", "@P0 MEMBAR.SC.CTA"):
            (complaint,) = check_sass.complaints("paired_kernel", changed(0x20, instruction))
            self.assertIn("0x20", complaint)

    def test_local_memory_fails_anywhere(self):
        for instruction in ("LDL R1, [R2]", "@P0 STL.64 [R1], R2"):
            self.assertTrue(check_sass.complaints("paired_kernel", changed(0x10, instruction)))

    def test_a_kernel_without_its_matrix_instruction_fails(self):
        self.assertIn("no HGMMA", check_sass.complaints("paired_kernel", changed(0x40, "FFMA R1, R2, R3, R4")))
        self.assertIn("no HMMA", check_sass.complaints("decode_kernel", KERNEL))


class CheckedNvcc(unittest.TestCase):
    def run_with(self, text, code=0):
        compiler = ["sh", "-c", f"cat >&2 <<'END'\n{text}\nEND\nexit {code}"]
        return subprocess.run([os.path.join(SCRIPTS, "checked_nvcc"), *compiler], capture_output=True, text=True)

    def test_a_clean_log_passes_in_silence(self):
        done = self.run_with("ptxas info    : Used 168 registers\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
        self.assertEqual((done.returncode, done.stderr.strip()), (0, ""))

    def test_spills_and_serialised_wgmma_fail(self):
        for text in ("    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads",
                     "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized",
                     "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized"):
            self.assertEqual(self.run_with(text).returncode, 1, text)

    def test_the_compiler_s_own_failure_is_passed_on(self):
        done = self.run_with("kernel.cu(1): error: no", 2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: no", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Does the compiler refuse a wrong use, for the reason that the file states, and take the right use beside it?

A file under wrong_uses/ holds both: the right one where RIGHT is defined. Its first line is `// refused: REGEX`, which one of the
compiler's errors must match.
"""

import argparse
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--cxx", required=True)
parser.add_argument("--cc", required=True)
parser.add_argument("--include", required=True)
options = parser.parse_args()

with open(options.file, encoding="utf-8") as file:
    expected = re.match(r"// refused: (.+)|/\* refused: (.+?) \*/", file.readline())
if expected is None:
    sys.exit(f"{options.file}: the first line is not '// refused: REGEX'")
pattern = expected[1] or expected[2]
command = [options.cc, "-std=c99"] if options.file.endswith(".c") else [options.cxx, "-std=c++20"]
command += ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", options.include, options.file]

right = subprocess.run([*command, "-DRIGHT"], capture_output=True, text=True)
if right.returncode != 0:
    sys.exit(f"the right use beside it does not compile:\n{right.stderr}")
wrong = subprocess.run(command, capture_output=True, text=True)
if wrong.returncode == 0:
    sys.exit(f"{options.file} compiles; it must be refused with: {pattern}")
errors = [line for line in wrong.stderr.splitlines() if "error:" in line]
if not any(re.search(pattern, line) for line in errors):
    sys.exit(f"{options.file} is refused for another reason than {pattern!r}:\n" + "\n".join(errors))

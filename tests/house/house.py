"""The rules of the house, checked on the sources: python3 house.py ROOT [--tracked], and --self-test, which plants violations.

Each rule gives lines `file:line: rule: what is wrong`. Exit code 1 where there is any; a long file is only warned of.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# A room includes itself and rooms before it.
ROOMS = ["include", "base", "layout", "plan", "backend", "cpu", "cuda", "cublaslt", "sm90", "mlp", "weights", "api"]
BACKENDS = {"cpu", "cublaslt", "sm90"}  # unaware of each other; src/cuda is what the CUDA ones share
USERS = ("cli", "bench", "python", "examples")  # programs: include/tileglu only
CODE = {".hpp", ".h", ".cpp", ".c", ".cu", ".cuh"}
TEXT = CODE | {".py", ".md", ".txt", ".cmake", ".in", ".json", ".toml", ".sh", ""}
WARN_LINES = 400
LINE_LENGTH = 150  # above it a line is counted in a warning; above LONGEST it is a fault
LONGEST = 250
# asm lives in src/sm90/ptx, one instruction one function; special.cuh is the same for the special-function unit, which kernels of
# compute capability 8.0 need too, and rooms before sm90 can't include sm90.
ASM_FILES = {"src/cuda/special.cuh"}

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
CUDA_HEADER = re.compile(r"^(cuda|cublas|cutlass|cute|nv)[\w/]*")
# In the core: it returns errors as values. snprintf and friends write to memory, so a letter before printf is no fault.
LOUD = re.compile(
    r"(?<![\w.:>])(?:std::)?(printf|fprintf|puts|exit|abort|getenv|secure_getenv|terminate|_Exit|quick_exit)\s*\("
    r"|\bstd::(cout|cerr|clog)\b|\bassert\s*\("
)
CLOCK = re.compile(r"\bstd::chrono::\w*_clock\b|\bclock_gettime\b|\bgetenv\b|\btime\s*\(\s*(NULL|nullptr|0)\s*\)")
ASM = re.compile(r"\basm\b\s*(volatile)?\s*\(|\b__asm__\b|\basm\s+volatile\b")
SM_COUNT = re.compile(r"(?<![\w.])132(?![\w.])")
MACHINE_PATH = re.compile(r"""(?<![\w.~-])/(?:root|work|home/\w+|opt/(?:cutlass|tv|wheels))(?=[/"'\s)]|$)""")
TEST_ONLY = {"tests/house/house.py"}


def strip_comments(line):
    """The code of a line; strings stay, so that a path in one is seen."""
    return re.sub(r"//.*$|/\*.*?(\*/|$)|^ \* .*$", "", line)


def strip_strings(line):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line)


def room_of(path):
    parts = path.parts
    if parts[0] == "include":
        return "include"
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def check_includes(path, number, line):
    found = INCLUDE.match(line)
    if not found:
        return
    bracket, target = found[1], found[2]
    first = target.split("/")[0]
    room = room_of(path)
    target_room = "include" if first == "tileglu" else first if first in ROOMS else None
    if room == "include" and bracket == '"' and first != "tileglu":
        yield "public headers", f"a public header includes {target}; allowed are tileglu/ and the standard library"
    if room and room != "include" and target_room and ROOMS.index(target_room) > ROOMS.index(room):
        yield "rooms", f"{room} includes {target}; {target_room} comes later"
    if room in BACKENDS and target_room in BACKENDS and room != target_room:
        yield "backends", f"{room} includes {target}; backends do not know each other"
    if room == "include" and bracket == "<" and CUDA_HEADER.match(target):
        yield "public headers", f"a public header includes {target}; allowed is the standard library"
    if room in ("base", "layout", "plan") and CUDA_HEADER.match(target) and first != "tileglu":
        yield "pure planner", f"{room} includes {target}; it builds with no CUDA toolkit"
    if path.parts[0] in USERS and (target_room not in (None, "include") or target.startswith(("src/", "../src"))):
        yield "programs", f"{path.parts[0]} includes {target}; allowed is include/tileglu"


def check_code(path, number, line):
    """Rules on a line of C++ or CUDA code."""
    yield from check_includes(path, number, line)
    room = room_of(path)
    code = strip_strings(strip_comments(line))
    if room and LOUD.search(code):
        yield "silent core", f"{LOUD.search(code)[0].strip()} in {room}; the core returns errors as values"
    if room == "plan" and CLOCK.search(code):
        yield "pure planner", f"{CLOCK.search(code)[0]} in plan; it reads no environment and no clock"
    empty = re.search(r"\basm\s+volatile\s*\(\s*\"\"", line)
    if room and ASM.search(code) and path.parts[:3] != ("src", "sm90", "ptx") and str(path) not in ASM_FILES and not empty:
        yield "asm", "asm outside of src/sm90/ptx"
    if room in ("cuda", "cublaslt", "sm90") and SM_COUNT.search(code):
        yield "no 132", "the number 132 in device code; the number of SMs is a device fact"


def check_text(path, number, line, tab_rule):
    if tab_rule and "\t" in line:
        yield "whitespace", "a tab"
    if line != line.rstrip():
        yield "whitespace", "trailing space"
    if path.suffix in CODE | {".py"} and len(line) > LONGEST:
        yield "line length", f"{len(line)} characters; about {LINE_LENGTH} are allowed"
    if str(path) not in TEST_ONLY and MACHINE_PATH.search(line):
        yield "paths", f"{MACHINE_PATH.search(line)[0]} is a path of one machine"


def check_file(root, path):
    try:
        text = (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    if path.suffix == ".md":  # two spaces at the end of a line are a break there
        text = re.sub(r"  $", "", text, flags=re.M)
    if text and not text.endswith("\n"):
        yield 0, "whitespace", "no newline at the end"
    for number, line in enumerate(text.split("\n")[: -1 if text.endswith("\n") else None], 1):
        for rule, what in check_text(path, number, line, tab_rule=path.name != "Makefile"):
            yield number, rule, what
        if path.suffix in CODE:
            for rule, what in check_code(path, number, line):
                yield number, rule, what


def sources(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.splitlines()
    else:  # sources without git: a release archive
        skipped = {"build", "out", ".git", ".venv", "models", "dist"}
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and not skipped & set(p.relative_to(root).parts)]
    for name in sorted(names):
        path = pathlib.Path(name)
        data = path.suffix in {".json", ".html", ".svg", ".csv"} and path.parts[0] in ("bench", "docs")
        if (root / path).is_file() and path.suffix in TEXT and not data and path.name not in ("LICENSE",):
            yield path


def check(root):
    faults, warnings = [], []
    for path in sources(root):
        faults += [f"{path}:{number}: {rule}: {what}" for number, rule, what in check_file(root, path)]
        if path.suffix in CODE | {".py"}:
            lines = (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
            if len(lines) > WARN_LINES:
                warnings.append(f"{path}: {len(lines)} lines; above {WARN_LINES}, ask why")
            wide = sum(len(line) > LINE_LENGTH for line in lines)
            if wide:
                warnings.append(f"{path}: {wide} lines of more than {LINE_LENGTH} characters")
    return faults, warnings


PLANTED = {
    "rooms": ("src/plan/a.cpp", '#include "backend/port.hpp"\n'),
    "backends": ("src/sm90/a.cu", '#include "cublaslt/backend.hpp"\n'),
    "public headers": ("include/tileglu/a.hpp", '#include "plan/cost.hpp"\n'),
    "programs": ("cli/a.cpp", '#include "plan/cost.hpp"\n'),
    "pure planner": ("src/plan/b.cpp", "#include <cuda_runtime.h>\n"),
    "silent core": ("src/api/a.cpp", 'void f() { std::printf("x"); }\n'),
    "asm": ("src/sm90/paired/a.cuh", 'void f() { asm volatile("nop;"); }\n'),
    "no 132": ("src/sm90/b.cu", "int grid = 132;\n"),
    "paths": ("scripts/a.sh", "cd /" + "work/main\n"),
    "whitespace": ("src/base/a.cpp", "int x; \n"),
    "line length": ("src/base/b.cpp", "int x;" + " " * 250 + "int y;\n"),
}
MORE_PLANTED = [
    ("silent core", "src/cpu/a.cpp", 'auto* v = std::getenv("X");\n'),
    ("silent core", "src/mlp/a.cpp", "void f() { std::abort(); }\n"),
    ("silent core", "src/cuda/a.cpp", "void f() { std::cerr << 1; }\n"),
    ("pure planner", "src/plan/c.cpp", "auto now = std::chrono::steady_clock::now();\n"),
    ("whitespace", "src/base/c.cpp", "\tint x;\n"),
    ("whitespace", "src/base/d.cpp", "int x;"),
    ("backends", "src/cublaslt/a.cpp", '#include "cpu/blocked.hpp"\n'),
]
INNOCENT = [
    ("src/plan/ok.cpp", '#include "layout/pairing.hpp"\n#include "tileglu/plan.hpp"\nint n = std::snprintf(text, 3, "%d", 132); // printf(\n'),
    ("src/sm90/ptx/ok.cuh", 'void f() { asm volatile("nop;"); }\n'),
    ("src/sm90/ok.cu", "// an H200 has 132 SMs\nint x = 0x132 + 1320;\n"),
    ("cli/ok.cpp", '#include "console.hpp"\nint main() { std::printf("x"); }\n'),
]


def self_test():
    """Every planted violation must be found, alone; innocent code must pass."""
    for rule, name, text in [(rule, *plant) for rule, plant in PLANTED.items()] + MORE_PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / name
            target.parent.mkdir(parents=True)
            target.write_text(text)
            faults, _ = check(pathlib.Path(folder))
            if [fault.split(": ")[1] for fault in faults] != [rule]:
                sys.exit(f"self-test: {name} with {text!r} must break '{rule}' alone; found: {faults}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in INNOCENT:
            target = pathlib.Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        faults, _ = check(pathlib.Path(folder))
        if faults:
            sys.exit("self-test: innocent code is blamed:\n" + "\n".join(faults))
        long = pathlib.Path(folder) / "src/base/long.cpp"
        long.parent.mkdir(parents=True, exist_ok=True)
        long.write_text("int x;\n" * (WARN_LINES + 1))
        if not check(pathlib.Path(folder))[1]:
            sys.exit("self-test: a long file is not warned of")
    print(f"self-test: {len(PLANTED) + len(MORE_PLANTED)} planted violations found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    faults, warnings = check(pathlib.Path(sys.argv[1]))
    for line in warnings:
        print("warning:", line)
    for line in faults:
        print(line)
    print(f"{len(faults)} faults, {len(warnings)} warnings")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

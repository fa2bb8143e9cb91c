"""Install the library into a temporary prefix and build the examples against it as a user does: by find_package and by pkg-config."""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
for option in ("build", "source", "cmake", "cxx", "cc"):
    parser.add_argument("--" + option, required=True)
options = parser.parse_args()
examples = pathlib.Path(options.source) / "examples"


def run(*command, **more):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def check_program(program, environment):
    said = run(program, env=environment)
    print(f"{program.name}: {said.strip()}")
    if not said.startswith("y[0][0] = "):
        sys.exit(f"{program} printed {said!r}")


with tempfile.TemporaryDirectory() as folder:
    first, prefix = pathlib.Path(folder) / "first", pathlib.Path(folder) / "moved"
    run(options.cmake, "--install", options.build, "--prefix", first)
    first.rename(prefix)  # nothing installed may remember where it was installed
    libraries = next(prefix.glob("**/tileglu.pc")).parent.parent
    environment = os.environ | {"LD_LIBRARY_PATH": str(libraries), "PKG_CONFIG_PATH": str(libraries / "pkgconfig")}

    for installed in [*prefix.glob("**/*.cmake"), *prefix.glob("**/*.pc")]:
        text = installed.read_text(encoding="utf-8")
        for place in (options.source, options.build, str(first)):
            if place in text:
                sys.exit(f"{installed.name} names {place}, a folder of the machine that built it")

    by_cmake = pathlib.Path(folder) / "by-cmake"
    run(options.cmake, "-S", examples, "-B", by_cmake, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={options.cxx}",
        f"-DCMAKE_C_COMPILER={options.cc}", "-DCMAKE_BUILD_TYPE=Release")
    run(options.cmake, "--build", by_cmake)
    for name in ("gated_linear", "gated_linear_c"):
        check_program(by_cmake / name, environment)

    if shutil.which("pkg-config") is None:
        sys.exit("pkg-config is missing; install it (Debian: apt-get install pkg-config)")
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "tileglu", env=environment))
    by_hand = pathlib.Path(folder) / "by-hand"
    by_hand.mkdir()
    run(options.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", examples / "gated_linear.cpp", "-o", by_hand / "cpp", *flags)
    run(options.cc, "-std=c99", "-Wall", "-Wextra", "-Werror", examples / "gated_linear.c", "-o", by_hand / "c", *flags)
    for name in ("cpp", "c"):
        check_program(by_hand / name, environment)

    version = run("pkg-config", "--modversion", "tileglu", env=environment).strip()
    wanted = pathlib.Path(folder) / "too-new"
    wanted.mkdir()
    (wanted / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(x CXX)\nfind_package(tileglu 99.0 REQUIRED)\n")
    refused = subprocess.run([options.cmake, "-S", wanted, "-B", wanted / "build", f"-DCMAKE_PREFIX_PATH={prefix}"], capture_output=True, text=True)
    if refused.returncode == 0 or version not in refused.stderr:
        sys.exit(f"version 99.0 was asked for and {version} was taken:\n{refused.stderr}")

#!/usr/bin/env python3
"""Differential execution: csmith programs (or given C files) under gcc, the interpreter and emit-c.

For each program and each of -m64 and -m32, three outputs must be the same: of the program compiled
with gcc, of `gnomon run`, and of the C that `gnomon emit-c` prints, compiled with gcc.

    scripts/differential.py --gnomon PATH --seeds 1-500                 # csmith's default options
    scripts/differential.py --gnomon PATH --seeds 1-500 --small         # smaller programs
    scripts/differential.py --gnomon PATH --seeds 1-9999 --seconds 600  # as many as fit
    scripts/differential.py --gnomon PATH --files tests/programs/interp/*.c

Needs gcc, gcc-multilib, csmith and libcsmith-dev (scripts/setup installs them). Programs that the compiled original
does not finish within its limit are skipped, as csmith makes them on purpose; a time-out of the
interpreter is counted apart. Mismatches are kept in the working directory.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

CFLAGS = ["-std=gnu17", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing"]
M32 = ["-m32", "-msse2", "-mfpmath=sse"]
SMALL = ["--max-funcs", "3", "--max-block-size", "3", "--max-block-depth", "3", "--max-expr-complexity", "6"]


def run(command, limit, **options):
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, **options)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return "timeout", b"", b""


def csmith_include():
    for path in ["/usr/include", *glob.glob("/usr/include/csmith*")]:
        if os.path.exists(os.path.join(path, "csmith.h")):
            return path
    sys.exit("csmith.h not found: is libcsmith-dev installed?")


def compile_and_run(source, target, includes, bits, limit):
    flags = CFLAGS + (M32 if bits == 32 else ["-m64"])
    code, _, errors = run(["gcc", *flags, *includes, "-o", target, source, "-lm"], 120)
    if code != 0:
        return "compile", errors[-2000:]
    code, output, _ = run([target], limit)
    os.unlink(target)
    return code, output


def check(source, includes, bits, options):
    """'equal', 'skipped', 'timeout', or ('MISMATCH', what)."""
    base = source[:-2] + f".{bits}"
    code, expected = compile_and_run(source, base + ".ref", includes, bits, options.native_limit)
    if code in ("timeout", "compile"):
        return "skipped"
    common = [f"-m{bits}", *includes]
    emitted = base + ".emit.c"
    status, _, errors = run([options.gnomon, "emit-c", *common, source, "-o", emitted], 120)
    if status != 0:
        return "MISMATCH", f"emit-c failed ({status}): {errors[-500:]!r}"
    again, output = compile_and_run(emitted, base + ".emit", [], bits, 4 * options.native_limit)
    if (again, output) != (code, expected):
        return "MISMATCH", f"emit-c: {again} {output[-200:]!r} instead of {code} {expected[-200:]!r}"
    os.unlink(emitted)
    status, output, errors = run([options.gnomon, "run", "--exit-code", *common, source], options.limit)
    if status == "timeout":
        return "timeout"
    if (status, output) != (code, expected):
        return "MISMATCH", f"run: {status} {output[-200:]!r} {errors[-500:]!r} instead of {code} {expected[-200:]!r}"
    return "equal"


def generate(seed, directory, small):
    source = os.path.join(directory, f"csmith{seed}.c")
    extra = SMALL if small else []
    subprocess.run(["csmith", "--seed", str(seed), *extra, "-o", source], check=True,
                   stdout=subprocess.DEVNULL, timeout=120, cwd=directory)
    return source


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gnomon", default="target/release/gnomon")
    parser.add_argument("--seeds", help="first-last")
    parser.add_argument("--small", action="store_true", help="smaller programs than csmith's default")
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--limit", type=float, default=30, help="seconds for the interpreter")
    parser.add_argument("--native-limit", type=float, default=2, help="seconds for the compiled program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", help="directory for the programs; kept")
    parser.add_argument("--bits", default="64,32")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no program after this")
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="differential")
    os.makedirs(work, exist_ok=True)
    tasks = [("file", name) for name in options.files]
    if options.seeds:
        first, last = map(int, options.seeds.split("-"))
        tasks += [("seed", seed) for seed in range(first, last + 1)]
    includes = ["-I" + csmith_include()] if options.seeds else []
    counts = {}
    end = time.monotonic() + options.seconds

    def one(task):
        kind, value = task
        if time.monotonic() > end:
            return value, []
        if kind == "seed":
            source = generate(value, work, options.small)
        else:
            source = os.path.join(work, os.path.basename(value))
            with open(value, "rb") as original, open(source, "wb") as copy:
                copy.write(original.read())
        results = [(bits, check(source, includes, int(bits), options)) for bits in options.bits.split(",")]
        if all(result in ("equal", "skipped") for _, result in results):
            os.unlink(source)
        return source, results

    with ThreadPoolExecutor(options.jobs) as pool:
        for source, results in pool.map(one, tasks):
            for bits, result in results:
                word = result if isinstance(result, str) else result[0]
                counts[f"-m{bits} {word}"] = counts.get(f"-m{bits} {word}", 0) + 1
                if word in ("MISMATCH", "timeout"):
                    detail = result[1] if word == "MISMATCH" else ""
                    print(f"{word} -m{bits} {source} {detail}", flush=True)
    for key in sorted(counts):
        print(f"{key}: {counts[key]}")
    sys.exit(1 if any("MISMATCH" in key for key in counts) else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks the test programs on the command line, as a user would, and prints a table by area.

    scripts/verdicts.py [--time 20] [--binary target/release/gnomon] [--jobs-of-gnomon 1] [-j 2]
                        [tests/programs tests/threads tests/specs tests/memory ...]

The header of a program says its verdict (tests/README.md). Exit code 1 if a verdict is wrong.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

HEADER = re.compile(r"^// gnomon: (true|false|unknown)\b ?(.*)$", re.M)
OPTION = re.compile(r"^// option: (.*)$", re.M)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def programs(folders):
    for folder in folders:
        for directory, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(directory, name)
                if not name.endswith(".c"):
                    continue
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                header = HEADER.match(text)
                if header:
                    yield path, header.group(1), header.group(2), text


def command(args, path, rest, text):
    """How the program is asked about: what stands behind the verdict depends on where it lies."""
    line = [args.binary, "check", "--time", str(args.time), "--jobs", str(args.jobs_of_gnomon)]
    parts = os.path.relpath(path, ROOT).split(os.sep)
    if parts[:2] == ["tests", "specs"]:
        options = "".join(":" + option.strip() for option in OPTION.findall(text))
        return line + ["--spec", parts[2] + options, path]
    if parts[:2] == ["tests", "memory"]:
        return line + (["--check", "memory"] if "memory" in rest else []) + [path]
    return line + shlex.split(rest) + [path]


def verdict(args, task):
    path, expected, rest, text = task
    try:
        run = subprocess.run(command(args, path, rest, text), capture_output=True, text=True,
                             timeout=20 * args.time + 60, check=False)
        said = re.findall(r"^VERDICT: (\w+)", run.stdout, re.M)
        return path, expected, said[-1].lower() if said else "exit %d" % run.returncode
    except subprocess.TimeoutExpired:
        return path, expected, "timeout"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=[os.path.join(ROOT, "tests", "programs")])
    parser.add_argument("--time", type=int, default=20, help="seconds of processor time for each program")
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "gnomon"))
    parser.add_argument("--jobs-of-gnomon", type=int, default=1)
    parser.add_argument("-j", type=int, default=2, help="programs at once")
    args = parser.parse_args()
    args.binary = os.path.abspath(args.binary)
    tasks = list(programs(os.path.abspath(folder) for folder in args.folders))
    table = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for path, expected, said in pool.map(lambda task: verdict(args, task), tasks):
            short = os.path.relpath(path, ROOT)
            kind = "right" if said == expected else "wrong" if said in ("true", "false") else "open"
            table[os.path.dirname(short)][kind] += 1
            if kind != "right":
                print(f"{kind}: {short}: {expected} expected, {said}", flush=True)
    whole = collections.Counter()
    for area, counts in sorted(table.items()):
        whole += counts
        print(f"{area:32} {counts['right']:4} of {sum(counts.values()):4}, {counts['wrong']} wrong")
    print(f"{'all':32} {whole['right']:4} of {sum(whole.values()):4}, {whole['wrong']} wrong")
    return 1 if whole["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())

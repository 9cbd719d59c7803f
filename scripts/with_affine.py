#!/usr/bin/env python3
"""Does `gnomon check --with affine` save refinements? Compares it with plain `gnomon check`.

    scripts/with_affine.py --gnomon PATH tests/programs crates/dataflow/programs/affine

Runs every C file below the given paths both ways, one after the other, and prints a table of the
programs on which refinements, predicates or the verdict differ, with a line of totals.
"""
import argparse
import pathlib
import re
import subprocess
import time


def check(gnomon, program, limit, extra):
    command = [gnomon, "check", "--stats", "--time", str(limit), *extra, str(program)]
    start = time.time()
    run = subprocess.run(command, capture_output=True, text=True)
    seconds = time.time() - start
    number = lambda name: int(float((re.findall(rf"^{name}: ([\d.]+)", run.stdout, re.M) or [0])[0]))
    verdict = (re.findall(r"VERDICT: (\w+)", run.stdout) or ["none"])[0]
    return {
        "verdict": verdict,
        "refinements": number("refinements"),
        "supposed": number("predicates supposed"),
        "queries": number("solver calls"),
        "seconds": seconds,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gnomon", required=True)
    parser.add_argument("--limit", type=int, default=20, help="seconds of processor time per check")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    programs = []
    for path in map(pathlib.Path, options.paths):
        programs += [path] if path.is_file() else sorted(path.rglob("*.c"))
    totals = {"fewer": 0, "as many": 0, "more": 0}
    sums = {"plain": [0, 0.0], "with": [0, 0.0]}
    print("| program | verdict | refinements | with affine | solver calls | with affine | seconds | with affine |")
    print("|---|---|---|---|---|---|---|---|")
    for program in programs:
        plain = check(options.gnomon, program, options.limit, [])
        if plain["refinements"] == 0:
            continue
        other = check(options.gnomon, program, options.limit, ["--with", "affine"])
        difference = other["refinements"] - plain["refinements"]
        totals["fewer" if difference < 0 else "more" if difference > 0 else "as many"] += 1
        for name, result in (("plain", plain), ("with", other)):
            sums[name][0] += result["refinements"]
            sums[name][1] += result["seconds"]
        if difference == 0 and plain["verdict"] == other["verdict"]:
            continue
        verdict = plain["verdict"]
        if verdict != other["verdict"]:
            verdict += " → " + other["verdict"]
        print(
            f"| {program.parent.name}/{program.stem} | {verdict} | {plain['refinements']} | {other['refinements']} "
            f"| {plain['queries']} | {other['queries']} | {plain['seconds']:.2f} | {other['seconds']:.2f} |",
            flush=True,
        )
    counts = ", ".join(f"{name}: {count}" for name, count in totals.items())
    print(f"\nPrograms with refinements: {sum(totals.values())} ({counts} with affine relations).")
    print(f"In sum {sums['plain'][0]} and {sums['with'][0]} refinements, {sums['plain'][1]:.0f} and {sums['with'][1]:.0f} s.")


if __name__ == "__main__":
    main()

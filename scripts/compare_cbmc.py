#!/usr/bin/env python3
"""Checks test programs with Gnomon and with CBMC, and prints a table by area.

    scripts/compare_cbmc.py [--time 10] [--gnomon target/release/gnomon] [--cbmc cbmc]
                            [tests/programs/loops ...]

Both have the same seconds of processor time for each program. CBMC unwinds loops up to a bound; it is called with
growing bounds and unwinding assertions, so that it proves programs whose loops end within one of them, and with
--no-standard-checks, since the programs are about assertions only. Gnomon is called as users call it. Programs whose
verdict is a matter of what SOUNDNESS.md says about undefined behaviour are left out.
"""
import argparse
import collections
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOUNDS = [2, 6, 12, 20, 50, 200, 1000, 1000000]
MEMORY = 4_000_000_000
# What only Gnomon gives a meaning, or what is not a question of reaching an error.
LEFT_OUT = {"addresses", "assembler", "interp", "outside"}
ENVIRONMENT = {
    "reach_error": 'void reach_error(void) { __CPROVER_assert(0, "reach_error"); }',
    "__VERIFIER_error": 'void __VERIFIER_error(void) { __CPROVER_assert(0, "error"); }',
    "__VERIFIER_assume": "void __VERIFIER_assume(int c) { __CPROVER_assume(c); }",
    "__VERIFIER_assert": 'void __VERIFIER_assert(int c) { __CPROVER_assert(c, "assertion"); }',
}


def programs(folder):
    """Path, verdict and text of programs with a verdict and without options (tests/README.md)."""
    for directory, _, names in sorted(os.walk(folder)):
        if os.path.basename(directory) in LEFT_OUT:
            continue
        for name in sorted(name for name in names if name.endswith(".c")):
            path = os.path.join(directory, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            header = text.partition("\n")[0]
            if header in ("// gnomon: true", "// gnomon: false") and "\n// undefined:" not in text:
                yield path, header.split()[-1], text


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(line, seconds):
    """What a program says within so many seconds of processor time."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return subprocess.run(line, capture_output=True, text=True, check=False, preexec_fn=limited).stdout


def by_cbmc(args, path, text):
    missing = [body for name, body in ENVIRONMENT.items()
               if re.search(rf"\b{name}\s*\([^)]*\)\s*;", text) and not re.search(rf"\b{name}\s*\([^)]*\)\s*\{{", text)]
    with tempfile.NamedTemporaryFile("w", suffix=".c") as environment:
        environment.write("\n".join(missing))
        environment.flush()
        begin = processor_time()
        for bound in BOUNDS:
            left = args.time - (processor_time() - begin)
            if left < 0.1:
                return "none"
            said = run([args.cbmc, "--no-standard-checks", "--unwinding-assertions", "--unwind", str(bound), path]
                       + ([environment.name] if missing else []), left)
            if "VERIFICATION SUCCESSFUL" in said:
                return "true"
            failed = [line for line in said.splitlines() if line.endswith(": FAILURE")]
            # Behind a loop that was cut nothing is known, but a failed assertion is one.
            if any("unwind" not in line for line in failed):
                return "false"
            if "VERIFICATION FAILED" not in said:
                return "none"
        return "none"


def by_gnomon(args, path):
    line = [args.gnomon, "check", "--quiet", "--jobs", "1", "--time", str(args.time), path]
    said = re.findall(r"^VERDICT: (\w+)", subprocess.run(line, capture_output=True, text=True, check=False).stdout, re.M)
    return said[-1].lower() if said and said[-1] != "UNKNOWN" else "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=[os.path.join(ROOT, "tests", "programs")])
    parser.add_argument("--time", type=int, default=10)
    parser.add_argument("--gnomon", default=os.path.join(ROOT, "target", "release", "gnomon"))
    parser.add_argument("--cbmc", default="cbmc")
    args = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    for path, expected, text in (task for folder in args.folders for task in programs(os.path.abspath(folder))):
        area = os.path.basename(os.path.dirname(path))
        for tool, said in (("gnomon", by_gnomon(args, path)), ("cbmc", by_cbmc(args, path, text))):
            kind = "none" if said == "none" else "right" if said == expected else "wrong"
            for row in (area, "all"):
                table[row][tool, expected, kind] += 1
            if kind != "right":
                print(f"{tool}: {kind}: {os.path.relpath(path, ROOT)}: {expected} expected, {said}", flush=True)
    print(f"{'area':20} {'tool':8} {'bugs found':>12} {'proofs found':>14} {'wrong':>6}")
    for area in sorted(set(table) - {"all"}) + ["all"]:
        counts = table[area]
        for tool in ("gnomon", "cbmc"):
            def of(expected):
                return sum(counts[tool, expected, kind] for kind in ("right", "wrong", "none"))
            wrong = counts[tool, "true", "wrong"] + counts[tool, "false", "wrong"]
            print(f"{area:20} {tool:8} {counts[tool, 'false', 'right']:6} of {of('false'):3}"
                  f" {counts[tool, 'true', 'right']:8} of {of('true'):3} {wrong:6}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

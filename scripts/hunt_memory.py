#!/usr/bin/env python3
"""Hunts wrong verdicts about memory: random programs against all of their runs under gcc.

Each program has pointers that may alias, pointers that go through integers (whole, in halves, moved as
numbers, byte by byte), a union, a struct with a pointer in it, a function with two pointer arguments
and, in every second program, a function without a body. Inputs have two bits each, so all runs of the
compiled program are enumerated; what the function without a body returns and writes is an input too.

    scripts/hunt_memory.py --gnomon PATH --seeds 1-300 --seconds 5

A verdict TRUE is wrong if one of the runs fails; FALSE is wrong if none does and the program has no
function without a body (such a function may do more than the runs try). Wrong ones are kept in the working directory,
and the exit code is then 1. The share of UNKNOWN is told.
"""

import argparse
import itertools
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNTIME = r"""
#include <stdio.h>
#include <stdlib.h>
static int at, count, values[64];
int __VERIFIER_nondet_int(void) { return at < count ? values[at++] : 0; }
int unknown(int *p)
{
    int answer = __VERIFIER_nondet_int();
    if (p && answer & 2)
        *p = __VERIFIER_nondet_int();
    return answer & 1;
}
void reach_error(void) { exit(42); }
extern int program(void);
int main(int argc, char **argv)
{
    for (count = 0; count + 1 < argc; count++)
        values[count] = atoi(argv[count + 1]);
    program();
    return 0;
}
"""


class Maker:
    """Makes one program."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.with_unknown = seed % 2 == 0
        self.inputs = 0
        self.unknowns = 0

    def number(self, depth=2):
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            return rng.choice(["x", "y", "a[0]", "a[1]", "a[2]", "*p", "*q", "u.i", "u.c[0]", "u.h[1]",
                               "s.f", "*s.g", str(rng.randrange(8)), "i0", "i1"])
        left, right = self.number(depth - 1), self.number(depth - 1)
        op = rng.choice(["+", "-", "^", "&", "|", "=="])
        return f"({left} {op} {right})"

    def target(self):
        return self.rng.choice(["&x", "&y", "&a[0]", "&a[1]", "&a[i0]", "&a[i1 & 1]", "&u.i", "&s.f"])

    def statement(self, depth=2):
        rng = self.rng
        pointer = rng.choice(["p", "q", "s.g"])
        other = rng.choice(["p", "q", "s.g"])
        choices = [
            lambda: f"{pointer} = {self.target()};",
            lambda: f"{pointer} = {other};",
            lambda: f"*{pointer} = {self.number()};",
            lambda: f"{rng.choice(['x', 'y', 'a[2]', 'u.i', 's.f'])} = {self.number()};",
            lambda: f"u.c[{rng.randrange(4)}] = (unsigned char){self.number(1)};",
            lambda: f"u.h[{rng.randrange(2)}] = (short){self.number(1)};",
            lambda: f"n = (unsigned long){pointer};",
            lambda: f"n = (unsigned long){pointer}; {other} = (int *)n;",
            lambda: f"n = (unsigned long)&a[0]; n += 4 * (unsigned long){rng.choice(['i0', 'i1', '1', '2'])}; "
                    f"{pointer} = (int *)n;",
            lambda: f"{{ unsigned low = (unsigned)(unsigned long){pointer}; "
                    f"unsigned long high = (unsigned long){pointer} >> 32; "
                    f"{other} = (int *)(high << 32 | low); }}",
            lambda: f"d = (long)((unsigned long){pointer} - (unsigned long)&x); "
                    f"{other} = (int *)((unsigned long)&x + (unsigned long)d);",
            lambda: f"copy(&{pointer}, &{other});",
            lambda: f"both({pointer}, {other});",
            lambda: f"if ({pointer} == {other}) {{ {self.statement(0)} }}",
        ]
        if depth > 0:
            choices.append(lambda: f"if ({self.number(1)} & {rng.choice([1, 2, 4])}) {{ {self.statement(depth - 1)} "
                                   f"}} else {{ {self.statement(depth - 1)} }}")
        if self.with_unknown and self.unknowns < 2 and depth == 2 and rng.random() < 0.3:
            self.unknowns += 1
            return f"x = unknown({rng.choice(['&y', 'p', '0', '&s.f'])});"
        return rng.choice(choices)()

    def text(self):
        body = [self.statement() for _ in range(self.rng.randrange(4, 10))]
        mask = self.rng.choice([1, 3, 7, 15, 255])
        wanted = self.rng.randrange(mask + 1)
        lines = "\n    ".join(body)
        return f"""extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern int unknown(int *);
int x, y, a[4];
union mixed {{ int i; unsigned char c[4]; short h[2]; }} u;
struct pair {{ int f; int *g; }} s;
int *p, *q;
unsigned long n;
long d;
static void both(int *r, int *t) {{ *r = *t + 1; if (r == t) x ^= 1; else *t = *r ^ 2; }}
static void copy(int **to, int **from)
{{
    for (unsigned k = 0; k < sizeof *to; k++)
        ((unsigned char *)to)[k] = ((unsigned char *)from)[k];
}}
int main(void)
{{
    int i0 = __VERIFIER_nondet_int() & 3, i1 = __VERIFIER_nondet_int() & 3;
    p = &x; q = &y; s.g = &a[1];
    {lines}
    if (({self.number()} & {mask}) == {wanted})
        reach_error();
    return 0;
}}
"""


def fails(work, text, unknowns):
    """Whether one of all runs of the compiled program fails."""
    source, runtime, binary = work / "p.c", work / "runtime.c", work / "p"
    source.write_text(text.replace("int main(void)", "int program(void)"))
    runtime.write_text(RUNTIME)
    command = ["gcc", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-o", binary, source, runtime]
    subprocess.run(command, check=True)
    for values in itertools.product(range(4), repeat=2 + 2 * unknowns):
        run = subprocess.run([binary, *map(str, values)], capture_output=True)
        if run.returncode == 42:
            return True
        if run.returncode != 0:
            return None
    return False


def verdict(gnomon, path, seconds):
    command = [gnomon, "check", "--jobs", "1", "--time", str(seconds), path]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(r"^VERDICT: (\w+)", output, re.M)
    return found.group(1) if found else "NONE"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gnomon", required=True)
    parser.add_argument("--seeds", default="1-100", help="FIRST-LAST")
    parser.add_argument("--seconds", type=int, default=5, help="for each check")
    parser.add_argument("--work", help="where wrong ones are kept")
    args = parser.parse_args()
    first, last = map(int, args.seeds.split("-"))
    work = Path(args.work or tempfile.mkdtemp(prefix="hunt_memory"))
    work.mkdir(parents=True, exist_ok=True)
    counts, wrong = {}, 0
    for seed in range(first, last + 1):
        maker = Maker(seed)
        text = maker.text()
        truth = fails(work, text, maker.unknowns)
        if truth is None:
            counts["ended by a signal"] = counts.get("ended by a signal", 0) + 1
            continue
        path = work / f"seed{seed}.c"
        path.write_text(text)
        said = verdict(args.gnomon, str(path), args.seconds)
        key = f"{said}, {'a run fails' if truth else 'no run fails'}"
        counts[key] = counts.get(key, 0) + 1
        if said == "TRUE" and truth or said == "FALSE" and not truth and maker.unknowns == 0:
            wrong += 1
            print(f"WRONG {said}: {path}", flush=True)
        elif said == "NONE":
            print(f"no verdict: {path}", flush=True)
        else:
            path.unlink()
    for key, count in sorted(counts.items()):
        print(f"{count:6} {key}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

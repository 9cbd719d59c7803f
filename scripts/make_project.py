#!/usr/bin/env python3
"""Writes a small project with a Makefile for campaigns: one library of many functions, some of them wrong.

    scripts/make_project.py --functions 300 DIRECTORY

Every function has one thing that can go wrong (a division, a signed sum), so with the default properties there
is about one unit for each. Every seventh one does go wrong.
"""

import argparse
import pathlib


def function(number: int) -> str:
    name = f"step_{number}"
    guard = "" if number % 7 == 0 else "    if (b == 0) return a;\n"
    return (
        f"unsigned {name}(unsigned a, unsigned b)\n{{\n    unsigned i, s = {number % 13};\n{guard}"
        f"    for (i = 0; i < {number % 5 + 1}; i++) s += a ^ {number};\n    return s / b;\n}}\n\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, default=300)
    parser.add_argument("--per-file", type=int, default=25)
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    names = []
    for first in range(0, options.functions, options.per_file):
        last = min(first + options.per_file, options.functions)
        name = f"part{first // options.per_file}"
        (options.directory / f"{name}.c").write_text("".join(function(n) for n in range(first, last)))
        names.append(name)
    objects = " ".join(f"{name}.o" for name in names)
    makefile = f"CFLAGS = -O1\n\nlibsteps.a: {objects}\n\t$(AR) cr $@ {objects}\n"
    (options.directory / "Makefile").write_text(makefile)
    (options.directory / "gnomon.toml").write_text('properties = ["division"]\n')


if __name__ == "__main__":
    main()

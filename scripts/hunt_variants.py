#!/usr/bin/env python3
"""Hunts verdicts that change when a program is written in another way.

Each test program whose header says true or false is changed so that it means the same, and checked again. A verdict that
contradicts the header is wrong; one that is decided in the one form and UNKNOWN in the other is counted.

    scripts/hunt_variants.py --gnomon PATH --seconds 5 --sample 40 --seed 1 tests/programs

The changes: names of the program's functions and variables (`rename`), the body of `main` in a function of its own
(`outline`), code that is never executed and a variable that nobody reads (`dead`), `while` as `for` and conditions negated twice
(`respell`), the first turn of a `while` loop in front of it (`peel`), each block in another one (`nest`). The exit code is 1 if
a verdict is wrong. The same seed takes the same programs.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\s+|.", re.S)
WORDS = set("""auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Atomic
_Alignof _Alignas _Generic _Noreturn _Static_assert asm main""".split())


def tokens(text):
    return TOKEN.findall(text)


def closing(parts, at):
    """The position of the bracket that closes the one at a position."""
    pairs = {"(": ")", "{": "}"}
    opened, closed, depth = parts[at], pairs[parts[at]], 0
    for i in range(at, len(parts)):
        depth += (parts[i] == opened) - (parts[i] == closed)
        if depth == 0:
            return i
    return None


def following(parts, at):
    """The next token that is no space or comment."""
    while at < len(parts) and (parts[at].isspace() or parts[at].startswith(("//", "/*"))):
        at += 1
    return at


def rename(text):
    """Names that the program declares as static, or that stand behind a simple type in a function."""
    declared = set(re.findall(r"\bstatic (?:const |volatile |unsigned |signed )*\w+ \**(\w+)", text))
    declared |= set(re.findall(r"^ +(?:unsigned |signed )?(?:int|char|short|long) \**(\w+)\b", text, re.M))
    outside = set(re.findall(r"\bextern [^;{]*?(\w+)\s*[(;\[]", text)) | set(re.findall(r"\.\s*(\w+)|->\s*(\w+)", text))
    names = {name for name in declared if name not in WORDS and name not in outside and not name.startswith("__")}
    if "#define" in text or "__asm__" in text or not names:
        return None
    parts = tokens(text)
    for i, part in enumerate(parts):
        before = next((p for p in reversed(parts[:i]) if not p.isspace()), "")
        if part in names and before not in (".", ">"):
            parts[i] = f"renamed_{part}"
    return "".join(parts)


def outline(text):
    if len(re.findall(r"\bint main\(void\)", text)) != 1 or re.search(r"\bmain\(\)", text):
        return None
    return text.replace("int main(void)", "static int whole(void)") + "\nint main(void) { return whole(); }\n"


def dead(text):
    found = re.search(r"\bint main\(void\)\s*\{", text)
    if not found:
        return None
    extra = "static int nobody_reads;\nstatic void nobody_calls(void) { nobody_reads++; }\n"
    inside = "\n    nobody_reads = 3;\n    if (nobody_reads == 4) nobody_calls();\n"
    return text[:found.start()] + extra + text[found.start():found.end()] + inside + text[found.end():]


def conditions(text, change):
    parts = tokens(text)
    i = 0
    while i < len(parts):
        if parts[i] in ("if", "while"):
            at = following(parts, i + 1)
            end = closing(parts, at) if at < len(parts) and parts[at] == "(" else None
            if end is not None:
                change(parts, i, at, end)
        i += 1
    return "".join(parts)


def respell(text):
    def change(parts, i, at, end):
        behind = following(parts, end + 1)
        if parts[i] == "while" and behind < len(parts) and parts[behind] != ";":
            parts[i] = "for"
            parts[at], parts[end] = "(; !!(", "); )"
        elif parts[i] == "if":
            parts[at], parts[end] = "(!!(", "))"

    changed = conditions(text, change)
    return changed if changed != text else None


def peel(text):
    """`while (C) { B }` as `if (C) { B while (C) { B } }`, where B has no label, and nothing that leaves the loop."""
    parts = tokens(text)
    for i, part in enumerate(parts):
        if part != "while":
            continue
        at = following(parts, i + 1)
        end = closing(parts, at)
        start = following(parts, end + 1) if end is not None else len(parts)
        if start >= len(parts) or parts[start] != "{":
            continue
        last = closing(parts, start)
        if last is None:
            continue
        body = parts[start + 1:last]
        # A colon may be that of a label, or of a conditional expression.
        if {"break", "continue", "goto", "case", ":"} & set(body):
            continue
        head, block = "".join(parts[at:end + 1]), "".join(body)
        loop = f"if {head} {{ {{ {block} }} while {head} {{ {block} }} }}"
        return "".join(parts[:i]) + loop + "".join(parts[last + 1:])
    return None


def nest(text):
    found = re.search(r"\bint main\(void\)\s*\{", text)
    parts = tokens(text)
    if not found or re.search(r"^\w+:", text, re.M):
        return None
    length = 0
    for i, part in enumerate(parts):
        if length >= found.start() and part == "{":
            end = closing(parts, i)
            if end is None:
                return None
            parts[i], parts[end] = "{ { if (1) {", "} } }"
            return "".join(parts)
        length += len(part)
    return None


CHANGES = [rename, outline, dead, respell, peel, nest]


def verdict(gnomon, path, options, seconds):
    command = [gnomon, "check", "--jobs", "1", "--time", str(seconds), *options, path]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60 + 20 * seconds)
    except subprocess.TimeoutExpired:
        return "HANGS"
    if run.returncode == 4:
        return "INTERNAL"
    found = re.search(r"^VERDICT: (\w+)", run.stdout, re.M)
    return found.group(1) if found else "NONE"


def compiles(path):
    return subprocess.run(["gcc", "-w", "-fsyntax-only", path], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gnomon", required=True)
    parser.add_argument("--seconds", type=int, default=5, help="for each check")
    parser.add_argument("--sample", type=int, help="so many programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("paths", nargs="+", type=Path)
    args = parser.parse_args()
    files = sorted(f for path in args.paths for f in ([path] if path.is_file() else path.rglob("*.c")))
    programs = []
    for file in files:
        text = file.read_text()
        header = re.match(r"// gnomon: (true|false)([^\n]*)\n", text)
        if header and "known-failing" not in text and "slow:" not in text:
            programs.append((file, text, header.group(1).upper(), header.group(2).split()))
    if args.sample and args.sample < len(programs):
        programs = random.Random(args.seed).sample(programs, args.sample)
    counts, wrong = {}, 0
    with tempfile.TemporaryDirectory() as directory:
        for file, text, told, options in programs:
            plain = verdict(args.gnomon, file, options, args.seconds)
            for change in CHANGES:
                changed = change(text)
                path = Path(directory) / file.name
                if changed is not None:
                    path.write_text(changed)
                if changed is None or not compiles(path):
                    counts["not changed"] = counts.get("not changed", 0) + 1
                    continue
                said = verdict(args.gnomon, path, options, args.seconds)
                same = "the same" if said == plain else f"{plain} becomes {said}"
                counts[same] = counts.get(same, 0) + 1
                if said in ("INTERNAL", "HANGS", "NONE") or said in ("TRUE", "FALSE") and said != told:
                    wrong += 1
                    print(f"WRONG: {file} ({change.__name__}): {said}, it is {told}\n{changed}", flush=True)
                elif said != plain:
                    print(f"{file} ({change.__name__}): {same}", flush=True)
    print(", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

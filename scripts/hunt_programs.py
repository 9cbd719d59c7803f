#!/usr/bin/env python3
"""Hunts wrong verdicts about sequential C: random programs against all of their runs under gcc.

Programs have integers of all widths, structures with bit-fields, unions, arrays, strings, pointers, function
pointers, recursion, loops, `switch` with falling through, `goto`, short-circuit conditions, compound assignments,
floating-point numbers and calls of the C library; no construct of them is undefined or leaves an order open. Inputs have
few values, so all runs of the compiled program are enumerated, at -O0 and at -O2; where the two differ, or a run
does not end, the program is left out and counted.

    scripts/hunt_programs.py --gnomon PATH --seeds 1-300 --seconds 5

TRUE is wrong if a run fails, FALSE if none does; an internal error (exit code 4) is a finding too. What is found
is made smaller by leaving out statements as long as it stays wrong (and has no undefined behaviour that sanitizers
see), and kept in the directory --work as SEED.c and SEED.small.c. The exit code is then 1. The same seed
always makes the same program.

Behind `--options "..."` stand further options of `gnomon check` (`--engine lazy`, `-m32`).
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
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int at, count, values[64];
static int next(void) { return at < count ? values[at++] : 0; }
int __VERIFIER_nondet_int(void) { return next(); }
unsigned __VERIFIER_nondet_uint(void) { return next(); }
signed char __VERIFIER_nondet_char(void) { return next(); }
unsigned char __VERIFIER_nondet_uchar(void) { return next(); }
short __VERIFIER_nondet_short(void) { return next(); }
long __VERIFIER_nondet_long(void) { return next(); }
unsigned long __VERIFIER_nondet_ulong(void) { return next(); }
_Bool __VERIFIER_nondet_bool(void) { return next(); }
void __VERIFIER_assume(int c) { if (!c) _exit(0); }
void reach_error(void) { _exit(42); }
extern int program(void);
/* SIZES: how many values each input has. The status is 42 if a run fails, 43 if one does not end well. */
int main(int argc, char **argv)
{
    int failed = 0;
    count = argc - 1;
    for (;;) {
        pid_t child = fork();
        if (child == 0) {
            alarm(2);
            program();
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 42))
            return 43;
        failed |= WEXITSTATUS(status) == 42;
        int i = 0;
        while (i < count && ++values[i] == atoi(argv[i + 1]))
            values[i++] = 0;
        if (i == count)
            return failed ? 42 : 0;
    }
}
"""

# Name of a type, its width, whether it is signed.
INTEGERS = [("signed char", 8, True), ("unsigned char", 8, False), ("short", 16, True), ("unsigned short", 16, False),
            ("int", 32, True), ("unsigned", 32, False), ("long", 64, True), ("unsigned long", 64, False),
            ("long long", 64, True), ("_Bool", 1, False), ("int", 32, True), ("unsigned", 32, False)]


class Block:
    """A statement with others inside, or a definition: head, statements, tail."""

    def __init__(self, head, body, tail="}"):
        self.head, self.body, self.tail = head, body, tail

    def lines(self, depth=0):
        pad = "    " * depth
        inner = [line for item in self.body for line in lines_of(item, depth + 1)]
        return [pad + self.head, *inner, pad + self.tail]


def lines_of(item, depth):
    return item.lines(depth) if isinstance(item, Block) else ["    " * depth + item]


class Scope:
    """What can be read and written at a place."""

    def __init__(self, readable, writable, pointers, depth=0):
        self.readable, self.writable, self.pointers, self.depth = list(readable), list(writable), list(pointers), depth

    def inner(self):
        return Scope(self.readable, self.writable, self.pointers, self.depth + 1)


class Maker:
    """Makes one program."""

    def __init__(self, seed):
        self.rng = random.Random(f"program {seed}")
        self.number = 0
        self.sizes = []
        self.functions = []
        self.features = {name: self.rng.random() < share for name, share in
                         [("floats", 0.3), ("pointers", 0.6), ("structs", 0.6), ("unions", 0.35), ("strings", 0.3),
                          ("recursion", 0.3), ("calls", 0.7), ("tables", 0.35), ("goto", 0.35), ("wide", 0.6),
                          ("library", 0.4), ("heap", 0.2), ("loops", 0.8)]}

    def has(self, feature):
        return self.features[feature]

    def fresh(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    # --- expressions, without effects ---------------------------------------------------------

    def constant(self):
        rng = self.rng
        return rng.choice([str(rng.randrange(8)), str(rng.randrange(-9, 10)), "0x7fffffff", "255", "-1", "1u", "3l",
                           "0x80000000u", "65535", "(short)-32768", "'a'", "~0ul", "1ull << 33"])

    def atom(self, scope):
        if scope.readable and self.rng.random() < 0.75:
            return self.rng.choice(scope.readable)
        return self.constant()

    def number_of(self, scope, depth=2):
        """An integer."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return self.atom(scope)
        a = self.number_of(scope, depth - 1)
        kind = rng.randrange(14)
        if kind < 5:
            return f"({a} {rng.choice(['+', '-', '*', '^', '&', '|'])} {self.number_of(scope, depth - 1)})"
        if kind == 5:
            return f"({a} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {self.number_of(scope, depth - 1)})"
        if kind == 6:
            return f"({a} {rng.choice(['&&', '||'])} {self.number_of(scope, depth - 1)})"
        if kind == 7:
            return f"{rng.choice(['-', '~', '!'])}({a})"
        if kind == 8:
            return f"((unsigned)({a}) {rng.choice(['<<', '>>'])} {rng.randrange(32)})"
        if kind == 9:
            return f"((int)({a}) >> ({self.atom(scope)} & 15))"
        if kind == 10:
            return f"({a} {rng.choice(['/', '%'])} {rng.choice(['3', '7u', '-5', '10l', '(short)2'])})"
        if kind == 11:
            return f"(({rng.choice(INTEGERS)[0]})({a}))"
        if kind == 12:
            return f"(({a}) ? {self.number_of(scope, depth - 1)} : {self.number_of(scope, depth - 1)})"
        return f"({self.atom(scope)}, {a})"

    def condition(self, scope, depth=2):
        rng = self.rng
        if depth and rng.random() < 0.5:
            op = rng.choice(["&&", "||"])
            return f"({self.condition(scope, depth - 1)} {op} {self.condition(scope, depth - 1)})"
        a, b = self.number_of(scope, 1), self.number_of(scope, 1)
        return rng.choice([f"({a} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {b})", f"(({a}) & {1 << rng.randrange(4)})",
                           f"(!({a}))", f"({a})"])

    # --- statements -----------------------------------------------------------------------------

    def assignment(self, scope):
        rng = self.rng
        target = rng.choice(scope.writable)
        kind = rng.randrange(8)
        if kind < 4:
            return f"{target} = {self.number_of(scope)};"
        if kind < 6:
            return f"{target} {rng.choice(['+=', '-=', '*=', '^=', '&=', '|='])} {self.number_of(scope, 1)};"
        if kind == 6:
            return f"{target}{rng.choice(['++', '--'])};"
        return rng.choice([f"{target} /= {rng.choice(['3', '-2', '5u'])};", f"{target} %= {rng.choice(['3', '4u'])};",
                           f"{target} >>= {rng.randrange(1, 7)};"])

    def call(self, scope):
        name, params, result = self.rng.choice(self.functions)
        args = ", ".join(self.number_of(scope, 1) for _ in range(params))
        return f"{name}({args})", result

    def statements(self, scope, count, within):
        made = []
        for _ in range(count):
            made.extend(self.statement(scope, within))
        return made

    def statement(self, scope, within):
        rng = self.rng
        choices = [lambda: [self.assignment(scope)]] * 5
        if scope.depth < 3:
            choices += [lambda: self.branch(scope, within)] * 3
            choices.append(lambda: self.switch(scope, within))
            if self.has("loops") and within["loops"] < 2:
                choices += [lambda: self.loop(scope, within)] * 2
            choices.append(lambda: self.local(scope))
        if self.has("goto") and within["labels"]:
            choices.append(lambda: [f"if {self.condition(scope, 1)} goto {rng.choice(within['labels'])};"])
        if within["breakable"]:
            choices.append(lambda: [f"if {self.condition(scope, 1)} break;"])
        if within["loops"]:
            choices.append(lambda: [f"if {self.condition(scope, 1)} continue;"])
        if self.functions and self.has("calls"):
            choices += [lambda: self.called(scope)] * 2
        if self.has("tables") and within["main"]:
            choices.append(lambda: [f"{rng.choice(scope.writable)} = table[{self.number_of(scope, 1)} & 1]({self.number_of(scope, 1)});"])
            choices.append(lambda: [f"hook = table[{self.number_of(scope, 1)} & 1];",
                                    f"{rng.choice(scope.writable)} ^= hook({self.number_of(scope, 1)});"])
        if self.has("structs"):
            choices.append(lambda: [rng.choice(["s2 = s1;", "s1 = made(s2);", "s1.in = s2.in;", "ps = &s1;", "ps = &s2;",
                                                f"ps->b = {self.number_of(scope, 1)};", "*ps = s2;",
                                                f"s1.a[{self.number_of(scope, 1)} & 3] = {self.number_of(scope, 1)};"])])
        if self.has("unions"):
            choices.append(lambda: [rng.choice([f"u.w = {self.number_of(scope)};", f"u.c[{self.number_of(scope, 1)} & 3] = {self.number_of(scope, 1)};",
                                                f"u.h[{rng.randrange(2)}] = {self.number_of(scope, 1)};", "u.w += u.h[1];",
                                                f"u.f.lo = {self.number_of(scope, 1)};"])])
        if self.has("pointers") and scope.pointers:
            pointer = rng.choice(scope.pointers)
            choices.append(lambda: [f"{pointer} = {rng.choice(['&x', '&y', '&a[0]', '&a[2]', '&a[x & 3]', 'a + (y & 3)', rng.choice(scope.pointers)])};"])
            choices.append(lambda: [f"*{pointer} {rng.choice(['=', '+=', '^='])} {self.number_of(scope, 1)};"])
            choices.append(lambda: [f"if ({pointer} == {rng.choice(scope.pointers + ['&x', '&a[1]'])}) {self.assignment(scope)}"])
        if self.has("floats"):
            choices.append(lambda: [rng.choice([
                f"d = (signed char)({self.number_of(scope, 1)}) * {rng.choice(['0.5', '1.25', '-3.0', '0.1'])};",
                f"g = (short)({self.number_of(scope, 1)}) / 4.0f;", "d = d + g;", "g = d;", "d = d * 0.5 - g;",
                f"if (d {rng.choice(['<', '>=', '==', '!='])} g) {self.assignment(scope)}",
                f"if (d > -1000.0 && d < 1000.0) {rng.choice(scope.writable)} = (int)d;",
                f"if (g < 100.0f && g > -100.0f) {rng.choice(scope.writable)} += (signed char)g;"])])
        if self.has("strings"):
            choices.append(lambda: [rng.choice([
                f"text[{self.number_of(scope, 1)} & 3] = {rng.choice(['0', chr(39) + 'b' + chr(39), 'x & 127'])};",
                f"{rng.choice(scope.writable)} = strlen(text);", f"{rng.choice(scope.writable)} += strcmp(text, \"abc\") < 0;",
                "strcpy(text, \"ab\");", f"{rng.choice(scope.writable)} = memcmp(text, \"abcd\", 2) == 0;",
                f"memset(text, {rng.choice(['0', '65', '98'])}, {rng.randrange(1, 4)});"])])
        if self.has("library"):
            choices.append(lambda: [rng.choice([
                f"{rng.choice(scope.writable)} = abs((short)({self.number_of(scope, 1)}));", "memcpy(a, a + 2, 2 * sizeof *a);",
                "memset(a, 0, sizeof a);", f"{rng.choice(scope.writable)} ^= toupper({rng.choice(['97', '65', 'x & 127'])});",
                f"{rng.choice(scope.writable)} = __builtin_popcount({self.number_of(scope, 1)});"])])
        if self.has("heap") and within["main"]:
            choices.append(lambda: [rng.choice([f"h[{self.number_of(scope, 1)} & 1] = {self.number_of(scope, 1)};",
                                                f"{rng.choice(scope.writable)} = h[{self.number_of(scope, 1)} & 1];"])])
        return rng.choice(choices)()

    def local(self, scope):
        name = self.fresh("v")
        ty = self.rng.choice(INTEGERS)[0]
        line = f"{ty} {name} = {self.number_of(scope)};"
        scope.readable.append(name)
        scope.writable.append(name)
        return [line]

    def called(self, scope):
        text, result = self.call(scope)
        if result and self.rng.random() < 0.8:
            return [f"{self.rng.choice(scope.writable)} {self.rng.choice(['=', '+=', '^='])} {text};"]
        return [f"{text};"]

    def branch(self, scope, within):
        rng = self.rng
        made = [Block(f"if {self.condition(scope)} {{", self.statements(scope.inner(), rng.randrange(1, 4), within))]
        if rng.random() < 0.5:
            made[0].tail = "} else {"
            made = [Block(made[0].head, made[0].body + [Block("} else {", self.statements(scope.inner(), rng.randrange(1, 3), within), "")], "}")]
        return made

    def switch(self, scope, within):
        rng = self.rng
        inner = dict(within, breakable=True)
        body = []
        for value in rng.sample(range(-2, 8), rng.randrange(2, 5)):
            body.append(f"case {value}:" if rng.random() < 0.8 else f"case {10 + value} ... {12 + value}:" if not body else f"case {value}:")
            body += self.statements(Scope(scope.readable, scope.writable, scope.pointers, 3), rng.randrange(1, 3), inner)
            if rng.random() < 0.6:
                body.append("break;")
        if rng.random() < 0.6:
            body.append("default:")
            body += self.statements(Scope(scope.readable, scope.writable, scope.pointers, 3), 1, inner)
        subject = self.number_of(scope, 1) if rng.random() < 0.6 else self.condition(scope, 1)
        return [Block(f"switch ({subject} & 7) {{", body) if rng.random() < 0.7 else Block(f"switch ({subject}) {{", body)]

    def loop(self, scope, within):
        rng = self.rng
        name = self.fresh("i")
        inner = dict(within, breakable=True, loops=within["loops"] + 1, labels=[])
        bound = rng.choice(["2", "3", "5", "(x & 3)", f"({self.atom(scope)} & 7)"])
        body_scope = scope.inner()
        body_scope.readable.append(name)
        body = self.statements(body_scope, rng.randrange(1, 4), inner)
        kind = rng.randrange(4)
        limit = self.fresh("n")
        if kind == 0:
            return [Block(f"for (int {name} = 0, {limit} = {bound}; {name} < {limit}; {name}++) {{", body)]
        if kind == 1:
            return [Block(f"for (unsigned {name} = {bound}; {name}-- > 0;) {{", body)]
        if kind == 2:
            return [f"int {name} = 0;", Block(f"while ({name}++ < 4 && {self.condition(scope, 1)}) {{", body)]
        return [f"int {name} = 0;", Block("do {", body, f"}} while (++{name} < 3 && {self.condition(scope, 1)});")]

    # --- the program ------------------------------------------------------------------------------

    def globals(self):
        rng = self.rng
        lines = []
        readable, writable, pointers = [], [], []
        for name in ("x", "y"):
            lines.append(f"int {name} = {rng.randrange(-2, 5)};")
            readable.append(name)
            writable.append(name)
        for _ in range(rng.randrange(1, 4)):
            name = self.fresh("w")
            ty = rng.choice(INTEGERS)[0] if self.has("wide") else "int"
            lines.append(f"{rng.choice(['', 'static '])}{ty} {name} = {rng.randrange(4)};")
            readable.append(name)
            writable.append(name)
        lines.append("int a[4] = {1, 2, 3};")
        readable += ["a[1]", "a[x & 3]"]
        writable += ["a[0]", "a[y & 3]"]
        if self.has("structs"):
            bits = "; ".join(f"{rng.choice(['unsigned', 'int', 'unsigned char', 'long'])} b{i} : {rng.randrange(1, 8)}" for i in range(3))
            lines.append(f"struct inner {{ signed char c; {bits}; short e; }};")
            lines.append("struct outer { int b; struct inner in; unsigned char a[4]; _Bool t : 1; } s1, s2 = {3, {1, 1, 0, 1, 2}, {4}, 1}, *ps = &s1;")
            lines.append("static struct outer made(struct outer o) { o.b += o.in.e; o.in.b1++; o.a[1] ^= o.a[0]; return o; }")
            readable += ["s1.b", "s2.in.b0", "s1.in.b1", "s2.in.e", "s1.a[1]", "s2.t", "ps->in.c", "ps->a[x & 3]"]
            writable += ["s1.b", "s2.in.b0", "s1.in.b1", "s2.in.e", "s2.in.b2", "s1.t", "ps->in.c", "s1.a[2]"]
        if self.has("unions"):
            lines.append("union mixed { unsigned w; unsigned char c[4]; short h[2]; struct { unsigned lo : 5, mid : 12; int hi : 15; } f; } u = {77};")
            readable += ["u.w", "u.c[2]", "u.h[1]", "u.f.mid", "u.f.hi"]
            writable += ["u.w", "u.c[1]", "u.f.hi", "u.f.mid"]
        if self.has("pointers"):
            lines.append("int *p = &x, *q = &a[1];")
            pointers += ["p", "q"]
            readable += ["*p", "*q"]
            writable += ["*p"]
        if self.has("floats"):
            lines.append("double d = 0.5; float g = -1.5f;")
            readable += ["(d < 2.0)", "(g >= 0)"]
        if self.has("strings"):
            lines.append("char text[5] = \"abc\";")
            readable += ["text[1]", "text[x & 3]"]
        return lines, Scope(readable, writable, pointers)

    def function(self, scope):
        rng = self.rng
        name = self.fresh("f")
        count = rng.randrange(0, 3)
        params = [(rng.choice(INTEGERS)[0], self.fresh("k")) for _ in range(count)]
        result = rng.choice([None, "int", "unsigned char", "long", "short", "_Bool"])
        inner = Scope(scope.readable, scope.writable, scope.pointers, 1)
        inner.readable += [p for _, p in params]
        inner.writable += [p for _, p in params]
        within = {"loops": 0, "breakable": False, "labels": [], "main": False}
        body = self.statements(inner, rng.randrange(1, 4), within)
        if result:
            body.append(f"return {self.number_of(inner)};")
        head = f"static {result or 'void'} {name}({', '.join(f'{t} {p}' for t, p in params) or 'void'})"
        self.functions.append((name, count, result))
        return Block(head + " {", body)

    def recursion(self, scope):
        rng = self.rng
        name = self.fresh("r")
        inner = Scope(scope.readable + ["n"], scope.writable, scope.pointers, 2)
        within = {"loops": 0, "breakable": False, "labels": [], "main": False}
        hidden, self.functions = self.functions, []
        body = [f"if (n <= 0) return {self.number_of(inner, 1)};", *self.statements(inner, rng.randrange(0, 2), within),
                rng.choice([f"return {name}(n - 1) + 1;", f"int t = {name}(n - 2); return t ^ n;",
                            f"x ^= 1; return {name}(n - 1);"])]
        self.functions = hidden
        return name, Block(f"static int {name}(int n) {{", body)

    def items(self):
        """The program as a list of lines and blocks."""
        rng = self.rng
        lines, scope = self.globals()
        items = ["extern void reach_error(void);", "extern int __VERIFIER_nondet_int(void);",
                 "extern unsigned __VERIFIER_nondet_uint(void);", "extern signed char __VERIFIER_nondet_char(void);",
                 "extern unsigned char __VERIFIER_nondet_uchar(void);", "extern short __VERIFIER_nondet_short(void);",
                 "extern _Bool __VERIFIER_nondet_bool(void);", "extern void __VERIFIER_assume(int);"]
        if self.has("strings") or self.has("library"):
            items.append("#include <string.h>")
        if self.has("library"):
            items += ["#include <stdlib.h>", "#include <ctype.h>"]
        if self.has("heap"):
            items.append("extern void *malloc(unsigned long); extern void free(void *);")
        items += lines
        if self.has("calls"):
            for _ in range(rng.randrange(1, 3)):
                items.append(self.function(scope))
        recursive = None
        if self.has("recursion"):
            recursive, block = self.recursion(scope)
            items.append(block)
        if self.has("tables"):
            items += ["static int plus(int k) { return k + x; }", "static int minus(int k) { x++; return k - 1; }",
                      "static int (*table[2])(int) = {plus, minus}, (*hook)(int) = plus;"]
        main = []
        scope = Scope(scope.readable, scope.writable, scope.pointers, 1)
        for i in range(rng.randrange(1, 4)):
            size = rng.choice([2, 3, 4, 5])
            ty, call = rng.choice([("int", "int"), ("unsigned", "uint"), ("signed char", "char"), ("unsigned char", "uchar"), ("short", "short")])
            self.sizes.append(size)
            main.append(f"{ty} in{i} = __VERIFIER_nondet_{call}();")
            if ty.startswith("unsigned"):
                main.append(f"__VERIFIER_assume(in{i} < {size});")
            else:
                main.append(f"__VERIFIER_assume(in{i} >= 0 && in{i} < {size});")
            scope.readable += [f"in{i}"] * 3
        if self.has("heap"):
            main += ["int *h = malloc(2 * sizeof *h);", "h[0] = 1; h[1] = x;"]
        labels = []
        if self.has("goto"):
            labels = [self.fresh("l")]
        within = {"loops": 0, "breakable": False, "labels": labels, "main": True}
        main += self.statements(scope, rng.randrange(3, 8), within)
        if recursive:
            main.append(f"{rng.choice(scope.writable)} = {recursive}({self.number_of(scope, 1)} & 3);")
        if labels:
            main.append(f"{labels[0]}: ;")
            main += self.statements(scope, rng.randrange(1, 3), dict(within, labels=[]))
        if self.has("heap"):
            main.append("free(h);")
        for _ in range(rng.randrange(1, 3)):
            mask = rng.choice([1, 3, 7, 15, 255])
            main.append(f"if (({self.number_of(scope, 3)} & {mask}) == {rng.randrange(mask + 1)}) reach_error();")
        main.append("return 0;")
        # Jumps over declarations are no error in C, but the variable is then indeterminate: they come first.
        items.append(Block("int main(void) {", hoisted(main) if labels else main))
        return items


def hoisted(body):
    """Declarations of the outermost level first, so that no jump passes one."""
    declared, rest = [], []
    for item in body:
        found = None if isinstance(item, Block) else re.match(
            r"((?:unsigned |signed |long )*(?:int|unsigned|char|short|long|_Bool)(?: \*)?) ?\*?((?:v|i|h)\d*) = (.*);$", item)
        if found and not item.startswith("int *h"):
            declared.append(f"{found.group(1)} {found.group(2)} = 0;")
            rest.append(f"{found.group(2)} = {found.group(3)};")
        else:
            rest.append(item)
    return declared + rest


def text_of(items):
    return "\n".join(line for item in items for line in lines_of(item, 0)) + "\n"


class Judge:
    """Knows what programs do, and what gnomon says of them."""

    def __init__(self, gnomon, options, seconds, work):
        self.gnomon, self.options, self.seconds, self.work = gnomon, options, seconds, work
        self.machine = ["-m32"] if "-m32" in options else []
        (work / "runtime.c").write_text(RUNTIME)

    def runs(self, text, sizes, flags):
        """True if a run fails, False if none does, None if something else is wrong."""
        source, binary = self.work / "p.c", self.work / "p"
        source.write_text(text.replace("int main(void)", "int program(void)"))
        command = ["gcc", "-w", "-fwrapv", "-fno-strict-aliasing", *self.machine, *flags, "-o", binary, source,
                   self.work / "runtime.c"]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
        try:
            status = subprocess.run([binary, *map(str, sizes)], capture_output=True, timeout=60).returncode
        except subprocess.TimeoutExpired:
            return None
        return {0: False, 42: True}.get(status)

    def truth(self, text, sizes):
        plain, optimised = (self.runs(text, sizes, [level]) for level in ("-O0", "-O2"))
        return plain if plain == optimised else None

    def is_defined(self, text, sizes):
        flags = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize=signed-integer-overflow,shift",
                 "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
        return self.runs(text, sizes, flags) is not None

    def verdict(self, text):
        path = self.work / "checked.c"
        path.write_text(text)
        command = [self.gnomon, "check", "--jobs", "1", "--time", str(self.seconds), *self.options, path]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=60 + 20 * self.seconds)
        except subprocess.TimeoutExpired:
            return "HANGS"
        if run.returncode == 4:
            return "INTERNAL"
        found = re.search(r"^VERDICT: (\w+)", run.stdout, re.M)
        return found.group(1) if found else "NONE"

    def is_wrong(self, verdict, fails):
        return verdict == ("TRUE" if fails else "FALSE") or verdict in ("INTERNAL", "HANGS", "NONE")


def smaller(judge, items, sizes, wanted):
    """Leaves out what is not needed for the finding."""

    def still(candidate):
        text = text_of(candidate)
        fails = judge.truth(text, sizes)
        if fails is None or not judge.is_defined(text, sizes):
            return False
        verdict = judge.verdict(text)
        return judge.is_wrong(verdict, fails) and verdict == wanted

    def variants(tree):
        for i, item in enumerate(tree):
            yield tree[:i] + tree[i + 1:]
            if isinstance(item, Block):
                if not re.match(r"(static|int) ", item.head):
                    yield tree[:i] + item.body + tree[i + 1:]
                for body in variants(item.body):
                    yield tree[:i] + [Block(item.head, body, item.tail)] + tree[i + 1:]

    changed = True
    while changed:
        changed = False
        for candidate in variants(items):
            if still(candidate):
                items, changed = candidate, True
                break
    return items


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gnomon", required=True)
    parser.add_argument("--seeds", default="1-100", help="FIRST-LAST")
    parser.add_argument("--seconds", type=int, default=5, help="for each check")
    parser.add_argument("--options", default="", help="further options of `gnomon check`")
    parser.add_argument("--work", default="hunted", help="where findings are kept")
    parser.add_argument("--verbose", action="store_true", help="tell of each program")
    parser.add_argument("--show", action="store_true", help="only print the programs")
    args = parser.parse_args()
    first, last = (int(part) for part in args.seeds.split("-"))
    kept = Path(args.work)
    counts = {}
    found = 0
    with tempfile.TemporaryDirectory() as directory:
        judge = Judge(args.gnomon, args.options.split(), args.seconds, Path(directory))
        for seed in range(first, last + 1):
            maker = Maker(seed)
            items = maker.items()
            text = text_of(items)
            if args.show:
                print(text)
                continue
            fails = judge.truth(text, maker.sizes)
            if fails is None:
                counts["left out"] = counts.get("left out", 0) + 1
                continue
            if args.verbose:
                print(f"{seed}:", end=" ", flush=True)
            verdict = judge.verdict(text)
            told = f"{'unsafe' if fails else 'safe'} {verdict}"
            if args.verbose:
                print(told, flush=True)
            counts[told] = counts.get(told, 0) + 1
            if judge.is_wrong(verdict, fails):
                if not judge.is_defined(text, maker.sizes):
                    print(f"{seed}: {told}, but it has undefined behaviour", flush=True)
                    continue
                found += 1
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{seed}.c").write_text(f"// {told}\n{text}")
                small = text_of(smaller(judge, items, maker.sizes, verdict))
                (kept / f"{seed}.small.c").write_text(f"// {told}\n{small}")
                print(f"{seed}: {told}\n{small}", flush=True)
    if not args.show:
        print(", ".join(f"{told}: {count}" for told, count in sorted(counts.items())))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

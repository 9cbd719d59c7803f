#!/usr/bin/env python3
"""Checks the headers of `tests/programs/**/*.c` by executing the programs, without Gnomon.

Every program is compiled with gcc and a driver that answers `__VERIFIER_nondet_*` with chosen or
random values, and is executed many times, each run in a process of its own. A program whose header
says `true` must never reach an error; one whose header says `false` must reach it at least once. No
run may show undefined behaviour (address and undefined-behaviour sanitizers).

    tests/check_programs.py                          # all programs
    tests/check_programs.py tests/programs/heap      # files or directories
    tests/check_programs.py --runs 20000 FILE.c      # a longer search

Lines at the top of a program, after its header and its description, that this script understands:

    // inputs: 3 -1 7        values for the calls of nondet functions, in order (afterwards zero);
                             with them a `false` program must reach the error
    // undefined: WHAT       the program relies on Gnomon's meaning of what C leaves undefined:
                             it is compiled with -fwrapv and without sanitizers

Execution finds wrong `true` headers only by chance: it is a check of the programs, not a proof.
Random values are drawn from ranges of several sizes, and from the integer literals of the program;
the same seed gives the same values. Programs with a header other than these two are left out.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILE = ["gcc", "-std=gnu17", "-O1", "-g", "-fno-builtin", "-fwrapv", "-fno-strict-aliasing"]
# Some programs are about what the last three warn of.
WARN = ["-Wall", "-Wextra", "-Wno-sign-compare", "-Wno-implicit-fallthrough", "-Wno-unused-label"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-wrapv"]

DRIVER = r"""
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERROR_REACHED = 77, MAX_VALUES = 2000 };
int program_main();
static long long given[MAX_VALUES], literals[MAX_VALUES], drawn[MAX_VALUES];
static int given_count, literal_count, drawn_count, replaying, range;
static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1DULL;
}

static long long near(unsigned long long middle)
{
    return (long long)(middle + next_random() % 3 - 1);
}

static long long draw(void)
{
    static const long long low[] = {0, -2, 0, -20, 0, -300, INT32_MIN, INT64_MIN};
    static const unsigned long long size[] = {2, 5, 12, 41, 110, 600, 1ULL << 32, 0};
    unsigned kind = next_random() % 12;
    if (kind == 0 && literal_count)
        return near(literals[next_random() % literal_count]);
    if (kind == 1 && drawn_count)
        return near(drawn[next_random() % drawn_count]);
    if (kind == 2) {
        static const long long edges[] = {0, 1, -1, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN,
                                          127, 128, 255, 256, 32767, 65535};
        return edges[next_random() % (sizeof edges / sizeof edges[0])];
    }
    return size[range] ? (long long)(low[range] + next_random() % size[range]) : (long long)next_random();
}

static long long value(void)
{
    if (drawn_count == MAX_VALUES)
        _exit(0);
    long long v = !replaying ? draw() : drawn_count < given_count ? given[drawn_count] : 0;
    drawn[drawn_count++] = v;
    return v;
}

static double real(void)
{
    static const double odd[] = {0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1e-310, 1e10, 1e30, -1e300, 16777216.0, 1.0 / 0.0};
    long long v = value();
    if (replaying)
        return v;
    switch (next_random() % 5) {
    case 0: return odd[next_random() % (sizeof odd / sizeof odd[0])];
    case 1: return 0.0 / 0.0;
    case 2: return v / 16.0;
    case 3: return (double)(next_random() >> 11) / (1ULL << 53);
    default: return v;
    }
}

#define INTEGER(name, type) type __VERIFIER_nondet_##name(void) { return (type)value(); }
INTEGER(int, int)
INTEGER(uint, unsigned)
INTEGER(char, char)
INTEGER(uchar, unsigned char)
INTEGER(short, short)
INTEGER(ushort, unsigned short)
INTEGER(long, long)
INTEGER(ulong, unsigned long)
INTEGER(longlong, long long)
INTEGER(ulonglong, unsigned long long)
_Bool __VERIFIER_nondet_bool(void) { return value() & 1; }
float __VERIFIER_nondet_float(void) { return (float)real(); }
double __VERIFIER_nondet_double(void) { return real(); }
void __VERIFIER_assume(int condition) { if (!condition) _exit(0); }
__attribute__((weak)) void reach_error(void) { _exit(ERROR_REACHED); }
void __VERIFIER_error(void) { _exit(ERROR_REACHED); }
void abort(void) { _exit(0); }
void exit(int status) { (void)status; _exit(0); }
void __assert_fail(const char *a, const char *b, unsigned c, const char *d)
{
    (void)a; (void)b; (void)c; (void)d;
    _exit(ERROR_REACHED);
}

static void give_up(int signal_number)
{
    (void)signal_number;
    _exit(3);
}

static int execute(int milliseconds)
{
    pid_t child = fork();
    if (child == 0) {
        struct itimerval limit = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
        signal(SIGPROF, give_up);
        setitimer(ITIMER_PROF, &limit, 0);
        program_main();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Arguments: number of runs, seed, whether values are given, number of them, the values, the literals. */
#undef main
int main(int argc, char **argv)
{
    int runs = atoi(argv[1]), with_values = atoi(argv[3]), errors = 0, finished = 0, slow = 0;
    uint64_t seed = strtoull(argv[2], 0, 10);
    given_count = atoi(argv[4]);
    for (int i = 5; i < argc; i++)
        if (i - 5 < given_count)
            given[i - 5] = strtoll(argv[i], 0, 0);
        else if (literal_count < MAX_VALUES)
            literals[literal_count++] = strtoll(argv[i], 0, 0);
    for (int run = 0; run < runs + with_values; run++) {
        replaying = run == runs;
        range = run % 8;
        state = (seed + run) * 0x9E3779B97F4A7C15ULL | 1;
        for (int i = 0; i < 4; i++)
            next_random();
        int code = execute(replaying ? 2000 : slow > 50 ? 2 : 10);
        if (code == ERROR_REACHED)
            errors++;
        else if (code == 0)
            finished++;
        else if (code == 3)
            slow++;
        else {
            printf("undefined %d\n", code);
            return 0;
        }
        if (replaying)
            printf("given %s\n", code == ERROR_REACHED ? "error" : "none");
    }
    printf("runs %d %d %d\n", errors, finished, slow);
    return 0;
}
"""


def header(source):
    """Verdict, whether there is a description, inputs and whether undefined behaviour is the point."""
    lines = source.splitlines()
    verdict = re.match(r"// gnomon: (true|false)\b", lines[0] if lines else "")
    inputs, undefined = None, False
    for line in lines[1:]:
        if not line.startswith("//"):
            break
        if line.startswith("// inputs:"):
            inputs = line.split(":", 1)[1].split()
        undefined |= line.startswith("// undefined:")
    described = len(lines) > 1 and re.match(r"// \S.{15,}\.$", lines[1]) is not None
    return verdict and verdict.group(1), described, inputs, undefined


def literals(source):
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.S)
    found = {int(text, 0) for text in re.findall(r"\b(0[xX][0-9a-fA-F]+|[1-9]\d*|0)[uUlL]*\b", code)}
    found |= {ord(text) for text in re.findall(r"'(.)'", code)}
    found |= {-value for value in found}
    return [str(value) for value in sorted(found) if abs(value) < 1 << 63]


def check(path, driver, runs, seed, directory):
    """Verdict of the header, what is wrong, number of runs that reached the error, and inputs given."""
    with open(path) as file:
        source = file.read()
    verdict, described, inputs, undefined = header(source)
    if verdict is None:
        return None
    problems = [] if described else ["second line is no description"]
    errors = 0
    given = ["1" if inputs is not None else "0", str(len(inputs or [])), *(inputs or []), *literals(source)]
    builds = [([], runs)] if undefined else [([], runs), (SANITIZE, max(runs // 4, 1))]
    for number, (flags, count) in enumerate(builds):
        handle, target = tempfile.mkstemp(dir=directory)
        os.close(handle)
        compiled = subprocess.run(
            [*COMPILE, *WARN, *flags, "-Dmain=program_main", "-o", target, path, driver, "-lm"],
            capture_output=True, text=True)
        warnings = [line for line in compiled.stderr.splitlines() if "warning" in line or "error" in line]
        if compiled.returncode != 0 or (warnings and number == 0):
            problems += warnings or [compiled.stderr[-500:]]
        if compiled.returncode != 0:
            break
        # Memory that a program does not free is no concern here.
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:exitcode=88", UBSAN_OPTIONS="exitcode=88")
        done = subprocess.run([target, str(count), str(seed), *given], capture_output=True, text=True, env=environment)
        for line in done.stdout.splitlines():
            word, *rest = line.split()
            if word == "undefined":
                problems.append("undefined behaviour: " + " ".join(rest) + "\n" + done.stderr[-1500:])
            elif word == "given" and (rest[0] == "error") != (verdict == "false"):
                problems.append("the given inputs do not fit the header")
            elif word == "runs":
                errors += int(rest[0])
                if int(rest[1]) + int(rest[0]) == 0:
                    problems.append("no run ended")
        if not done.stdout:
            problems.append("driver failed: " + done.stderr[-500:])
        os.unlink(target)
    if verdict == "true" and errors:
        problems.append(f"header says true, but {errors} runs reached an error")
    if verdict == "false" and not errors:
        problems.append("header says false, but no run reached an error")
    return verdict, problems, errors, inputs


def programs(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".c"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[os.path.join(HERE, "programs")])
    parser.add_argument("--runs", type=int, default=2000, help="runs of each program (a quarter more with sanitizers)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    counts, failed = {}, 0
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        driver = os.path.join(directory, "driver.c")
        with open(driver, "w") as file:
            file.write("#undef main\n" + DRIVER)
        files = list(programs(options.paths))
        results = pool.map(lambda path: check(path, driver, options.runs, options.seed, directory), files)
        for path, result in zip(files, results):
            if result is None:
                continue
            verdict, problems, errors, inputs = result
            rare = verdict == "false" and inputs is None and errors < 4
            area = os.path.basename(os.path.dirname(path))
            counts.setdefault(area, {"true": 0, "false": 0})[verdict] += 1
            failed += bool(problems)
            for problem in problems:
                print(f"{path}: {problem}", flush=True)
            if rare and not problems:
                print(f"{path}: note: only {errors} runs reached the error; give inputs")
    for area, count in sorted(counts.items()):
        print(f"{area:20} {count['true']:4} true {count['false']:4} false")
    total = {verdict: sum(count[verdict] for count in counts.values()) for verdict in ("true", "false")}
    print(f"{'all':20} {total['true']:4} true {total['false']:4} false; {failed} with problems")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

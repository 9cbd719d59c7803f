#!/usr/bin/env python3
"""Measures what limits and processors do to verdicts, on a sample of tasks.

    scripts/campaign_limits.py --tasks tasks.jsonl --results DIR [--sample 150] [--seed 22]
                               [--gnomon target/release/gnomon] [--runs small,large,jobs]

A task is a line of JSON with `id`, `file` (seen from the manifest), `expected` (true or false) and `data_model` (ilp32 or
lp64); lines with another `property` than unreach-call, and `secondary` or `trivial` ones, are left out. Three runs:

small  every task with `--jobs 1 --time 15`
large  every task with `--jobs 1 --time 60`
jobs   every task that the first engine did not decide, with `--jobs 1` and `--jobs 2` one after the other. The
       machine should do nothing else meanwhile, since this one is about time of the clock.

Then: tasks decided with the small limit and not with the large one, tasks whose winner needed less than five seconds with the
large limit and that are not decided with the small one, and the ratio of the times with two jobs and one.
What is in DIR already is not run again.
"""
import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import time

SMALL, LARGE = 15, 60
# Of a winner that needed less, the answer is expected with the small limit too.
SOON = 5.0
FIRST_ENGINES = {"runs", ""}


def sample(manifest, count, seed):
    with open(manifest, encoding="utf-8") as file:
        tasks = [json.loads(line) for line in file if line.strip()]
    about_errors = [
        task for task in tasks
        if task.get("property", "unreach-call") == "unreach-call"
        and not task.get("secondary") and not task.get("trivial")
    ]
    about_errors.sort(key=lambda task: task["id"])
    if count < len(about_errors):
        about_errors = random.Random(seed).sample(about_errors, count)
    return sorted(about_errors, key=lambda task: task["id"])


def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def run(gnomon, file, bits, limit, jobs):
    """What Gnomon says of a program, by whom, and what it took."""
    begun, before = time.monotonic(), used()
    line = [gnomon, "check", "--stats", "--jobs", str(jobs), "--time", str(limit), f"-m{bits}", file]
    text = subprocess.run(line, capture_output=True, text=True, check=False, errors="replace").stdout
    clock, processor = time.monotonic() - begun, used() - before
    verdicts = re.findall(r"(?m)^VERDICT: (TRUE|FALSE|UNKNOWN)", text)
    engine = re.search(r"(?m)^engine: (.*)$", text)
    engine = engine.group(1) if engine else ""
    own = re.search(rf"(?m)^seconds, engine, {re.escape(engine)}: ([0-9.]+)$", text)
    return {
        "verdict": verdicts[-1] if verdicts else "ERROR",
        "engine": engine,
        "own": float(own.group(1)) if own else 0.0,
        "clock": round(clock, 3),
        "processor": round(processor, 3),
    }


class Results:
    """The results of one run, a line for each task, written as they come."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, name + ".jsonl")
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    result = json.loads(line)
                    self.known[result["id"]] = result

    def measure(self, tasks, measure):
        with open(self.path, "a", encoding="utf-8") as file:
            for number, task in enumerate(tasks, 1):
                if task["id"] in self.known:
                    continue
                result = {"id": task["id"], "expected": task["expected"], **measure(task)}
                self.known[task["id"]] = result
                file.write(json.dumps(result) + "\n")
                file.flush()
                print(f"\r{number}/{len(tasks)} {task['id'][:60]:60}", end="", file=sys.stderr)
        print(file=sys.stderr)


def decided(result):
    return result["verdict"] in ("TRUE", "FALSE")


def report_verdicts(name, results):
    labels = {True: "TRUE", False: "FALSE"}
    right = sum(result["verdict"] == labels[result["expected"]] for result in results.values())
    wrong = [result["id"] for result in results.values()
             if decided(result) and result["verdict"] != labels[result["expected"]]]
    print(f"{name}: {right} of {len(results)} as labelled, {len(wrong)} against the label {wrong}")


def report_limits(small, large):
    both = small.keys() & large.keys()
    lost = [task for task in sorted(both) if decided(small[task]) and not decided(large[task])]
    late = [task for task in sorted(both)
            if decided(large[task]) and large[task]["own"] < SOON and not decided(small[task])]
    print(f"decided at {SMALL} s and not at {LARGE} s: {len(lost)} of {len(both)} {lost}")
    print(f"the winner needed less than {SOON:.0f} s at {LARGE} s, not decided at {SMALL} s: {len(late)}")
    for task in late:
        print(f"    {task}: {large[task]['engine']}, {large[task]['own']:.1f} s of its own")


def report_jobs(pairs):
    one = sum(pair["clock_1"] for pair in pairs.values())
    two = sum(pair["clock_2"] for pair in pairs.values())
    differ = [task for task, pair in sorted(pairs.items()) if pair["verdict_1"] != pair["verdict_2"]]
    if one > 0:
        print(f"{len(pairs)} tasks beyond the first engine: {one:.0f} s with one job, {two:.0f} s with two: {two / one:.2f}")
        print(f"other verdicts with two jobs: {len(differ)} {differ}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--gnomon", default="target/release/gnomon")
    parser.add_argument("--runs", default="small,large,jobs")
    options = parser.parse_args()
    os.makedirs(options.results, exist_ok=True)
    tasks = sample(options.tasks, options.sample, options.seed)
    folder = os.path.dirname(os.path.abspath(options.tasks))
    wanted = options.runs.split(",")

    def measured(task, limit, jobs):
        bits = 32 if task.get("data_model") == "ilp32" else 64
        return run(options.gnomon, os.path.join(folder, task["file"]), bits, limit, jobs)

    small, large, pairs = (Results(options.results, name) for name in ("small", "large", "jobs"))
    if "small" in wanted:
        small.measure(tasks, lambda task: measured(task, SMALL, 1))
    if "large" in wanted:
        large.measure(tasks, lambda task: measured(task, LARGE, 1))
    if "jobs" in wanted:
        def beyond(task):
            result = small.known.get(task["id"])
            return result is not None and result["engine"] not in FIRST_ENGINES

        def pair(task):
            one, two = measured(task, SMALL, 1), measured(task, SMALL, 2)
            return {
                "clock_1": one["clock"], "clock_2": two["clock"],
                "verdict_1": one["verdict"], "verdict_2": two["verdict"],
            }
        undecided = [task for task in tasks
                     if not decided(small.known.get(task["id"], {"verdict": ""})) or beyond(task)]
        pairs.measure(undecided, pair)
    for name, results in (("small", small.known), ("large", large.known)):
        if results:
            report_verdicts(name, results)
    if small.known and large.known:
        report_limits(small.known, large.known)
    if pairs.known:
        report_jobs(pairs.known)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Real projects from Debian's sources, from a fresh copy to findings, and what edits cost.

    scripts/campaign_projects.py --work DIR [--projects zlib,lz4,bc] [--jobs 1,2] [--edits 10] [--rounds 1,4]

Fetches the sources (a private list of `deb-src` below DIR, so nothing of the system changes), builds each project
with its own build system under `gnomon capture`, and runs `gnomon verify` with an empty cache for each number of
jobs. Then functions are edited one at a time, and the run after each edit is timed against the first run; after
`touch` and a comment nothing may be checked again; a second copy elsewhere shares the cache. Prints a table and
writes DIR/figures.json.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import time

BUILD = {
    "zlib": "./configure && make libz.a minigzip example",
    "lz4": "make -C lib liblz4.a && make -C programs lz4",
    "bc": "./configure && make -C lib && make -C bc",
}


def run(command, cwd, **more):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def archives():
    """Where this machine takes Debian's packages from: sources lie in the same places."""
    release = pathlib.Path("/etc/os-release").read_text()
    suite = re.search(r"^VERSION_CODENAME=(\S+)", release, re.M)[1]
    etc = pathlib.Path("/etc/apt")
    for file in [etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]:
        for line in file.read_text().splitlines() if file.is_file() else []:
            found = re.match(rf"deb\s+(?:\[.*?\]\s+)?(\S+)\s+{suite}\s+(.*)", line)
            if found:
                yield f"{found[1]} {suite} {found[2]}"
    for file in sorted(etc.glob("sources.list.d/*.sources")):
        for paragraph in file.read_text().split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+):\s*(.*)$", paragraph, re.M))
            if "deb" in fields.get("Types", "").split() and suite in fields.get("Suites", "").split():
                yield f"{fields['URIs']} {suite} {fields['Components']}"


def fetch(work: pathlib.Path, name: str) -> pathlib.Path:
    found = sorted(path for path in work.glob(f"sources/{name}-*") if path.is_dir())
    if found:
        return found[0]
    lists = work / "apt"
    (lists / "lists/partial").mkdir(parents=True, exist_ok=True)
    (lists / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    sources = lists / "sources.list"
    sources.write_text("".join(f"deb-src {place}\n" for place in archives()))
    options = [
        f"-oDir::Etc::sourcelist={sources}", "-oDir::Etc::sourceparts=/dev/null",
        f"-oDir::State::lists={lists}/lists", f"-oDir::Cache={lists}/cache",
    ]
    (work / "sources").mkdir(exist_ok=True)
    if not any((lists / "lists").glob("*Sources*")):
        run(["apt-get", *options, "update"], work, check=True)
    run(["apt-get", *options, "source", name], work / "sources", check=True)
    return fetch(work, name)


def verify(gnomon, project, cache, jobs, rounds):
    begin = time.time()
    command = [gnomon, "verify", "--quiet", "--fail-on", "never", "--cache", cache, "--jobs", str(jobs), "--rounds", rounds, "."]
    done = run(command, project)
    seconds = time.time() - begin
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} in {project}:\n{done.stdout}")
    results = json.loads((project / ".gnomon/report/results.json").read_text())
    return seconds, results


def edits(project: pathlib.Path, results, count: int):
    """Places just inside of functions, by chance but always the same."""
    entries = sorted({(unit["file"], unit["line"], unit["entry"]) for unit in results["units"]})
    random.Random(28).shuffle(entries)
    for file, line, entry in entries:
        path = project / file
        if count == 0 or not path.is_file():
            continue
        lines = path.read_text(errors="surrogateescape").split("\n")
        brace = next((n for n in range(line - 1, min(line + 12, len(lines))) if re.match(r"^\{|.*\)\s*\{\s*$", lines[n])), None)
        if brace is None:
            continue
        count -= 1
        yield path, lines, brace, entry


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--gnomon", default="target/release/gnomon")
    parser.add_argument("--projects", default="zlib,lz4,bc")
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--rounds", default="1,4")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    gnomon = os.path.realpath(options.gnomon)
    figures = {}
    for name in options.projects.split(","):
        source = fetch(work, name)
        project = work / "copies" / name
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(source, project, symlinks=True)
        done = run([gnomon, "capture", "--", "sh", "-c", BUILD[name]], project)
        if not (project / "compile_commands.json").exists():
            raise SystemExit(done.stdout)
        run([gnomon, "init"], project, check=True)
        told = figures[name] = {}
        first = None
        for jobs in map(int, options.jobs.split(",")):
            cache = work / "caches" / f"{name}-{jobs}"
            shutil.rmtree(cache, ignore_errors=True)
            seconds, results = verify(gnomon, project, cache, jobs, options.rounds)
            counts = results["counts"]
            decided = counts["proved"] + counts["violated"]
            told[f"jobs {jobs}"] = {
                "seconds": round(seconds, 1), "units": counts["units"], "decided": decided,
                "share": round(100 * decided / max(1, counts["units"]), 1), "findings": len(results["findings"]),
                "files": counts["files"], "not read": len(results["unreadable"]), "entries": counts["entries"],
                "nothing to check": counts["nothing-to-check"], "failed": counts["failed"], "MB": counts["most-memory"],
            }
            print(name, jobs, told[f"jobs {jobs}"], flush=True)
            first = first or (seconds, cache, jobs, results)
        seconds, cache, jobs, results = first
        again = []
        for path, lines, brace, entry in edits(project, results, options.edits):
            path.write_text("\n".join(lines[:brace + 1] + ["  volatile int gnomon_edit = 1; (void)gnomon_edit;"] + lines[brace + 1:]), errors="surrogateescape")
            took, after = verify(gnomon, project, cache, jobs, options.rounds)
            again.append((round(took, 1), after["counts"]["attempts"], entry))
            path.write_text("\n".join(lines), errors="surrogateescape")
        if again:
            middle = statistics.median(took for took, _, _ in again)
            told["edits"] = {"median": middle, "share of the first run": round(100 * middle / seconds, 1), "each": again}
        for file in project.rglob("*.c"):
            file.touch()
        took, after = verify(gnomon, project, cache, jobs, options.rounds)
        told["touch"] = {"seconds": round(took, 1), "attempts": after["counts"]["attempts"]}
        largest = max(project.rglob("*.c"), key=lambda file: file.stat().st_size if file.name != "gnomon" else 0)
        text = largest.read_text(errors="surrogateescape")
        largest.write_text("/* a comment\n   of two lines */\n" + text, errors="surrogateescape")
        took, after = verify(gnomon, project, cache, jobs, options.rounds)
        told["comment"] = {"seconds": round(took, 1), "attempts": after["counts"]["attempts"]}
        largest.write_text(text, errors="surrogateescape")
        other = work / "copies" / f"{name}-elsewhere"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(project, other, symlinks=True)
        for file in ["compile_commands.json", "link_commands.json"]:
            path = other / file
            path.write_text(path.read_text().replace(str(project), str(other)))
        took, after = verify(gnomon, other, cache, jobs, options.rounds)
        told["elsewhere"] = {"seconds": round(took, 1), "attempts": after["counts"]["attempts"]}
        for what in ["edits", "touch", "comment", "elsewhere"]:
            print(name, what, told.get(what), flush=True)
        (work / "figures.json").write_text(json.dumps(figures, indent=1))
    if "1" in options.jobs.split(",") and "2" in options.jobs.split(","):
        for name, told in figures.items():
            print(name, "speed-up of two processors:", round(told["jobs 1"]["seconds"] / told["jobs 2"]["seconds"], 2))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Real projects from Debian's sources, from a fresh copy to findings, and what edits cost.

    scripts/campaign_projects.py --work DIR [--projects zlib,lz4,cjson] [--jobs 1,2] [--edits 10] [--rounds 1,4]

Fetches the sources (a private list of `deb-src` below DIR, so nothing of the system changes), builds each project
with its own build system under `gnomon capture`, and runs `gnomon verify` with an empty cache for each number of
jobs. Then functions are edited one at a time, ten by default, and the run after each edit is timed against the first run; after
`touch` and a comment in every function of every file nothing may be checked again; a second copy elsewhere shares the
cache. Prints a table, writes DIR/figures.json, and fails if something was checked again that had not changed.

Beside the time of the clock stands the processor time of a run with all its workers: on a machine that does other work
too, their ratio (`busy`) says how many processors a run had.
"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import time

BUILD = {
    "zlib": "./configure && make libz.a minigzip example",
    "lz4": "make -C lib liblz4.a && make -C programs lz4",
    "cjson": "make static",
    # It wants another version of automake where Debian's patches are younger than what was made of them.
    "bc": "./configure && make AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: -C lib && make AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: -C bc",
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


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verify(gnomon, project, cache, jobs, rounds):
    begin, before = time.time(), processor_time()
    command = [gnomon, "verify", "--quiet", "--fail-on", "never", "--cache", cache, "--jobs", str(jobs), "--rounds", rounds, "."]
    done = run(command, project)
    seconds, used = time.time() - begin, processor_time() - before
    # 3: workers of some units failed, which the table says.
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(map(str, command))} in {project}:\n{done.stdout}")
    results = json.loads((project / ".gnomon/report/results.json").read_text())
    results["used"] = used
    return seconds, results


def functions(project: pathlib.Path):
    """The opening braces of functions in files that are compiled, in an order by chance that is always the same."""
    files = {pathlib.Path(entry["directory"], entry["file"]) for entry in json.loads((project / "compile_commands.json").read_text())}
    found = []
    for path in sorted(files):
        lines = path.read_text(errors="surrogateescape").split("\n")
        for number in range(1, len(lines)):
            before = lines[number - 1].rstrip()
            no_function = before.endswith("=") or re.match(r"(typedef\s+)?(static\s+)?(const\s+)?(struct|union|enum)\b[^(]*$", before)
            alone = lines[number].rstrip() == "{" and not no_function
            behind = re.match(r"[A-Za-z_][\w\s*]*\([^;=]*\)\s*\{\s*$", lines[number]) and not lines[number].startswith(("if", "for", "while", "switch"))
            if alone or behind:
                found.append((path, number))
    random.Random(28).shuffle(found)
    return found


def comment(project: pathlib.Path):
    """A comment above the first line and inside of every function; what was there before, by file."""
    braces = {}
    for path, brace in functions(project):
        braces.setdefault(path, []).append(brace)
    for path, lines in braces.items():
        text = path.read_text(errors="surrogateescape")
        written = text.split("\n")
        for brace in sorted(lines, reverse=True):
            written.insert(brace + 1, "/* a comment")
            written.insert(brace + 2, "   of two lines */")
        path.write_text("/* a comment */\n" + "\n".join(written), errors="surrogateescape")
        yield path, text


def edits(gnomon, project, cache, jobs, rounds, count):
    """Edits one function at a time, until so many edits have changed a unit."""
    idle = 0
    for path, brace in functions(project):
        if count == 0:
            return
        text = path.read_text(errors="surrogateescape")
        lines = text.split("\n")
        lines.insert(brace + 1, "  int gnomon_edit = 1; (void)gnomon_edit;")
        path.write_text("\n".join(lines), errors="surrogateescape")
        seconds, after = verify(gnomon, project, cache, jobs, rounds)
        path.write_text(text, errors="surrogateescape")
        # It is in no unit (or was no function, and the file cannot be read).
        if after["counts"]["attempts"] == 0 or after["unreadable"]:
            idle += 1
            continue
        count -= 1
        yield {"seconds": round(seconds, 1), "processor": round(after["used"], 1), "units": after["counts"]["attempts"],
               "where": f"{path.name}:{brace + 1}", "before it, without a unit": idle}
        idle = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--gnomon", default="target/release/gnomon")
    parser.add_argument("--projects", default="zlib,lz4,cjson")
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
                "seconds": round(seconds, 1), "processor": round(results["used"], 1), "busy": round(results["used"] / seconds, 2),
                "units": counts["units"], "decided": decided,
                "share": round(100 * decided / max(1, counts["units"]), 1), "findings": len(results["findings"]),
                "files": counts["files"], "not read": len(results["unreadable"]), "entries": counts["entries"],
                "nothing to check": counts["nothing-to-check"], "failed": counts["failed"], "MB": counts["most-memory"],
            }
            print(name, jobs, told[f"jobs {jobs}"], flush=True)
            first = first or (seconds, cache, jobs, results)
        seconds, cache, jobs, results = first
        again = []
        for edit in edits(gnomon, project, cache, jobs, options.rounds, options.edits):
            print(name, "edit", edit, flush=True)
            again.append(edit)
        if again:
            middle = statistics.median(edit["seconds"] for edit in again)
            work_middle = statistics.median(edit["processor"] for edit in again)
            told["edits"] = {"median": middle, "share of the first run": round(100 * middle / seconds, 1),
                             "of its processor time": round(100 * work_middle / results["used"], 1), "each": again}
        for file in project.rglob("*.c"):
            file.touch()
        took, after = verify(gnomon, project, cache, jobs, options.rounds)
        told["touch"] = {"seconds": round(took, 1), "attempts": after["counts"]["attempts"]}
        before = dict(comment(project))
        took, after = verify(gnomon, project, cache, jobs, options.rounds)
        told["comment"] = {"seconds": round(took, 1), "attempts": after["counts"]["attempts"], "files": len(before),
                           "not read": len(after["unreadable"])}
        for path, text in before.items():
            path.write_text(text, errors="surrogateescape")
        other = work / "copies" / f"{name}-elsewhere"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(project, other, symlinks=True)
        for file in ["compile_commands.json", "link_commands.json"]:
            path = other / file
            path.write_text(path.read_text().replace(str(project), str(other)))
        took, after = verify(gnomon, other, cache, jobs, options.rounds)
        told["elsewhere"] = {"seconds": round(took, 1), "attempts": after["counts"]["attempts"]}
        for what in ["edits", "touch", "comment", "elsewhere"]:
            print(name, what, {key: value for key, value in told.get(what, {}).items() if key != "each"}, flush=True)
        (work / "figures.json").write_text(json.dumps(figures, indent=1))
    if "1" in options.jobs.split(",") and "2" in options.jobs.split(","):
        for name, told in figures.items():
            one, two = told["jobs 1"], told["jobs 2"]
            print(name, "speed-up of two processors:", round(one["seconds"] / two["seconds"], 2))
    again = [(name, what) for name, told in figures.items() for what in ["touch", "comment", "elsewhere"]
             if told[what]["attempts"] > told["jobs " + options.jobs.split(",")[0]]["failed"]]
    if again:
        raise SystemExit(f"checked again without a change: {again}")


if __name__ == "__main__":
    main()

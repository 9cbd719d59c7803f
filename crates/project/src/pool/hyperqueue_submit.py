"""Speaks to HyperQueue by its Python package, for `gnomon verify --on hyperqueue` where there is no `hq` command.

With --serve, keeps a server with --workers workers, whose files lie in that directory: prints a line when it is
ready, and ends with its standard input. Otherwise hands a batch of --tasks tasks to --server, and waits until
nothing of it is left.
"""

import argparse
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=0)
    parser.add_argument("--server")
    parser.add_argument("--errors")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    try:
        from hyperqueue import Client, Job, LocalCluster
        from hyperqueue.cluster import WorkerConfig
    except ImportError:
        print("the Python package `hyperqueue` is not installed: pip install hyperqueue", file=sys.stderr)
        return 2

    if options.serve:
        with LocalCluster(options.serve) as cluster:
            for _ in range(options.workers):
                cluster.start_worker(WorkerConfig(cores=1))
            print("ready", flush=True)
            sys.stdin.read()
        return 0
    job = Job(max_fails=options.tasks)
    for number in range(options.tasks):
        job.program([*options.command, f"--task={number}"], stdout=None, stderr=f"{options.errors}/{number}")
    client = Client(options.server)
    client.wait_for_jobs([client.submit(job)], raise_on_error=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Hands a batch to HyperQueue by its Python package, and waits until nothing of it is left.

Called by `gnomon verify --on hyperqueue` where there is no `hq` command. With --server, the batch goes to a
server that runs; otherwise a server with --workers workers is started here, and ends with this program.
"""

import argparse
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--server")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    try:
        from hyperqueue import Client, Job, LocalCluster
        from hyperqueue.cluster import WorkerConfig
    except ImportError:
        print("the Python package `hyperqueue` is not installed: pip install hyperqueue", file=sys.stderr)
        return 2

    job = Job(max_fails=options.tasks)
    for number in range(options.tasks):
        job.program([*options.command, f"--task={number}"], stdout=None, stderr=None)

    def run(client) -> None:
        client.wait_for_jobs([client.submit(job)], raise_on_error=False)

    if options.server:
        run(Client(options.server))
        return 0
    with LocalCluster() as cluster:
        for _ in range(options.workers):
            cluster.start_worker(WorkerConfig(cores=1))
        run(cluster.client())
    return 0


if __name__ == "__main__":
    sys.exit(main())

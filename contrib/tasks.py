#!/usr/bin/env python3
"""Task definitions of BenchExec for test programs that say in their first line what is expected.

    contrib/tasks.py DIRECTORY FILE.c ...

For each file `DIRECTORY/NAME.yml` is written, with the expected verdict of the line `// gnomon: true` or
`// gnomon: false`, beside the property file `unreach-call.prp`. Files of which nothing is expected, or whose
error is not a call of `reach_error`, are left out.
"""

import os
import sys

PROPERTY = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
TASK = """format_version: "2.0"
input_files: "{source}"
properties:
  - property_file: unreach-call.prp
    expected_verdict: {expected}
options:
  language: C
  data_model: LP64
"""


def main(directory, files):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "unreach-call.prp"), "w") as out:
        out.write(PROPERTY)
    for file in files:
        with open(file) as text:
            first, rest = text.readline().strip(), text.read()
        expected = {"// gnomon: true": "true", "// gnomon: false": "false"}.get(first)
        if expected is None or "reach_error" not in rest:
            continue
        name = os.path.splitext(os.path.basename(file))[0] + ".yml"
        source = os.path.relpath(file, directory)
        with open(os.path.join(directory, name), "w") as out:
            out.write(TASK.format(source=source, expected=expected))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])

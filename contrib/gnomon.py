"""BenchExec tool-info module for Gnomon.

Put this file beside BenchExec's own modules (benchexec/tools/), or name it in a benchmark definition
with the directory that holds it in PYTHONPATH: <benchmark tool="contrib.gnomon">.
"""

import re

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    """Calls `gnomon check`; the verdict is in the last line of its output."""

    REQUIRED_PATHS = ["."]

    def executable(self, tool_locator):
        return tool_locator.find_executable("gnomon")

    def name(self):
        return "Gnomon"

    def project_url(self):
        return ""

    def version(self, executable):
        # The first line is `gnomon 0.1.0`, the second one names the solver.
        return self._version_from_tool(executable, line_prefix="gnomon ")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", *options]
        if task.property_file:
            command += ["--prp", task.property_file]
        if isinstance(task.options, dict):
            model = task.options.get("data_model")
            if model:
                command += [{"ILP32": "-m32", "LP64": "-m64"}[model]]
        if rlimits.cputime and "--time" not in options:
            command += ["--time", str(max(1, int(rlimits.cputime * 0.9)))]
        if rlimits.memory and "--memory" not in options:
            command += ["--memory", str(int(rlimits.memory / 1_000_000 * 0.9))]
        return [*command, *task.input_files]

    def determine_result(self, run):
        for line in reversed(run.output):
            match = re.fullmatch(r"VERDICT: (TRUE|FALSE|UNKNOWN)(?: \((.*)\))?", line.strip())
            if not match:
                continue
            verdict, reason = match.groups()
            if verdict == "TRUE":
                return result.RESULT_TRUE_PROP
            if verdict == "FALSE":
                return result.RESULT_FALSE_PROP
            if reason and "time limit" in reason:
                return "TIMEOUT"
            if reason and "memory limit" in reason:
                return "OUT OF MEMORY"
            return result.RESULT_UNKNOWN
        if run.exit_code.value == 2:
            return result.RESULT_ERROR + "(bad input)"
        if run.exit_code.value == 4:
            return result.RESULT_ERROR + "(internal)"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """Numbers of `--stats`: `predicates`, `tree nodes`, `seconds, solver, feasibility`."""
        for line in output:
            name, separator, value = line.rpartition(": ")
            if separator and name.strip() == identifier:
                return value.strip()
        return None

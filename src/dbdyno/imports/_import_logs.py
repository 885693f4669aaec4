"""Imports a tree of logs: reads every log, finds each run's cell, prepares all runs, stores them.

Results appear whole or not at all: they are written next to the requested folder, then moved there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dbdyno.core import Run, StoreError, TreeError
from dbdyno.imports._diagnostic import Diagnostic, escaped_line, stored_path
from dbdyno.imports._identity import IdentifiedRun, IdentifiedRuns, identify_runs, repeated
from dbdyno.imports._job import Job, PreparedRun, make_run
from dbdyno.imports._pattern import Pattern
from dbdyno.imports._server_facts import read_settings, stored_value
from dbdyno.imports._study import in_order, study_of, with_lengths, with_rates
from dbdyno.imports._survey import LogSurvey, survey_log
from dbdyno.imports._tool import Tool
from dbdyno.imports._tools import TOOLS
from dbdyno.imports._tree import LOG, TELEMETRY_KINDS, LogTree, TreeFile, scan_tree
from dbdyno.imports._worker_pool import WorkerPool, workers
from dbdyno.store import JsonValue, Results, ResultsWriter
from dbdyno.study import Study, study_text

OnProgress = Callable[[str, int, int], None]
"""Receives what is being done, how much of it is done, and of how much."""
_MOST_TOLD = 1000
_SCRIPT_RE = re.compile(r"\.(?:R|sh|py|html|md)$")
"""Files whose names speak of readings though they hold none."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Holds what is to be imported.

    Parameters
    ----------
    root : folder of the logs
    tool : which wrote them, one of `TOOLS`
    output : results folder to be made
    name : of the study
    patterns : how paths are named; none: known layouts are recognised
    given : fields that hold for all logs
    """

    root: Path
    output: Path
    name: str
    patterns: tuple[Pattern, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    command_line: tuple[str, ...] = ()
    tool: str = "sysbench"


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """Holds what came of an import.

    Parameters
    ----------
    statuses : status -> runs
    diagnostics : everything that could not be read, by path and line
    others_count, asides_count : files of no use here; logs without a run, such as those of `prepare`
    """

    study: Study
    statuses: Mapping[str, int]
    diagnostics: tuple[Diagnostic, ...]
    layouts: tuple[str, ...]
    others_count: int
    asides_count: int

    @property
    def runs_count(self) -> int:
        """Runs stored."""
        return sum(self.statuses.values())


def import_logs(request: ImportRequest, on_progress: OnProgress) -> ImportOutcome:
    """Import a folder of a tool's logs with the files next to them.

    Raises
    ------
    TreeError : no folder, no log in it, or a tier without a unit
    StoreError : the output is there already, or can't be written
    """
    _check_output(request.output)
    tool = TOOLS[request.tool]
    tree = scan_tree(request.root, tool, request.patterns, leave_out=request.output)
    with workers(_size(tree)) as pool:
        surveys = _survey_logs(tree, tool, pool, on_progress)
        identified = identify_runs(tree, tool, surveys, request.patterns, request.given)
        if not identified.runs:
            raise _no_run_error(tool, request.root, identified)
        return _store_runs(
            request, tree, identified, in_order(repeated(with_lengths(with_rates(identified.runs)))), pool, on_progress
        )


def _survey_logs(tree: LogTree, tool: Tool, pool: WorkerPool, on_progress: OnProgress) -> dict[str, LogSurvey]:
    surveys = {}
    logs = tree.of_kind(LOG)
    results = pool.each(partial(survey_log, tool.name), [tree.root / log.path for log in logs], chunk=32)
    for number, (log, survey) in enumerate(zip(logs, results, strict=True), 1):
        surveys[log.path] = survey
        on_progress("searching for logs", number, len(logs))
    return surveys


def _store_runs(
    request: ImportRequest,
    tree: LogTree,
    identified: IdentifiedRuns,
    runs: Sequence[IdentifiedRun],
    pool: WorkerPool,
    on_progress: OnProgress,
) -> ImportOutcome:
    """Prepare every run and write it into a folder next to the output, which is put in place at the end."""
    study = study_of(runs, TOOLS[request.tool], request.name, stored_path(tree.name) or "the root folder")
    jobs = [_import_job(request.tool, tree.root, run, index) for index, run in enumerate(runs)]
    output = request.output.absolute()
    draft = output.with_name(f".{output.name}.importing-{os.getpid()}")
    try:
        results = Results.create(draft, study_text(study), _plan(study, jobs), {}, study_name=study.name)
        summary = _RunSummary([*tree.diagnostics, *identified.diagnostics, *_unused_readings(tree, runs)])
        with results.writing(request.command_line) as writer:
            # Neighbours in the tree share the files of their server, which are then read once.
            neighbouring_jobs = sorted(jobs, key=lambda job: (job.log_path, job.part_index or 0))
            for number, prepared in enumerate(pool.each(make_run, neighbouring_jobs, chunk=24), 1):
                writer.add_packed(prepared.packed)
                summary.take(prepared)
                on_progress("reading runs", number, len(jobs))
            _conclude(writer, request, tree, identified, runs, summary)
        _put_in_place(draft, output)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return ImportOutcome(
        study, summary.statuses, summary.diagnostics, identified.layouts, tree.others_count, identified.asides_count
    )


class _RunSummary:
    """Holds what the runs report in addition to their figures."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._diagnostics = set(diagnostics)
        self.statuses: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()
        self.machines: Counter[tuple[tuple[str, str | int], ...]] = Counter()

    def take(self, made: PreparedRun) -> None:
        self._diagnostics.update(made.diagnostics)
        self.statuses[made.record.status] += 1
        if made.record.imported:
            self.versions[made.record.imported.tool.partition(" ")[2]] += 1
        if made.machine:
            self.machines[tuple(sorted(made.machine.items()))] += 1

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(sorted(self._diagnostics, key=lambda diagnostic: (diagnostic.is_minor, diagnostic)))


def _unused_readings(tree: LogTree, runs: Sequence[IdentifiedRun]) -> list[Diagnostic]:
    """Return readings that no run took: their log is not there, or other readings of the same tool are nearer to it."""
    taken_paths = {path for run in runs for path in run.companion_data.telemetry.values()}
    return [
        Diagnostic(file.path, 1, f"{file.kind} that belongs to no run here: ignored", is_minor=True)
        for file in tree.of_kind(*TELEMETRY_KINDS)
        if file.path not in taken_paths and not _SCRIPT_RE.search(file.path)
    ]


def _import_job(tool: str, root: Path, run: IdentifiedRun, index: int) -> Job:
    planned = Run(run.cell, run.repeat, index, 0, f"imported from {escaped_line(run.log.path)}")
    why_none = run.survey.why_none if run.part_index is None else ""
    return Job(tool, root, run.log.path, run.part_index, planned, run.target, run.companion_data, why_none, run.caveats)


def _plan(study: Study, jobs: Sequence[Job]) -> JsonValue:
    runs: list[JsonValue] = [{"run_id": job.run.run_id, "log": stored_path(job.log_path)} for job in jobs]
    return {"imported": True, "study": study.name, "runs": runs}


def _conclude(
    writer: ResultsWriter,
    request: ImportRequest,
    tree: LogTree,
    identified: IdentifiedRuns,
    runs: Sequence[IdentifiedRun],
    summary: _RunSummary,
) -> None:
    """Write the journal, the machine as far as it is known, and facts of the targets."""
    diagnostics = summary.diagnostics
    rows: list[dict[str, JsonValue]] = [
        {"path": stored_path(c.path), "line": c.line, "text": c.text} for c in diagnostics
    ]
    writer.append_all("not-read", rows[:_MOST_TOLD])
    writer.append(
        "imported",
        origin=stored_path(str(request.root)),
        patterns=[pattern.text for pattern in request.patterns],
        given=dict(request.given),
        layouts=list(identified.layouts),
        runs=sum(summary.statuses.values()),
        not_read=len(diagnostics),
        others=tree.others_count + identified.asides_count,
    )
    if len(summary.machines) == 1:
        writer.write_host({**dict(next(iter(summary.machines))), "told_by": "the heads of iostat and mpstat"})
    versions = [version for version, _ in summary.versions.most_common() if version]
    if versions:
        writer.note_versions({request.tool: ", ".join(escaped_line(version, 40) for version in versions[:5])})
    for target in {run.target.name: run.target for run in runs}.values():
        files = campaign_files(tree, target.family)
        facts = {
            "family": target.family,
            "version": target.version or "not in the logs",
            "storage_engine": target.storage_engine,
        }
        writer.write_engine(target.name, {**facts, **({"option_files": files} if files else {})})


def _check_output(output: Path) -> None:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise StoreError(
            f"{output} already exists",
            "an import writes a new folder",
            "give another folder with -o",
            code="output-exists",
        )


def _put_in_place(draft: Path, output: Path) -> None:
    try:
        if output.is_dir() and output.samefile("."):  # a new folder in its place would not be the shell's any more
            for path in draft.iterdir():
                path.rename(output / path.name)
            draft.rmdir()
            return
        if output.is_dir():
            output.rmdir()
        draft.rename(output)
    except OSError as error:
        raise StoreError(
            f"{output} can't be written", error.strerror or str(error), "give another folder with -o"
        ) from error


def _size(tree: LogTree) -> int:
    total = 0
    for file in tree.files:
        with suppress(OSError):
            total += (tree.root / file.path).stat().st_size
    return total


def _no_run_error(tool: Tool, root: Path, identified: IdentifiedRuns) -> TreeError:
    first_problem = min(identified.diagnostics, default=None)
    reason = (
        f"the first of {len(identified.diagnostics)} problems: {first_problem}"
        if first_problem
        else "no file in it looks like one"
    )
    if root.is_file() and not first_problem:
        reason = f"the file has no line that {tool.title} prints"
        remedy = (
            "name a log, or the folder with the logs; dbdyno judge takes a table of throughput per second of any tool"
        )
        return TreeError(f"{escaped_line(str(root))} is no log of {tool.title}", reason, remedy, code="no-runs")
    what = f"no run of {tool.title} in {escaped_line(str(root))}"
    return TreeError(what, reason, "name the folder with the logs", code="no-runs")


_FOLDERS = frozenset({"config", "configs", "conf", "cnf"})
_STEMS = {"mysql": re.compile(r"my(?:sql)?[-_.\d]*"), "mariadb": re.compile(r"maria(?:db)?[-_.\d]*")}
_STEMS |= {"percona": re.compile(r"(?:ps|percona(?:-server)?)[-_.\d]*")}


def campaign_files(tree: LogTree, family: str) -> list[JsonValue]:
    """Return option files of a family with what they say. Which runs were started with them is unknown."""
    return [_option_file_facts(tree, file) for file in tree.of_kind("option-file") if _is_option_file_of(file, family)]


def _is_option_file_of(file: TreeFile, family: str) -> bool:
    pattern = _STEMS.get(family)
    is_apart = file.folder.rpartition("/")[2].lower() in _FOLDERS
    return is_apart and pattern is not None and pattern.fullmatch(file.stem.rpartition("/")[2].lower()) is not None


def _option_file_facts(tree: LogTree, file: TreeFile) -> JsonValue:
    settings = read_settings(tree.root.resolve(), file.path, "option-file")
    options: dict[str, JsonValue] = {
        option.name: stored_value(option.name, option.value) for option in settings.options
    }
    return {"path": stored_path(file.path), "sha256": settings.sha256, "options": options}

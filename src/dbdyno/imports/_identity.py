"""Assigns every run of a tree to its cell: target, memory, threads, workload, route, repeat."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.core import Caveat, Cell, format_bytes
from dbdyno.imports._companion_files import CompanionFiles, FileIndex
from dbdyno.imports._diagnostic import Diagnostic, escaped_line
from dbdyno.imports._fields import (
    LONGEST_NAME,
    Fields,
    TargetIdentity,
    path_fields,
    route_of,
    target_of,
    tier_bytes,
    workload_of,
)
from dbdyno.imports._pattern import Pattern
from dbdyno.imports._run import PartFacts
from dbdyno.imports._server_facts import identity_of, read_settings
from dbdyno.imports._survey import LogSurvey
from dbdyno.imports._tool import Tool
from dbdyno.imports._tree import LOG, LogTree, TreeFile


@dataclass(frozen=True, slots=True)
class IdentifiedRun:
    """Describes a run and where it belongs.

    Parameters
    ----------
    part_index : which run of its log; None: the log holds none, and its name alone says what it should be
    repeat : from 1; 0 while it is not given out
    """

    log: TreeFile
    survey: LogSurvey
    part_index: int | None
    cell: Cell
    target: TargetIdentity
    companion_data: CompanionFiles
    repeat: int = 0
    rate_per_s: int | None = None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class IdentifiedRuns:
    """Holds all runs of a tree.

    Parameters
    ----------
    layouts : names of the layouts that were recognised
    asides_count : files that look like logs and hold nothing to import, such as those of `prepare`
    """

    runs: tuple[IdentifiedRun, ...]
    diagnostics: tuple[Diagnostic, ...]
    layouts: tuple[str, ...]
    asides_count: int


def identify_runs(
    tree: LogTree, tool: Tool, surveys: Mapping[str, LogSurvey], patterns: Sequence[Pattern], given: Mapping[str, str]
) -> IdentifiedRuns:
    """Put every run of the logs into its cell.

    Raises
    ------
    TreeError : a pattern gives a tier without a unit
    """
    finder = _Finder(tree, tool, patterns, given)
    for log in tree.of_kind(LOG):
        finder.take(log, surveys[log.path])
    return finder.found()


class _Finder:
    """Goes from log to log; what it can't place it complains about."""

    def __init__(self, tree: LogTree, tool: Tool, patterns: Sequence[Pattern], given: Mapping[str, str]) -> None:
        self._root = tree.root.resolve()
        self._tree_name = tree.name
        self._tool = tool
        self._patterns = patterns
        self._given = given
        self._shelf = FileIndex(tree, [companion.kind for companion in tool.companions])
        self._runs: list[IdentifiedRun] = []
        self._diagnostics: list[Diagnostic] = []
        self._layouts: Counter[str] = Counter()
        self._asides = 0

    def take(self, log: TreeFile, survey: LogSurvey) -> None:
        """Take one log with all its runs."""
        fields = path_fields(self._root, log.path, self._patterns, self._given)
        if survey.problem:
            self._report(log, 1, survey.problem)
        elif not survey.parts:
            self._add_log_without_run(log, survey, fields)
        elif self._patterns and not fields.fits:
            self._report(log, 1, f"a {self._tool.title} log whose path matches no pattern: left out")
        else:
            self._layouts[fields.layout] += 1
            self._check_versions(log, survey.parts)
            for index, part in enumerate(survey.parts):
                self._add_run(log, survey, fields, index, part)

    def found(self) -> IdentifiedRuns:
        """Return all that was placed, repeats not numbered yet."""
        runs = _remove_copies([_identify_by_log(run) for run in _distinguish_by_name(self._runs)], self._diagnostics)
        layouts = tuple(name for name in self._layouts if name)
        return IdentifiedRuns(
            tuple(_add_version_caveats(runs, self._tool)), tuple(self._diagnostics), layouts, self._asides
        )

    def _add_log_without_run(self, log: TreeFile, survey: LogSurvey, fields: Fields) -> None:
        threads = fields.values.get("threads", "")
        if fields.fits and threads and int(threads):
            self._report(log, survey.line, survey.why_none)
            self._add_run(log, survey, fields, None, None)
        elif survey.why_none.startswith(("the log is empty", "no run in it: ")):
            self._report(log, survey.line, survey.why_none)
        else:
            self._asides += 1

    def _add_run(
        self, log: TreeFile, survey: LogSurvey, fields: Fields, index: int | None, part: PartFacts | None
    ) -> None:
        values = fields.values
        path_threads = int(values["threads"]) if values.get("threads") else None
        log_threads = part.threads if part else None
        line = part.first_line if part else 1
        if log_threads and path_threads and log_threads != path_threads:
            self._report(
                log, line, f"the name has {path_threads} threads, the log {log_threads}: dbdyno uses the log's"
            )
        threads = log_threads or path_threads
        if not threads:
            self._report(log, line, "neither the log nor its name has the number of threads: left out")
            return
        head = part.head if part else None
        companion_data = self._shelf.companion_data(log)
        variables = self._companion_values(companion_data, "variables")
        target = self._identify_target(log, values, companion_data, variables)
        tier, caveats = _memory_tier(values, variables)
        cell = Cell(target.name, tier, threads, workload_of(values, head), route_of(values, head))
        repeat = int(values["repeat"]) if values.get("repeat") else 0
        rate = head.rate_per_s if head else None
        identified_run = IdentifiedRun(log, survey, index, cell, target, companion_data, repeat, rate or None, caveats)
        self._runs.append(identified_run)

    def _identify_target(
        self, log: TreeFile, values: Mapping[str, str], companion_data: CompanionFiles, variables: Mapping[str, str]
    ) -> TargetIdentity:
        summary = companion_data.settings.get("summary", "")
        text = read_settings(self._root, summary, "summary").text if summary and not variables else ""
        fallback = log.folder or self._tree_name or "the logs"
        server = identity_of(variables, text)
        return target_of(values, server, fallback, variables.get("default_storage_engine", ""))

    def _companion_values(self, companion_data: CompanionFiles, kind: str) -> Mapping[str, str]:
        path = companion_data.settings.get("variables", "") if kind == "variables" else ""
        return (read_settings(self._root, path, "variables").values or {}) if path else {}

    def _check_versions(self, log: TreeFile, parts: Sequence[PartFacts]) -> None:
        first_version = parts[0].head.version
        for part in parts[1:]:
            if part.head.version != first_version:
                text = (
                    f"{self._tool.title} {part.head.version or 'of unknown version'} here, "
                    f"{first_version or 'unknown'} above"
                )
                self._report(log, part.first_line, f"{text}: two versions in one log")

    def _report(self, log: TreeFile, line: int, text: str) -> None:
        self._diagnostics.append(Diagnostic(log.path, line, text))


def _memory_tier(values: Mapping[str, str], variables: Mapping[str, str]) -> tuple[int, tuple[Caveat, ...]]:
    """Return memory of the tier by name, else by the server's own buffer pool; a caveat if both differ."""
    named = tier_bytes(values)
    pool_text = variables.get("innodb_buffer_pool_size", "")
    pool = int(pool_text) if pool_text.isascii() and pool_text.isdigit() and len(pool_text) < 19 else 0
    if named and pool and abs(pool / named - 1) > 0.1:
        text = f"named a tier of {format_bytes(named)}, but the server's buffer pool is {format_bytes(pool)}"
        return named, (Caveat("tier-differs", text),)
    return named or pool, ()


def _distinguish_by_name(runs: Sequence[IdentifiedRun]) -> list[IdentifiedRun]:
    """Make each log its own target if logs share a folder and a cell and only their names tell them apart."""
    unnamed_runs = [
        run for run in runs if run.target.name == (run.log.folder or run.target.name) and run.part_index is not None
    ]
    logs_of: dict[Cell, set[str]] = defaultdict(set)
    for run in unnamed_runs:
        logs_of[run.cell].add(run.log.path)
    shared_folders = {
        run.log.folder for run in unnamed_runs if len(logs_of[run.cell]) > 1 and run.target.family == "unknown"
    }
    return [
        _rename_target(run, escaped_line(run.log.path, LONGEST_NAME))
        if run.log.folder in shared_folders and run.target.family == "unknown"
        else run
        for run in runs
    ]


def _identify_by_log(run: IdentifiedRun) -> IdentifiedRun:
    """Identify family and version by the log, where no name and no dump does.

    They name no target: logs of a server with two storage engines say the same.
    """
    head = None if run.part_index is None else run.survey.parts[run.part_index].head
    if head is None or run.target.family != "unknown" or not head.family:
        return run
    target = replace(run.target, family=head.family, version=run.target.version or head.server_version)
    return replace(run, target=target)


def _rename_target(run: IdentifiedRun, name: str) -> IdentifiedRun:
    return replace(run, cell=replace(run.cell, target=name), target=replace(run.target, name=name))


def _remove_copies(runs: Sequence[IdentifiedRun], diagnostics: list[Diagnostic]) -> list[IdentifiedRun]:
    """Remove copies of a log in the same cell: they are no repeats. The same bytes in another cell earn a caveat."""
    first_by_cell: dict[tuple[Cell, str, int | None], IdentifiedRun] = {}
    first_anywhere: dict[tuple[str, int | None], IdentifiedRun] = {}
    kept_runs = []
    for run in runs:
        key = (run.survey.sha256, run.part_index)
        if run.part_index is None:
            kept_runs.append(run)
        elif (run.cell, *key) in first_by_cell:
            if run.part_index == 0:
                original_path = first_by_cell[(run.cell, *key)].log.path
                diagnostics.append(
                    Diagnostic(run.log.path, 1, f"a copy of {original_path}, not a further repeat: left out")
                )
        else:
            first_by_cell[(run.cell, *key)] = run
            twin = first_anywhere.setdefault(key, run)
            kept_runs.append(
                run if twin is run else _with_caveat(run, "same-bytes", f"its log is a copy of {twin.log.path}")
            )
    return kept_runs


def _add_version_caveats(runs: Sequence[IdentifiedRun], tool: Tool) -> list[IdentifiedRun]:
    """Add a caveat for runs of another version of the tool than most: versions differ."""
    versions = Counter(_tool_version(run) for run in runs if _tool_version(run))
    if len(versions) < 2:
        return list(runs)
    usual_version = versions.most_common(1)[0][0]
    text = f"{tool.title} {{}}, while most runs are of {usual_version}: {tool.versions_differ}"
    return [
        _with_caveat(run, "mixed-versions", text.format(_tool_version(run)))
        if _tool_version(run) not in ("", usual_version)
        else run
        for run in runs
    ]


def _tool_version(run: IdentifiedRun) -> str:
    return "" if run.part_index is None else run.survey.parts[run.part_index].head.version


def _with_caveat(run: IdentifiedRun, code: str, text: str) -> IdentifiedRun:
    return replace(run, caveats=(*run.caveats, Caveat(code, text)))


def repeated(runs: Sequence[IdentifiedRun]) -> tuple[IdentifiedRun, ...]:
    """Number repeats by cell, in the order of paths, as far as names don't give them."""
    taken_numbers: dict[Cell, set[int]] = defaultdict(set)
    named_runs = []
    for run in runs:
        number = run.repeat
        if number in taken_numbers[run.cell]:
            number = 0
        taken_numbers[run.cell].add(number)
        named_runs.append(replace(run, repeat=number))
    numbered_runs = []
    for run in named_runs:
        number = run.repeat or next(n for n in range(1, len(runs) + 1) if n not in taken_numbers[run.cell])
        taken_numbers[run.cell].add(number)
        numbered_runs.append(replace(run, repeat=number))
    return tuple(numbered_runs)

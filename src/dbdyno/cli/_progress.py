"""Shows a study while it runs: a live view in a terminal, one line per finished run elsewhere, or nothing."""

from __future__ import annotations

import textwrap
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from dbdyno import lab
from dbdyno.analyse import course_words, verdict_words
from dbdyno.audit import Finding, what
from dbdyno.audit.studies import align_study, audit_study, inspected_set
from dbdyno.cli._console import PlainConsole
from dbdyno.cli._format import duration_words, sparkline, tps_words
from dbdyno.core import (
    ResultComparison,
    Run,
    RunRecord,
    counted,
    format_bytes,
    format_duration,
    format_memory,
    percent,
    verb_for,
)
from dbdyno.plan import Plan
from dbdyno.store import Results, StoredRun
from dbdyno.study import AuditStop, Study

_GRAVE = ("critical", "high")
_FINDING_COLUMNS = 400
"""Letters shown of a finding: definitions of ten tables would fill a screen."""
_ABOUT_EVIDENCE = "evidence-captured-too-early"
"""Asks whether dumps saw the load. Before the first run none can have, and that is no difference."""
_STOPPING = {"never": (), "critical": ("critical",), "high": _GRAVE}


def auditor(stop_at: AuditStop) -> lab.Auditor:
    """Judges servers by all rules; findings of `stop_at` and graver ones stop the study."""

    def judge(results: Results, study: Study, inspections: Sequence[StoredRun]) -> lab.ServersAudited:
        sets = [inspected_set(results, study, inspections)]
        result = audit_study(study, sets)
        findings = [finding for finding in result.findings if finding.rule.rule_id != _ABOUT_EVIDENCE]
        outcomes = align_study(study, sets, findings).outcomes
        fixable_ids = {outcome.finding.rule.rule_id for outcome in outcomes if not outcome.is_left}
        cell = inspections[0].record.run.cell
        return lab.ServersAudited(
            place=f"{cell.workload}, {format_memory(cell.tier_bytes)}, {cell.route}",
            targets=tuple(stored_run.record.run.cell.target for stored_run in inspections),
            findings=tuple(_audit_finding_event(finding, fixable_ids) for finding in findings),
            undecided_count=len(result.with_outcome("undecided")),
            stops=any(finding.severity in _STOPPING[stop_at] for finding in findings),
        )

    return judge


def _audit_finding_event(finding: Finding, fixable_ids: Collection[str]) -> lab.AuditFinding:
    rule = finding.rule
    is_fixable = rule.rule_id in fixable_ids
    return lab.AuditFinding(
        rule.rule_id, finding.severity, what(finding), finding.favours, finding.remedy, is_fixable=is_fixable
    )


def audit_lines(audited: lab.ServersAudited) -> Iterator[str]:
    """Yield counts in one line, then a line for each grave finding."""
    grave_findings = [finding for finding in audited.findings if finding.severity in _GRAVE]
    lesser_count = len(audited.findings) - len(grave_findings)
    counts = [
        f"{number} {severity}"
        for severity in _GRAVE
        if (number := sum(f.severity == severity for f in audited.findings))
    ]
    words = " and ".join(
        [", ".join(counts) or "no critical or high finding", *([f"{lesser_count} lesser"] if lesser_count else [])]
    )
    undecided_words = f", {counted(audited.undecided_count, 'rule')} undecided until the first run"
    yield f"  {'✘' if grave_findings else '✔'} audit of the servers at {audited.place}: {words}{undecided_words}"
    for finding in grave_findings:
        words = textwrap.shorten(finding.words, _FINDING_COLUMNS, placeholder=" … (the report has all)")
        yield f"      {finding.severity}: {words}. Favours {finding.favours}  [{finding.rule_id}]"
        if not finding.is_fixable:
            yield f"        {finding.remedy}"
    if grave_findings and not audited.stops:
        yield f"      {_advice(grave_findings)}"


def _advice(findings: Sequence[lab.AuditFinding]) -> str:
    """Return what can be done about grave differences."""
    fixable_count = sum(finding.is_fixable for finding in findings)
    if not fixable_count:
        objects = "this" if len(findings) == 1 else "these"
        return f"no setting removes {objects}: the study goes on, and the report says more under Fairness"
    which = "without" if fixable_count == len(findings) else f"without {fixable_count} of"
    return f"Ctrl-C ends it here; dbdyno audit --fix writes a study {which} these differences"


_MARKS = {"good": "✔", "suspect": "?", "failed": "✘", "skipped": "-", "missing": "-"}
_BAR_CELLS = 28


@dataclass(frozen=True, slots=True)
class ShownStudy:
    """States what the display needs to know of the study whose progress it shows.

    Parameters
    ----------
    run_ns : what one run is expected to take, for the first estimate of the time left
    has_workloads : whether the study has several workloads, so that each run names its own
    """

    run_ns: int
    has_workloads: bool = False

    @classmethod
    def of(cls, study: Study, plan: Plan) -> ShownStudy:
        """Return it for a study and its whole plan."""
        return cls(plan.budget.run_ns, len(study.workloads) > 1)

    def run_words(self, run: Run) -> str:
        """Return which run it is."""
        cell = run.cell
        words = [cell.target, format_memory(cell.tier_bytes), counted(cell.concurrency, "connection")]
        words += [cell.workload] if self.has_workloads else []
        return " · ".join([*words, cell.route, run.repeat_words])


@contextmanager
def progress(shown: ShownStudy, *, quiet: bool) -> Iterator[lab.OnEvent]:
    """Yield the function that receives events."""
    console = PlainConsole(stderr=True, soft_wrap=not quiet)
    if quiet:
        yield _ignore_event
    elif not console.is_terminal:
        yield PlainLines(console, shown).on_event
    else:
        view = LiveView(console, shown)
        with Live(view, console=console, refresh_per_second=4, transient=True):
            yield view.on_event


def _ignore_event(event: lab.Event) -> None:
    """Ignore an event, in quiet mode."""


class PlainLines:
    """Prints one line for everything that is done; lines stay, so a log can be read later."""

    def __init__(self, console: Console, shown: ShownStudy, prefix: str = "") -> None:
        self._console, self._shown, self._prefix = console, shown, prefix
        self._rows_told = 0.0

    def on_event(self, event: lab.Event) -> None:
        """Print the event's line, if it has one."""
        if isinstance(event, lab.FillAdvanced):
            line = self._fill_progress_line(event)
        elif isinstance(event, lab.ConditionAwaited | lab.FillAwaited):
            line = f"  … {event.words}"
        else:
            line = done_line(event, self._shown)
        if line:
            self._console.print(Text(f"{self._prefix}{line}"))

    def _fill_progress_line(self, event: lab.FillAdvanced) -> str:
        """Return a line every ten seconds, which is enough for a log."""
        if time.monotonic() - self._rows_told < 10 or event.rows_done == 0:
            return ""
        self._rows_told = time.monotonic()
        return f"  … {event.target}: {event.phase} {event.rows_done:,} of {event.rows_total:,} rows"


class LiveView:
    """Prints finished things, which scroll up and stay; redraws the run under way below them."""

    def __init__(self, console: Console, shown: ShownStudy, prefix: str = "") -> None:
        self._console, self._shown, self._prefix = console, shown, prefix
        self._doing = "getting ready"
        self._run: lab.RunStarted | None = None
        self._phase = ""
        self._second: lab.SecondMeasured | None = None
        self._tps: deque[float] = deque(maxlen=24)
        self._errors = 0
        self._done = self._total = self._done_here = 0
        self._first_run_at: float | None = None
        self._last_end_at: float | None = None

    def on_event(self, event: lab.Event) -> None:
        """Take in an event; what it finishes is printed above the live part."""
        line = done_line(event, self._shown)
        if line:
            self._console.print(Text(f"{self._prefix}{line}"))
        match event:
            case lab.StudyStarted():
                self._done, self._total = event.runs_done, event.runs_total
            case lab.FurtherRepeats():
                self._total += event.runs
            case lab.RunStarted():
                self._start_run(event)
            case lab.RunPhaseEntered():
                self._phase, self._doing = event.phase, ""
            case lab.SecondMeasured():
                self._second = event
                self._tps.append(event.tps)
                self._errors += event.errors
            case lab.RunFinished():
                self._run = None
                self.count_run()
            case lab.BenchLost():
                self._run, self._doing = None, ""
            case _:
                self._doing = lab.activity_words(event) or self._doing

    def _start_run(self, event: lab.RunStarted) -> None:
        self._run, self._second, self._doing = event, None, ""
        self._tps.clear()
        self._errors = 0
        self.begin_run()

    def __rich__(self) -> RenderableType:
        """Return the part that is redrawn."""
        if self._run is None:
            return self.run_lines()
        return Group(self.run_lines(), self.bar())

    def run_lines(self) -> RenderableType:
        """Return the run under way, or what is done before it. Another thread draws than takes in events."""
        run = self._run
        if run is None:
            words = f"{self._prefix}  … {self._doing}"
            return Text(words, overflow="ellipsis", no_wrap=True) if self._doing else Text("")
        number = f"run {run.number}/{run.runs_total}"
        load = [Text(line) for line in self._load_line().splitlines()]
        words = self._shown.run_words(run.run)
        lines = [Text(f"\n{self._prefix}  {number:<11} {words}"), *load]
        if self._doing:
            lines.insert(2, Text(f"  {self._doing}"))
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
        return Group(*lines)

    def _load_line(self) -> str:
        second = self._second
        if second is None:
            return f"  {self._phase or 'start'} …"
        p95 = "" if second.p95_ns is None else f"   p95 {second.p95_ns / 1e6:.1f} ms"
        use_words = "" if second.client_use_share is None else f"   client {100 * second.client_use_share:.0f} %"
        count = f"/{second.seconds_count}" if second.seconds_count else ""  # a search ends when it has its answer
        is_adaptive = second.course is not None
        clock = f"{second.phase} {second.second:>2}{count} s" + (" at most" if is_adaptive and count else "")
        verdict = verdict_words(second.course) if second.course is not None else ""
        line = (
            f"  {clock:<15} {sparkline(self._tps)}   {tps_words(second.tps)} tps{p95}{use_words}   "
            f"{self._errors} errors"
        )
        return f"{line}\n  {verdict}" if verdict else line

    def begin_run(self) -> None:
        """Take note that a run has begun, here or in another view."""
        if self._first_run_at is None:
            self._first_run_at = time.monotonic()
        self._total = max(self._total, self._done + 1)  # resumed within a further round, whose size is not known

    def count_run(self) -> None:
        """Count a run that is stored, here or in another view.

        Its number in the plan does not say how many are stored: a failed run is made again after later ones.
        """
        self._last_end_at = time.monotonic()
        self._done, self._done_here = self._done + 1, self._done_here + 1
        self._total = max(self._total, self._done)

    def bar(self) -> Text:
        """Return how far the study is, and how long the rest takes."""
        done, total = self._done, self._total
        share = min(done / max(total, 1), 1.0)
        filled_cells = round(share * _BAR_CELLS)
        left_ns = self._remaining_ns(max(total - done, 0))
        bar = "█" * filled_cells + "░" * (_BAR_CELLS - filled_cells)
        words = f"  {bar} {100 * share:3.0f} %   {duration_words(left_ns)} left"
        return Text(words, no_wrap=True, overflow="ellipsis")

    def _remaining_ns(self, runs: int) -> int:
        """Return how long these runs take if they take what the others took, less what the one under way has taken."""
        first_run_at, last_end_at, done_here = self._first_run_at, self._last_end_at, self._done_here
        run_s, begun_at = self._shown.run_ns / 1e9, first_run_at
        if first_run_at is not None and last_end_at is not None and done_here:
            run_s, begun_at = (last_end_at - first_run_at) / done_here, last_end_at
        elapsed_s = 0.0 if begun_at is None else min(time.monotonic() - begun_at, run_s)
        return round(max(runs * run_s - elapsed_s, 0.0) * 1e9)


def done_line(event: lab.Event, shown: ShownStudy) -> str:
    """Return the line that stays of an event; empty for events that only show movement."""
    match event:
        case lab.StudyStarted():
            return f"  resuming: {event.runs_done} of {event.runs_total} runs are stored" if event.runs_done else ""
        case lab.OrphansRemoved():
            return f"  cleaned up after an earlier run: {', '.join(event.what)}"
        case lab.PasswordExposed():
            return (
                f"  warning: every user of this machine can read or change the password of server '{event.server}': "
                f"{event.file} has mode {event.mode:04o}; chmod 600 {event.file}"
            )
        case lab.OrphansRemain():
            return "  some could not be removed in time; the next study or `dbdyno clean --remove` does it"
        case lab.OthersRunning():
            server_lines = "\n".join(f"    {line}" for line in event.what)
            return f"  other dbdyno servers run on this machine (`dbdyno clean` lists them):\n{server_lines}"
        case lab.EngineReady():
            note = f"   {event.note}" if event.note else ""
            return f"  ✔ {event.target:<24} {event.title}, {event.source}{note}"
        case lab.DatasetReady():
            source_words = "from the snapshot" if event.reused else f"filled in {format_duration(event.fill_ns)}"
            size = f", {format_bytes(event.bytes)}" if event.bytes is not None else ""
            return f"  ✔ {event.target:<24} {event.rows_total:,} rows{size}, {source_words}"
        case lab.DatasetsEqual():
            return (
                f"  ✔ {event.dataset}: checksums equal on {event.targets_count} targets"
                if event.targets_count > 1
                else ""
            )
        case lab.ServersAudited():
            return "\n".join(audit_lines(event))
        case lab.ResultsCompared():
            return "\n".join(_results_lines(event.comparison))
        case lab.FurtherRepeats():
            verb = verb_for(event.sure_count, "is", "are")
            precise_words = f"{event.sure_count} of {counted(event.cell_count, 'cell')} {verb} precise enough"
            runs_words = counted(event.runs, "more run")
            further_words = f"{runs_words} (repeat {event.repeat})" if event.runs else "no further repeats"
            return f"  {precise_words}: {further_words}"
        case lab.BenchReady(facts):
            processors, memory = facts.get("logical_cpu_count"), facts.get("memory_bytes")
            size = f", {format_bytes(memory)}" if isinstance(memory, int) else ""
            processors_words = counted(processors, "processor") if isinstance(processors, int) else "processors unknown"
            return f"  ✔ {facts.get('hostname')}: {processors_words}{size}"
        case lab.BenchLost(reason):
            return f"  ✘ no longer used: {reason}"
        case lab.TargetFailed():
            return f"  ✘ {event.target:<24} {event.reason}"
        case lab.RunFinished():
            return _run_line(event.record, event.number, event.runs_total, shown.run_words(event.record.run))
        case _:
            return ""


def _results_lines(comparison: ResultComparison) -> Iterator[str]:
    words = f"{comparison.workload}: results of the same {comparison.events_count:,} events"
    if comparison.targets_count > 1 and not comparison.unlike:
        yield f"  ✔ {words} equal on {comparison.targets_count} targets"
    for target, difference in comparison.unlike.items():
        yield f"  ✘ {words} differ on {target}: {difference}"
    for target, reason in comparison.unknown.items():
        yield f"  ✘ {words} are not known of {target}: {reason.splitlines()[0]}"


def _noise_words(share: float) -> str:
    return f" ± {percent(share, 1)}" if share < 1 else " (too noisy for an interval)"


def _run_line(record: RunRecord, number: int, total: int, words: str) -> str:
    mark = _MARKS[record.status]
    head = f"  {mark} {number:>3}/{total}  {words:<62}"
    if record.figures.tps_mean is None:
        return f"{head} {record.status}: {record.reason.splitlines()[0] if record.reason else ''}"
    half_width, level = record.level_half_width, record.level_tps or record.figures.tps_mean
    noise = "" if half_width is None or level <= 0 else _noise_words(half_width / level)
    p95_ns = record.figures.latency_ns.p95 if record.figures.latency_ns else None
    p95 = f"   p95 {p95_ns / 1e6:.1f} ms" if p95_ns is not None else ""
    use_words = f"   client {percent(record.cpu.client_use_share)}" if record.cpu.client_use_share is not None else ""
    reason = f"   {record.status}: {record.reason.splitlines()[0]}" if record.status != "good" and record.reason else ""
    course = f"\n{'':<13}{course_words(record.course)}" if record.course is not None else ""
    return f"{head} {tps_words(level):>8} tps{noise}{p95}{use_words}{reason}{course}"

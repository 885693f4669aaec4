"""Tests the machine, the build, the order and the time."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from dbdyno.audit._effective import effective
from dbdyno.audit._normalise import switch
from dbdyno.audit._reading import SourcedValue, known, missing
from dbdyno.audit._target import AuditTarget, version_numbers
from dbdyno.audit._verdict import Groups, Question, RuleVerdict, decide, grouped, labelled, not_applicable, undecided
from dbdyno.audit.predicates._generic import compare_inputs, fact_missing, on_some, spoken_differences
from dbdyno.core import short_percent
from dbdyno.engines import parse_version

_CONTAINER_RE = re.compile(r"[0-9a-f]{12}|localhost(\..*)?|<.*>|")
_DISTRIBUTION_RE = re.compile(r"(ubu\d{4}|ubuntu\d*\.?\d\d\.\d\d|deb\d+(?:u\d+)?|\bel\d+|\bfc\d+|\bamzn\d+)")
_STAGES = re.compile(r"(?<![a-z])(alpha|beta|rc|dmr|m\d+|labs|er|preview|debug)\d*(?![a-z])", re.IGNORECASE)
_PRIVATE_RE = re.compile(r"source distribution|debug|private|custom|self[- ]built", re.IGNORECASE)


def hosts(question: Question) -> RuleVerdict:
    """Check that targets ran on one machine."""
    return spoken_differences({target.name: machine(target) for target in question.targets})


def machine(target: AuditTarget) -> SourcedValue:
    """Return the machine that a target ran on; names that containers give themselves are none."""
    for name in ("machine_id", "name"):
        if fact := target.fact("host", name):
            return known(str(fact))
    for text in (target.variable("hostname") or "", (target.facts.summary or {}).get("hostname", "")):
        if names_machine(text):
            return known(text)
    return missing("name of the machine")


def names_machine(text: str) -> bool:
    """Return whether a host's name is that of a machine, not one that a container gave itself.

    >>> names_machine("node1.example.com"), names_machine("3f2a9c01d4e5"), names_machine("localhost")
    (True, False, False)
    """
    return not _CONTAINER_RE.fullmatch(text)


def run_order(question: Question) -> RuleVerdict:
    """Runs are repeated and interleaved; a single target has nothing that a drift could put it ahead of or behind."""
    if len(question.targets) < 2:
        return not_applicable("a single target")
    starts = {target.name: target.fact("run", "start_times") for target in question.targets}
    lacks = {name: "start times of the runs (run:start_times)" for name, times in starts.items() if not times}
    if lacks:
        return undecided(lacks)
    single_runs = [(name, "one run") for name, times in starts.items() if len(times) < 2]
    if single_runs:
        return decide(labelled(single_runs), {})
    order = [name for _, name in sorted((time, name) for name, times in starts.items() for time in times)]
    changes = sum(previous != following for previous, following in pairwise(order))
    blocks = changes == len(starts) - 1 and len(starts) > 1
    return decide(labelled((name, "all runs in one block") for name in starts) if blocks else {}, {})


def builds(question: Question) -> RuleVerdict:
    """Check that builds differ by vendor and version alone."""
    suffixes = grouped((target.name, _distribution(target)) for target in question.targets)
    differences: dict[str, Groups] = {}
    known_inputs = [
        name for name in ("host:base_image", "host:compiler", "host:optimisation") if _is_fact_known(question, name)
    ]
    verdict = compare_inputs(question, ("variables:version_compile_machine", *known_inputs))
    differences.update(verdict.values)
    private = labelled((t.name, t.variable("version_comment") or "") for t in question.targets if _is_private(t))
    if private and len([n for names in private.values() for n in names]) < len(question.targets):
        differences["variables:version_comment"] = private
    if not differences:
        return decide(suffixes if len(suffixes) > 1 else {}, verdict.lacks, "inferred" if len(suffixes) > 1 else "read")
    if len(suffixes) > 1:
        differences["distribution"] = suffixes
    return decide(differences, verdict.lacks, "inferred" if len(suffixes) > 1 else "read")


def _is_fact_known(question: Question, name: str) -> bool:
    return any(target.fact("host", name.partition(":")[2]) is not None for target in question.targets)


def _distribution(target: AuditTarget) -> SourcedValue:
    match = _DISTRIBUTION_RE.search((target.variable("version") or target.facts.version).lower())
    if match is None:
        return SourcedValue("not offered")
    ubuntu = re.fullmatch(r"ubuntu\d*?\.?(\d\d)\.(\d\d)", match[1])
    return known(f"ubu{ubuntu[1]}{ubuntu[2]}" if ubuntu else re.sub(r"(deb\d+)u\d+", r"\1", match[1]))


def _is_private(target: AuditTarget) -> bool:
    return bool(_PRIVATE_RE.search(target.variable("version_comment") or ""))


def maturity(question: Question) -> RuleVerdict:
    """Check that all releases are of one stage."""
    stages = {target.name: _release_stage(target) for target in question.targets}
    unfinished_releases = [(name, stage) for name, stage in stages.items() if stage]
    return decide(
        labelled(unfinished_releases) if unfinished_releases and len(unfinished_releases) < len(stages) else {}, {}
    )


def _release_stage(target: AuditTarget) -> str:
    """Return what a release calls itself if it is not finished; empty if it is."""
    words = (target.variable("version") or target.facts.version), target.variable("version_comment") or ""
    for text in words:
        if match := _STAGES.search(text):
            return match[1].lower()
    numbers = version_numbers(target)
    for row in _first_releases():
        first_version = parse_version(row["first"])
        if (
            target.family in row["families"]
            and numbers[: len(first_version) - 1] == first_version[:-1]
            and numbers < first_version
        ):
            return f"before {row['first']}"
    later_series = target.family == "mariadb" and len(numbers) > 2 and numbers[:2] >= (10, 7)
    return f"before {numbers[0]}.{numbers[1]}.2" if later_series and numbers[2] < 2 else ""


@functools.cache
def _first_releases() -> tuple[dict[str, str], ...]:
    text = (Path(__file__).parents[1] / "data" / "first_releases.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["release"])


def background_work(question: Question) -> RuleVerdict:
    """Check that no target does background work during the load where others do not."""
    schedulers = {target.name: effective(target, "misc.event_scheduler") for target in question.targets}
    disabled = {name: known("OFF") if r.value == "DISABLED" else r for name, r in schedulers.items()}
    lacks = {name: reading.lacks for name, reading in schedulers.items() if reading.state == "missing"}
    groups = grouped(disabled.items())
    differences: dict[str, Groups] = {question.rule.inputs[0]: groups} if len(groups) > 1 else {}
    with_telemetry = [target.name for target in question.targets if _sends_telemetry(target)]
    if with_telemetry and len(with_telemetry) < len(question.targets):
        differences["telemetry"] = {"ON": tuple(sorted(with_telemetry))}
    is_from_option_file = any(reading.certainty == "asked" for reading in schedulers.values())
    return decide(differences, lacks, "asked" if is_from_option_file else "read")


def _sends_telemetry(target: AuditTarget) -> bool:
    if target.is_family("percona", "8.0.37"):
        return (
            switch(target.variable("percona_telemetry_disable") or target.asked("percona_telemetry_disable") or "OFF")
            != "ON"
        )
    return switch(target.variable("feedback") or "OFF") == "ON" or bool(target.variable("feedback_server_uid"))


def client_contention(question: Question) -> RuleVerdict:
    """Check that the client does not take processors from some servers more than from others."""
    shares = {target.name: target.fact("host", "client_cpu_share") for target in question.targets}
    if all(target.fact("host", "cpu_partition") for target in question.targets):
        return not_applicable("client and servers have processors of their own")
    idle_shares = [float(share) for t in question.targets if (share := t.fact("host", "idle_share")) is not None]
    lacks = {
        name: "the client's share of the processors (host:client_cpu_share)" for name, s in shares.items() if s is None
    }
    if idle_shares and min(idle_shares) < question.rule.threshold["idle_share"]:
        values = {"host:idle_share": {short_percent(min(idle_shares)): tuple(sorted(shares))}}
        if lacks or _difference(shares.values()) > question.rule.threshold["share_difference"]:
            return decide(values, {})
        least, most = (short_percent(float(choose(shares.values()))) for choose in (min, max))
        remark = f"the client takes about as much from each: {least} to {most} of the processors"
        return decide(values, {}, severity="low", remark=remark)
    if lacks:
        return undecided(lacks)
    flags = {name: float(share) > question.rule.threshold["client_share"] for name, share in shares.items()}
    return on_some(question, flags, {name: short_percent(float(share)) for name, share in shares.items()})


def _difference(shares: Iterable[Any]) -> float:
    numbers = [float(share) for share in shares]
    return max(numbers) - min(numbers)


def carry_over(question: Question) -> RuleVerdict:
    """Check that steps of a ladder do not inherit from one another."""
    if undecided_verdict := fact_missing(question, "step_order", "reset_between_steps"):
        return undecided_verdict
    steps = [float(step) for step in question.study["step_order"]]
    monotone = steps in (sorted(steps), sorted(steps, reverse=True)) and len(steps) > 1
    if question.study["reset_between_steps"] or not monotone:
        return decide({}, {})
    difference = question.study.get("first_step_difference")
    least_effect = float(question.study.get("minimum_effect") or question.rule.threshold)
    if difference is not None and abs(float(difference)) <= least_effect:
        return decide({}, {})
    words = (
        "first step not repeated" if difference is None else f"first step differs by {float(difference):.3g} at the end"
    )
    return decide(labelled((target.name, words) for target in question.targets), {})

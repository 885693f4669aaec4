"""A study without the differences that settings can remove.

dbdyno's own baseline is equal in effect on all targets, so most differences come from what a study sets on top for one
target: that is taken out. What the baseline does not set, and what the servers' defaults make different, gets one value
on all targets that have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.audit import (
    ComparisonSet,
    Finding,
    Reading,
    TargetFacts,
    Value,
    audit,
    default_of,
    parse_option,
    server_of,
    value_in_effect,
)
from dbdyno.core import Target
from dbdyno.engines import lookup_option, neutral_parameters, parameters_for
from dbdyno.fairness._remedies import baseline_id, inputs_behind, why_held, why_left
from dbdyno.study import Pinning, Study

HELD = "dbdyno's own settings hold it equal: the study sets nothing that changes it"
_GIVEN = "it was given one value for another finding"
_NO_BINLOG = "dbdyno leaves the binary log off on all targets"
_FOREIGN = "a server that runs already is not configured by dbdyno: change its own option file"
_UNKNOWN = "no setting is known that removes it"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one finding.

    Parameters
    ----------
    changes : to the study, in words; empty where nothing had to be changed or nothing can be
    why : nothing was changed: the reason
    is_left : the difference will be there again
    """

    finding: Finding
    changes: tuple[str, ...] = ()
    why: str = ""
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class Mended:
    """A study with other settings, and what was done about each finding."""

    study: Study
    outcomes: tuple[Outcome, ...]


def mend(study: Study, sets: Sequence[ComparisonSet]) -> Mended:
    """The study that removes what settings can remove of the differences in these comparison sets.

    Targets are found in the sets by their names, or else by family and version. Findings for completeness alone
    (info) are left as they are.
    """
    bench = _Bench.of(study, sets)
    outcomes = []
    for finding in audit(sets).findings:
        if finding.severity != "info":
            outcomes.append(_outcome(finding, bench))
    targets = tuple(replace(target, settings=bench.settings[target.name]) for target in study.targets)
    return Mended(replace(bench.study, targets=targets), tuple(outcomes))


def _outcome(finding: Finding, bench: _Bench) -> Outcome:
    if changes := _in_the_study(finding, bench):
        return Outcome(finding, changes)
    if why := why_left(finding):
        return Outcome(finding, why=why, is_left=True)
    aligned = [] if _is_moot(finding, bench) else _aligned(finding, bench)
    changes = tuple(dict.fromkeys((*bench.without_named(finding), *aligned)))
    if changes:
        return Outcome(finding, changes)
    if any(not bench.is_ours(target) for target in bench.study.targets):
        return Outcome(finding, why=_FOREIGN, is_left=True)
    if why := why_held(finding):
        return Outcome(finding, why=why)
    if _is_moot(finding, bench):
        return Outcome(finding, why=_NO_BINLOG)
    inputs = inputs_behind(finding)
    held = [name for name in inputs if bench.is_held(name)]
    open_ones = [name for name in inputs if name not in held and bench.differs(name)]
    if open_ones and set(open_ones) <= bench.added:
        return Outcome(finding, why=_GIVEN)
    if held and not open_ones:
        return Outcome(finding, why=HELD)
    return Outcome(finding, why=_UNKNOWN, is_left=True)


def _is_moot(finding: Finding, bench: _Bench) -> bool:
    """Whether it is about the binary log, which dbdyno leaves off unless the study asks for it."""
    return finding.rule.when.get("binlog.enabled") == "ON" and not bench.sets("log_bin")


def _in_the_study(finding: Finding, bench: _Bench) -> tuple[str, ...]:
    """What the study itself can do otherwise: order, repeats, processors."""
    study = bench.study
    if finding.rule.rule_id == "time-order-confound":
        bench.study = replace(study, order="interleaved", repeats=max(study.repeats, 2))
        return (f"order = interleaved, repeats = {bench.study.repeats}",)
    if finding.rule.rule_id == "client-cpu-contention" and not study.pinning.is_apart and (cpus := bench.processors):
        client = max(cpus // 4, 1)
        bench.study = replace(study, pinning=Pinning(tuple(range(cpus - client)), tuple(range(cpus - client, cpus))))
        return (f"[pinning] server: {cpus - client} of {cpus} processors, client: {client}",)
    if finding.rule.rule_id == "aborted-work-counted":
        return bench.at_read_committed()
    return ()


def _aligned(finding: Finding, bench: _Bench) -> list[str]:
    changes: list[str] = []
    for name in inputs_behind(finding):
        changes += bench.without_overrides(name)
        if not bench.is_held(name):
            changes += bench.with_one_value(name)
    return changes


@dataclass(slots=True)
class _Bench:
    """The study being changed, with what is known of its targets.

    Parameters
    ----------
    settings : of each target, as they will be written
    at_default : target and input for which the study's own setting was taken out
    added : inputs that were given one value
    """

    study: Study
    facts: dict[str, TargetFacts]
    settings: dict[str, dict[str, str]]
    at_default: set[tuple[str, str]] = field(default_factory=set)
    added: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, study: Study, sets: Sequence[ComparisonSet]) -> _Bench:
        everyone = [facts for one in sets for facts in one.targets]
        matched = {target.name: facts for target in study.targets if (facts := _match(target, everyone))}
        return cls(study, matched, {target.name: dict(target.settings) for target in study.targets})

    @property
    def processors(self) -> int:
        """Of the machine on which client and all servers run; 0 when it can't be divided."""
        counts = [facts.host.get("processors", 0) for facts in self.facts.values()]
        ours = all(self.is_ours(target) for target in self.study.targets)
        return min(counts) if ours and counts and min(counts) > 1 else 0

    def is_ours(self, target: Target) -> bool:
        """Started and configured by dbdyno."""
        return not target.engine.source.startswith("server")

    def server(self, target: Target) -> tuple[str, str, str]:
        """Family, version, storage engine: the version as it was measured."""
        facts = self.facts.get(target.name)
        version = server_of(facts)[1] if facts is not None else ""
        return target.engine.family, version or target.engine.version, target.engine.storage_engine

    def without_named(self, finding: Finding) -> list[str]:
        """Take out the options that a finding names for a target, as those that did nothing."""
        changes = []
        for target in self.study.targets:
            facts = self.facts.get(target.name)
            named = finding.values.get(facts.name, ()) if facts is not None else ()
            names = {str(words).partition(":")[0].strip() for words in named} if isinstance(named, tuple) else set()
            changes += self._take_out(target, names)
        return changes

    def without_overrides(self, name: str) -> list[str]:
        """Take out what the study sets for an input on any target."""
        changes: list[str] = []
        if name in self.added:
            return changes
        for target in self.study.targets:
            if self.is_ours(target):
                gone = self._take_out(target, _options_of(name, self.settings[target.name], *self.server(target)))
                self.at_default |= {(target.name, name)} if gone else set()
                changes += gone
        return changes

    def _take_out(self, target: Target, names: set[str]) -> list[str]:
        own = self.settings[target.name]
        gone = [option for option in own if parse_option(option)[0] in names]
        return [f"{target.name}: {option} = {own.pop(option)} taken out" for option in gone]

    def at_read_committed(self) -> tuple[str, ...]:
        """MyRocks aborts a write to what changed since its snapshot at REPEATABLE READ, and waits at READ COMMITTED.

        Nothing where no target is in MyRocks, or the study has chosen a level.
        """
        targets = self.study.targets
        chosen = self.sets("transaction_isolation") or not all(map(self.is_ours, targets))
        if chosen or all(target.engine.storage_engine != "rocksdb" for target in targets):
            return ()
        for target in targets:
            self.settings[target.name]["transaction_isolation"] = "READ-COMMITTED"
        return ("all targets: transaction_isolation = READ-COMMITTED, a weaker promise on all alike",)

    def sets(self, variable: str) -> bool:
        """Whether the study sets an option on any target."""
        return any(parse_option(option)[0] == variable for own in self.settings.values() for option in own)

    def is_held(self, name: str) -> bool:
        """Whether dbdyno sets an input on every target whose server has it."""
        return all(
            _is_held(name, *server)
            for target in self.study.targets
            if self.is_ours(target) and (server := self.server(target))
        )

    def with_one_value(self, name: str) -> list[str]:
        """Give one value to an input that dbdyno does not set, on all targets whose servers take it."""
        known = self._known(name)
        if name in self.added or not self.differs(name):
            return []
        value = self._common(name, known)
        donors = [target for target, reading in known.items() if reading.value == value and not reading.implied]
        changes = []
        self.added.add(name)
        for target in self.study.targets:
            server = self.server(target)
            if target.name not in known or known[target.name].implied or not self.is_ours(target):
                continue
            for option in set() if _is_held(name, *server) else _variables_of(name, *server):
                if _takes(option, name, *server[:2]):
                    text = self._text(donors, name) or str(value)
                    self.settings[target.name][option] = text
                    changes.append(f"{target.name}: {option} = {text}")
        return changes

    def differs(self, name: str) -> bool:
        """Whether a parameter has several values in effect."""
        return len({reading.value for reading in self._known(name).values()}) > 1

    def _known(self, name: str) -> dict[str, Reading]:
        """Value in effect of a parameter on each target where it is known."""
        if name not in neutral_parameters():
            return {}
        readings = {
            target.name: default_of(name, *self.server(target))
            if (target.name, name) in self.at_default
            else value_in_effect(self.facts[target.name], name)
            for target in self.study.targets
            if target.name in self.facts
        }
        return {target: reading for target, reading in readings.items() if reading.state == "known"}

    def _common(self, name: str, known: dict[str, Reading]) -> Value:
        """What holds where there is no option; else the default of most servers, else what most have."""
        implied = [reading.value for reading in known.values() if reading.implied]
        if implied:
            return implied[0]
        defaults = Counter(
            default.value
            for target in self.study.targets
            if target.name in known and (default := default_of(name, *self.server(target))).state == "known"
        )
        having = Counter(reading.value for reading in known.values())
        return max(having, key=lambda value: (defaults[value], having[value]))

    def _text(self, donors: Sequence[str], name: str) -> str:
        """The value as a server that has it writes it."""
        for target in self.study.targets:
            if target.name in donors:
                rows = self.facts[target.name].variables or {}
                return next((rows[v] for v in _variables_of(name, *self.server(target)) if v in rows), "")
        return ""


def _match(target: Target, everyone: Sequence[TargetFacts]) -> TargetFacts | None:
    by_name = [facts for facts in everyone if facts.name == target.name]
    engine = target.engine
    alike = [
        facts
        for facts in everyone
        if (server := server_of(facts))[0] == engine.family
        and f"{server[1]}.".startswith(f"{engine.version}.")
        and server[2] == engine.storage_engine
    ]
    return next(iter(by_name + alike), None)


def _variables_of(name: str, family: str, version: str, storage_engine: str) -> set[str]:
    """Variables that carry an input on a server; none where it has no such thing."""
    if name.startswith("variables:"):
        return {name.partition(":")[2]}
    shown = neutral_parameters()[name].shown(family, version, storage_engine) if name in neutral_parameters() else None
    return {shown.variable} if shown is not None else set()


def _options_of(name: str, own: Iterable[str], family: str, version: str, storage_engine: str) -> set[str]:
    """Options that decide an input on a server: its variable's, the baseline's, and those of the study known for it."""
    found = _variables_of(name, family, version, storage_engine)
    for parameter in parameters_for(storage_engine):
        row = parameter.row(family, version)
        if row is not None and (parameter.parameter_id == baseline_id(name) or row.read.partition(":")[2] in found):
            found.add(parse_option(row.name)[0])
    for option in own:
        known = lookup_option(option, family, version)
        if known is not None and known.parameter_id == name:
            found.add(parse_option(option)[0])
    return found


def _is_held(name: str, family: str, version: str, storage_engine: str) -> bool:
    """Whether dbdyno decides an input on a server, or the server has no such thing."""
    for parameter in parameters_for(storage_engine):
        decides = parameter.row(family, version) is not None or parameter.without
        if parameter.parameter_id == baseline_id(name) and decides:
            return True
    return _variables_of(name, family, version, storage_engine) <= _held(family, version, storage_engine)


def _held(family: str, version: str, storage_engine: str) -> set[str]:
    """Variables that dbdyno's own settings decide on a server."""
    rows = [row for p in parameters_for(storage_engine) if (row := p.row(family, version)) is not None]
    return {parse_option(row.name)[0] for row in rows} | {row.read.partition(":")[2].lower() for row in rows}


def _takes(option: str, name: str, family: str, version: str) -> bool:
    """Whether a server takes an option, and it stands for the input."""
    known = lookup_option(option, family, version)
    return known is not None and known.state in ("accepted", "deprecated") and known.parameter_id == name

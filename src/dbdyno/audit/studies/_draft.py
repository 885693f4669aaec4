"""Holds the study while it is aligned: settings of its targets, and what is known of their servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dbdyno.audit import (
    ComparisonSet,
    Finding,
    SourcedValue,
    TargetFacts,
    Value,
    default_of,
    server_of,
    value_in_effect,
)
from dbdyno.audit.studies._options import can_have, is_held, options_of, takes, variables_of
from dbdyno.audit.studies._remedies import baseline_id
from dbdyno.core import Target
from dbdyno.engines import SettingValue, neutral_parameters, read_setting, requested_option, setting_text, vocabulary
from dbdyno.study import Study


@dataclass(slots=True)
class Draft:
    """Describes the study being changed, with what is known of its targets.

    Parameters
    ----------
    options : server options of each target, as they will be written
    settings : neutral parameters of each target, likewise
    shared : neutral parameters of all targets
    at_default : target and input for which the study's own setting was removed
    added : inputs that were given one value
    """

    study: Study
    facts: dict[str, TargetFacts]
    options: dict[str, dict[str, str]]
    settings: dict[str, dict[str, SettingValue]]
    shared: dict[str, SettingValue]
    at_default: set[tuple[str, str]] = field(default_factory=set)
    added: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, study: Study, sets: Sequence[ComparisonSet]) -> Draft:
        all_facts = [facts for target_set in sets for facts in target_set.targets]
        matched = {target.name: facts for target in study.targets if (facts := _match_facts(target, all_facts))}
        return cls(
            study,
            matched,
            {target.name: dict(target.options) for target in study.targets},
            {target.name: dict(target.settings) for target in study.targets},
            dict(study.settings),
        )

    def written(self) -> Study:
        """Return the study as it is to be run."""
        targets = tuple(
            replace(target, settings=self.settings[target.name], options=self.options[target.name])
            for target in self.study.targets
        )
        return replace(self.study, targets=targets, settings=self.shared)

    @property
    def processors(self) -> int:
        """Count processors of the machine on which client and all servers run; 0 when it can't be divided."""
        counts = [facts.host.get("processors", 0) for facts in self.facts.values()]
        are_ours = all(self.is_ours(target) for target in self.study.targets)
        return min(counts) if are_ours and counts and min(counts) > 1 else 0

    def is_ours(self, target: Target) -> bool:
        """Return whether dbdyno starts and configures it."""
        return not target.engine.source.startswith("server")

    def server(self, target: Target) -> tuple[str, str, str]:
        """Return the family, version, storage engine: the version as it was measured."""
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
            changes += self._remove_options(target, names)
        return changes

    def without_overrides(self, name: str) -> list[str]:
        """Take out what the study sets for an input on any target."""
        changes: list[str] = []
        if name in self.added:
            return changes
        for target in self.study.targets:
            if self.is_ours(target):
                removals = self._remove_options(
                    target, options_of(name, self.options[target.name], *self.server(target))
                )
                removals += self._remove_setting(target, baseline_id(name))
                self.at_default |= {(target.name, name)} if removals else set()
                changes += removals
        return changes

    def _remove_options(self, target: Target, names: set[str]) -> list[str]:
        options = self.options[target.name]
        removed_options = [option for option in options if requested_option(option)[0] in names]
        return [f"{target.name}: {option} = {options.pop(option)} removed" for option in removed_options]

    def _remove_setting(self, target: Target, name: str) -> list[str]:
        target_settings = self.settings[target.name]
        return (
            [f"{target.name}: {name} = {setting_text(name, target_settings.pop(name))} removed"]
            if name in target_settings
            else []
        )

    def at_read_committed(self) -> tuple[str, ...]:
        """Set READ COMMITTED: at REPEATABLE READ MyRocks aborts a write to what changed since its snapshot.

        Nothing where no target is in MyRocks, or the study has chosen a level.
        """
        targets = self.study.targets
        chosen = self.sets("transaction_isolation", "trx.isolation") or not all(map(self.is_ours, targets))
        if chosen or all(target.engine.storage_engine != "rocksdb" for target in targets):
            return ()
        self.shared["trx.isolation"] = "READ-COMMITTED"
        return ("all targets: trx.isolation = READ-COMMITTED, a weaker isolation level on all",)

    def sets(self, variable: str, name: str) -> bool:
        """Return whether the study sets a variable on any target, by its option or by its neutral parameter."""
        neutral = name in self.shared or any(name in target_values for target_values in self.settings.values())
        return neutral or any(
            requested_option(option)[0] == variable
            for target_values in self.options.values()
            for option in target_values
        )

    def is_held(self, name: str) -> bool:
        """Return whether dbdyno sets an input on every target whose server has it."""
        return all(
            is_held(name, *server)
            for target in self.study.targets
            if self.is_ours(target) and (server := self.server(target))
        )

    def with_one_value(self, name: str) -> list[str]:
        """Give one value to an input that dbdyno does not set, on all targets whose servers take it."""
        known_readings = self._known_values(name)
        if name in self.added or not self.differs(name):
            return []
        value = self._common_value(name, known_readings)
        source_targets = [
            target for target, reading in known_readings.items() if reading.value == value and not reading.implied
        ]
        self.added.add(name)
        text = self._server_text(source_targets, name) or str(value)
        if (neutral := self._neutral_value(baseline_id(name), text)) is not None:
            self.shared[baseline_id(name)] = neutral
            return [f"all targets: {baseline_id(name)} = {setting_text(baseline_id(name), neutral)}"]
        changes = []
        for target in self.study.targets:
            server = self.server(target)
            if target.name not in known_readings or known_readings[target.name].implied or not self.is_ours(target):
                continue
            for option in set() if is_held(name, *server) else variables_of(name, *server):
                if takes(option, name, *server[:2]):
                    self.options[target.name][option] = text
                    changes.append(f"{target.name}: {option} = {text}")
        return changes

    def _neutral_value(self, name: str, text: str) -> SettingValue | None:
        """Return the value in neutral words, where all our own targets can have it so."""
        if name not in vocabulary():
            return None
        try:
            value = read_setting(name, int(text) if text.isdigit() else text)
        except ValueError:
            return None
        servers = [self.server(target) for target in self.study.targets if self.is_ours(target)]
        return value if all(can_have(name, value, *server) for server in servers) else None

    def differs(self, name: str) -> bool:
        """Return whether a parameter has several values in effect."""
        return len({reading.value for reading in self._known_values(name).values()}) > 1

    def _known_values(self, name: str) -> dict[str, SourcedValue]:
        """Return the value in effect of a parameter on each target where it is known."""
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

    def _common_value(self, name: str, known_readings: dict[str, SourcedValue]) -> Value:
        """Return what holds where there is no option; else the default of most servers, else what most have."""
        implied_values = [reading.value for reading in known_readings.values() if reading.implied]
        if implied_values:
            return implied_values[0]
        defaults = Counter(
            default.value
            for target in self.study.targets
            if target.name in known_readings and (default := default_of(name, *self.server(target))).state == "known"
        )
        value_counts = Counter(reading.value for reading in known_readings.values())
        return max(value_counts, key=lambda value: (defaults[value], value_counts[value]))

    def _server_text(self, source_targets: Sequence[str], name: str) -> str:
        """Return the value as a server that has it writes it."""
        for target in self.study.targets:
            if target.name in source_targets:
                rows = self.facts[target.name].variables or {}
                return next((rows[v] for v in variables_of(name, *self.server(target)) if v in rows), "")
        return ""


def _match_facts(target: Target, all_facts: Sequence[TargetFacts]) -> TargetFacts | None:
    by_name = [facts for facts in all_facts if facts.name == target.name]
    engine = target.engine
    same_server_facts = [
        facts
        for facts in all_facts
        if (server := server_of(facts))[0] == engine.family
        and f"{server[1]}.".startswith(f"{engine.version}.")
        and server[2] == engine.storage_engine
    ]
    return next(iter(by_name + same_server_facts), None)

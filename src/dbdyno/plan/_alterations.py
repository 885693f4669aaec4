"""Makes the study of a proof: one target as it was, and altered in one thing, in interleaved rounds.

What can be altered is data, see ``data/alterations.toml``; a row says, too, which parts of the time should go away.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from dbdyno.core import CallDelays, Cell, RequestError, StudyError, Target, decode, format_bytes
from dbdyno.engines import (
    SettingValue,
    neutral_parameters,
    parameters_of_option,
    read_setting,
    setting_text,
    vocabulary,
)
from dbdyno.study import (
    AdaptiveLength,
    BenchChoice,
    FleetChoice,
    OptionValue,
    Study,
    WorkloadChoice,
    concerns,
    options_of,
    parse_study,
    study_text,
)

ROUNDS = 4
"""Fewest rounds in which runs are compared in pairs."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """Describes one thing that a proof alters; see ``data/alterations.toml``."""

    words: str
    removes: tuple[str, ...] = ()
    brings_back: tuple[str, ...] = ()
    setting: str = ""
    workload: str = ""
    value: str | int | bool = ""
    times: int = 1
    tier: int = 1
    flush_delay: int = 0
    read_delay: int = 0
    least_calls: float = 0.0
    storage_engines: tuple[str, ...] = ()
    named_only: bool = False
    alteration_id: str = field(default="", kw_only=True)

    @property
    def slows_ns(self) -> int:
        """By how much each call of the parts it concerns takes longer; 0: it takes time away."""
        return self.flush_delay or self.read_delay


@dataclass(frozen=True, slots=True)
class ProofStudy:
    """Describes a study that proves or refutes, and its two cells.

    Parameters
    ----------
    words : what is altered, from what to what
    """

    alteration: Alteration
    study: Study
    control: Cell
    altered: Cell
    words: str


@functools.cache
def alterations() -> Mapping[str, Alteration]:
    """Return all that can be altered, by id.

    >>> alterations()["redo-capacity"].times
    8
    """
    text = (Path(__file__).parent / "data" / "alterations.toml").read_text(encoding="utf-8")
    rows = decode(dict[str, Alteration], tomllib.loads(text))
    return MappingProxyType({name: replace(row, alteration_id=name) for name, row in rows.items()})


def proof_study(
    study: Study,
    cell: Cell,
    alteration: Alteration,
    *,
    base: Mapping[str, SettingValue],
    rounds: int = ROUNDS,
    window_ns: int | None = None,
) -> ProofStudy:
    """Return the study that runs a cell's target as it was, and altered.

    Parameters
    ----------
    base : what dbdyno sets unasked at the cell's memory, by neutral parameter
    rounds : runs of each
    window_ns : length of the part that is judged; None: as in `study`

    Raises
    ------
    RequestError : the alteration means nothing for this target, it is so already, or no study file may say this
    """
    study = with_lengths(study, rounds, window_ns)
    target = study.target(cell.target)
    if target.engine.source_kind == "server":
        raise RequestError(
            f"'{target.name}' is a server that dbdyno did not start, so dbdyno does not change its settings",
            "a proof restarts the server with another setting",
            "compare the engine itself, such as mysql:9.7, and prove it there",
            code="not-ours",
        )
    kinds = alteration.storage_engines
    if kinds and target.engine.storage_engine not in kinds:
        what = f"{alteration.alteration_id} does not apply to {target.name}"
        raise RequestError(what, f"its tables use {target.engine.storage_engine}, not in {' or '.join(kinds)}")
    axes = _axes(study, target, cell, alteration, base)
    benches = _shared_benches(study, cell, axes)
    proof = replace(
        study,
        name=f"{study.name} {alteration.alteration_id}",
        question=f"Is {target.name} faster with {alteration.words}?",
        targets=axes.targets,
        workloads=axes.workloads,
        tiers_bytes=axes.tiers_bytes,
        concurrencies=(cell.concurrency,),
        limits=study.server_limits,
        routes=(cell.route,),
        benches=benches,
        fleet=study.fleet if len(benches) > 1 else FleetChoice(),
        sentinel="",
        restore="run",
        equivalence_events=0,
        audit_stop="never",
        scaled="",
    ).without_unused()
    check_study(proof, f"'{proof.name}' can't be run")
    return ProofStudy(alteration, proof, cell, axes.altered, axes.words)


def with_lengths(study: Study, rounds: int, window_ns: int | None) -> Study:
    """Return a study with the runs and the window of a proof.

    Raises
    ------
    RequestError : no study file may have these
    """
    if window_ns is not None:
        is_adaptive = study.adaptive_length.warm_up
        ends = AdaptiveLength(warm_up=is_adaptive, gates=study.adaptive_length.gates or not is_adaptive)
        study = replace(study, window_ns=window_ns, adaptive_length=ends)
    study = replace(study, repeats=rounds, repeats_max=None)
    check_study(study, "no proof can have these --rounds and --window")
    return study


def check_study(study: Study, words: str) -> None:
    """Check that the file of a study that is made of another's can be read.

    Raises
    ------
    RequestError : it can't, in these words
    """
    try:
        read = parse_study(study_text(study), "")
    except StudyError as error:
        raise RequestError(words, error.what.partition(": ")[2], error.remedy) from error
    if read.window_ns != study.window_ns:
        raise RequestError(words, "the window must be in whole seconds, the resolution of records")


@dataclass(frozen=True, slots=True)
class _Axes:
    """Holds what the two cells differ in, the control's value first, and the altered cell."""

    targets: tuple[Target, ...]
    workloads: tuple[WorkloadChoice, ...]
    tiers_bytes: tuple[int, ...]
    altered: Cell
    words: str


def _axes(study: Study, target: Target, cell: Cell, alteration: Alteration, base: Mapping[str, SettingValue]) -> _Axes:
    workload = study.workload(cell.workload)
    plain_axes = _Axes((target,), (workload,), (cell.tier_bytes,), cell, "")
    if alteration.tier != 1:
        altered_cell = replace(cell, tier_bytes=cell.tier_bytes * alteration.tier)
        words = f"memory {format_bytes(cell.tier_bytes)} to {format_bytes(altered_cell.tier_bytes)}"
        return replace(
            plain_axes, tiers_bytes=(cell.tier_bytes, altered_cell.tier_bytes), altered=altered_cell, words=words
        )
    if alteration.workload:
        return _workload_axes(study, target, cell, alteration)
    altered_target, words = _altered_target(study, target, alteration, base)
    return replace(
        plain_axes, targets=(target, altered_target), altered=replace(cell, target=altered_target.name), words=words
    )


def _shared_benches(study: Study, cell: Cell, axes: _Axes) -> tuple[BenchChoice, ...]:
    """Return benches of which each makes both cells of its rounds: targets stay together, memory and workloads do not.

    Raises
    ------
    RequestError : they would have to be made on one node of a Ray cluster, which a study can't name
    """
    stay_together = (axes.altered.workload, axes.altered.tier_bytes) == (cell.workload, cell.tier_bytes)
    if stay_together or len(study.benches) < 2:
        return study.benches
    if study.fleet.engine == "ray":
        raise RequestError(
            "a change of memory or of the workload can't be proved on a Ray cluster",
            "the two cells would run on two nodes, so the proof would compare machines, too",
            "run the study and this command on one of them",
            code="on-ray",
        )
    return study.benches[:1]


def _workload_axes(study: Study, target: Target, cell: Cell, alteration: Alteration) -> _Axes:
    """Return one target and two workloads: targets of one workload must hold the same rows, and options change them."""
    option, choice = alteration.workload, study.workload(cell.workload)
    option_facts = options_of(choice.name).get(option)
    if option_facts is None:
        raise RequestError(f"{cell.workload} has no option {option} to change")
    target_choice = study.workload_of(target.name, cell.workload)
    old_value = target_choice.options.get(option, option_facts.read(option_facts.default))
    new_value = alteration.value
    if alteration.times != 1:
        if not isinstance(old_value, int):
            raise RequestError(f"{option} of {cell.workload} is not a number")
        new_value = old_value * alteration.times
    if new_value == old_value:
        raise _no_change_error(alteration, f"{option} is {old_value}")
    altered_choice = replace(
        target_choice,
        label=f"{target_choice.label} {alteration.alteration_id}",
        options={**target_choice.options, option: new_value},
    )
    words = f"{option} {_value_text(old_value)} to {_value_text(new_value)}"
    targets, workloads = (replace(target, workload_options={}),), (target_choice, altered_choice)
    return _Axes(targets, workloads, (cell.tier_bytes,), replace(cell, workload=altered_choice.label), words)


def _value_text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:,}" if isinstance(value, int) else str(value)


def _altered_target(
    study: Study, target: Target, alteration: Alteration, base: Mapping[str, SettingValue]
) -> tuple[Target, str]:
    """Return the target with another value, and the words from what to what."""
    name = f"{target.name} {alteration.alteration_id}"
    if alteration.slows_ns:
        delays = target.delays
        slower_calls = CallDelays(delays.flush_ns + alteration.flush_delay, delays.read_ns + alteration.read_delay)
        return replace(target, name=name, delays=slower_calls), alteration.words
    if not concerns(alteration.setting, target.engine.storage_engine):
        raise RequestError(f"{alteration.setting} does not concern {target.name}")
    old_value = _value_before(study, target, alteration.setting, base)
    if alteration.times != 1:
        if old_value is None or isinstance(old_value, str):
            raise RequestError(
                f"the value of {alteration.setting} on {target.name} is not known, so dbdyno can't make it "
                f"{alteration.times} times "
                "as large",
                f"policy {study.policy} leaves it to the server or to its option file",
            )
        value: SettingValue = int(old_value) * alteration.times
    else:
        value = read_setting(alteration.setting, alteration.value)
    if value == old_value or (old_value is None and _is_default(study, target, alteration.setting, value)):
        raise _no_change_error(alteration, f"{alteration.setting} is {setting_text(alteration.setting, value)}")
    kept_options = {
        option: text for option, text in target.options.items() if not _is_option_of(option, alteration.setting)
    }
    old_words = "its own value" if old_value is None else setting_text(alteration.setting, old_value)
    words = f"{alteration.setting} {old_words} to {setting_text(alteration.setting, value)}"
    settings = {**target.settings, alteration.setting: value, **_counterparts(study, target, alteration.setting, value)}
    return replace(target, name=name, settings=settings, options=kept_options), words


def _counterparts(study: Study, target: Target, name: str, value: SettingValue) -> dict[str, SettingValue]:
    """Return settings of the study that do nothing once another is 0, as 0: a study with them above 0 is refused."""
    needing = {
        parameter.parameter_id
        for parameters_of_id in vocabulary().values()
        for parameter in parameters_of_id
        if any(row.needs_positive == name for row in parameter.rows)
    }
    return {} if value else {counterpart: 0 for counterpart in needing & set(study.settings_of(target))}


def _value_before(
    study: Study, target: Target, parameter: str, base: Mapping[str, SettingValue]
) -> SettingValue | None:
    """Return the value in effect before, if the study states it; None if the server or its option file sets it."""
    for option, text in target.options.items():
        if _is_option_of(option, parameter):
            try:
                return read_setting(parameter, text)
            except ValueError:
                return None  # for example a path instead of ON: not the intended value
    study_settings = study.settings_of(target)
    if parameter in study_settings:
        return study_settings[parameter]
    return base.get(parameter) if study.policy == "aligned" else None


def _is_default(study: Study, target: Target, parameter: str, value: SettingValue) -> bool:
    """Return whether nobody sets the parameter, and the server's default is this value."""
    if study.policy == "tuned" or any(_is_option_of(option, parameter) for option in target.options):
        return False
    engine, facts = target.engine, neutral_parameters().get(parameter)
    shown = None if facts is None else facts.shown(engine.family, engine.version, engine.storage_engine)
    return shown is not None and shown.default == str(value)


def _is_option_of(option: str, parameter: str) -> bool:
    return parameter in parameters_of_option(option)


def _no_change_error(alteration: Alteration, words: str) -> RequestError:
    return RequestError(
        f"{alteration.alteration_id} would change nothing: {words} already", "", "name another with --prove"
    )

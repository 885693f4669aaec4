"""Makes the study of a proof: one target as it was, and altered in one thing, in interleaved rounds.

What can be altered is data, see ``data/alterations.toml``; a row says, too, which parts of the time should go away.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from types import MappingProxyType

from dbdyno.core import CallDelays, Cell, RequestError, Target, decode, format_bytes
from dbdyno.engines import SettingValue, parameters_of_option, read_setting, setting_text
from dbdyno.study import AdaptiveLength, OptionValue, Study, WorkloadChoice, concerns, options_of

ROUNDS = 4
"""Fewest rounds in which runs are compared in pairs."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """One thing that a proof alters; see ``data/alterations.toml``."""

    words: str
    removes: tuple[str, ...] = ()
    setting: str = ""
    workload: str = ""
    value: str | int | bool = ""
    times: int = 1
    tier: int = 1
    flush_delay: int = 0
    read_delay: int = 0
    least_calls: float = 0.0
    storage_engines: tuple[str, ...] = ()
    alteration_id: str = field(default="", kw_only=True)

    @property
    def slows_ns(self) -> int:
        """By how much each call of the parts it concerns takes longer; 0: it takes time away."""
        return self.flush_delay or self.read_delay


@dataclass(frozen=True, slots=True)
class ProofStudy:
    """A study that proves or refutes, and its two cells.

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
    """All that can be altered, by id.

    >>> alterations()["redo-capacity"].times
    8
    """
    text = resources.files("dbdyno.plan").joinpath("data", "alterations.toml").read_text(encoding="utf-8")
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
    """The study that runs a cell's target as it was, and altered.

    Parameters
    ----------
    base : what dbdyno sets unasked at the cell's memory, by neutral parameter
    rounds : runs of each
    window_ns : length of the part that is judged; None: as in `study`

    Raises
    ------
    RequestError : the alteration means nothing for this target, or it is so already
    """
    target = study.target(cell.target)
    if target.engine.source_kind == "server":
        raise RequestError(
            f"'{target.name}' is a server that dbdyno did not start, so dbdyno does not change its settings",
            "a proof restarts the server with another setting",
            "compare the engine itself, such as mysql:9.7, and prove it there",
        )
    kinds = alteration.storage_engines
    if kinds and target.engine.storage_engine not in kinds:
        what = f"{alteration.alteration_id} does not apply to {target.name}"
        raise RequestError(what, f"its tables use {target.engine.storage_engine}, not in {' or '.join(kinds)}")
    axes = _axes(study, target, cell, alteration, base)
    made = replace(
        study,
        name=f"{study.name} {alteration.alteration_id}",
        question=f"Is {target.name} faster with {alteration.words}?",
        targets=axes.targets,
        workloads=axes.workloads,
        tiers_bytes=axes.tiers_bytes,
        concurrencies=(cell.concurrency,),
        routes=(cell.route,),
        servers={},
        repeats=rounds,
        repeats_max=None,
        sentinel="",
        restore="run",
        equivalence_events=0,
        audit_stop="never",
        scaled="",
    )
    if window_ns is not None:
        made = replace(made, window_ns=window_ns, adaptive_length=AdaptiveLength(warm_up=study.adaptive_length.warm_up))
    return ProofStudy(alteration, made, cell, axes.altered, axes.words)


@dataclass(frozen=True, slots=True)
class _Axes:
    """What the two cells differ in, the control's value first, and the altered cell."""

    targets: tuple[Target, ...]
    workloads: tuple[WorkloadChoice, ...]
    tiers_bytes: tuple[int, ...]
    altered: Cell
    words: str


def _axes(study: Study, target: Target, cell: Cell, alteration: Alteration, base: Mapping[str, SettingValue]) -> _Axes:
    workload = study.workload(cell.workload)
    plain = _Axes((target,), (workload,), (cell.tier_bytes,), cell, "")
    if alteration.tier != 1:
        altered = replace(cell, tier_bytes=cell.tier_bytes * alteration.tier)
        words = f"memory {format_bytes(cell.tier_bytes)} to {format_bytes(altered.tier_bytes)}"
        return replace(plain, tiers_bytes=(cell.tier_bytes, altered.tier_bytes), altered=altered, words=words)
    if alteration.workload:
        return _workload_axes(study, target, cell, alteration)
    changed, words = _altered_target(study, target, alteration, base)
    return replace(plain, targets=(target, changed), altered=replace(cell, target=changed.name), words=words)


def _workload_axes(study: Study, target: Target, cell: Cell, alteration: Alteration) -> _Axes:
    """One target and two workloads: targets of one workload must hold the same rows, and an option may change them."""
    option, choice = alteration.workload, study.workload(cell.workload)
    known = options_of(choice.name).get(option)
    if known is None:
        raise RequestError(f"{cell.workload} has no option {option} to change")
    own = study.workload_of(target.name, cell.workload)
    before = own.options.get(option, known.read(known.default))
    after = alteration.value
    if alteration.times != 1:
        if not isinstance(before, int):
            raise RequestError(f"{option} of {cell.workload} is not a number")
        after = before * alteration.times
    if after == before:
        raise _so_already(alteration, f"{option} is {before}")
    altered = replace(own, label=f"{own.label} {alteration.alteration_id}", options={**own.options, option: after})
    words = f"{option} {_text(before)} to {_text(after)}"
    targets, workloads = (replace(target, workload_options={}),), (own, altered)
    return _Axes(targets, workloads, (cell.tier_bytes,), replace(cell, workload=altered.label), words)


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:,}" if isinstance(value, int) else str(value)


def _altered_target(
    study: Study, target: Target, alteration: Alteration, base: Mapping[str, SettingValue]
) -> tuple[Target, str]:
    """The target with another value, and the words from what to what."""
    name = f"{target.name} {alteration.alteration_id}"
    if alteration.slows_ns:
        delays = target.delays
        slower = CallDelays(delays.flush_ns + alteration.flush_delay, delays.read_ns + alteration.read_delay)
        return replace(target, name=name, delays=slower), alteration.words
    if not concerns(alteration.setting, target.engine.storage_engine):
        raise RequestError(f"{alteration.setting} does not concern {target.name}")
    known = _value_before(study, target, alteration.setting, base)
    if alteration.times != 1:
        if known is None or isinstance(known, str):
            raise RequestError(
                f"what {alteration.setting} is on {target.name} is not known, so dbdyno can't make it "
                f"{alteration.times} times "
                "as large",
                f"policy {study.policy} leaves it to the server or to its option file",
            )
        value: SettingValue = int(known) * alteration.times
    else:
        value = read_setting(alteration.setting, alteration.value)
    if value == known:
        raise _so_already(alteration, f"{alteration.setting} is {setting_text(alteration.setting, value)}")
    kept = {option: text for option, text in target.options.items() if not _carries(option, alteration.setting)}
    shown = "its own value" if known is None else setting_text(alteration.setting, known)
    words = f"{alteration.setting} {shown} to {setting_text(alteration.setting, value)}"
    settings = {**target.settings, alteration.setting: value}
    return replace(target, name=name, settings=settings, options=kept), words


def _value_before(
    study: Study, target: Target, parameter: str, base: Mapping[str, SettingValue]
) -> SettingValue | None:
    """The value in effect before, as far as the study says it; None where it is the server's or its option file's."""
    for option, text in target.options.items():
        if _carries(option, parameter):
            try:
                return read_setting(parameter, text)
            except ValueError:
                return None  # such as a path for ON: some other value than the one that is meant
    asked = study.settings_of(target)
    if parameter in asked:
        return asked[parameter]
    return base.get(parameter) if study.policy == "aligned" else None


def _carries(option: str, parameter: str) -> bool:
    return parameter in parameters_of_option(option)


def _so_already(alteration: Alteration, words: str) -> RequestError:
    return RequestError(
        f"{alteration.alteration_id} would change nothing: {words} already", "", "name another with --prove"
    )

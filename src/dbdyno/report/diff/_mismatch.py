"""Decides whether two cells measured the same thing, so that a difference can be the engine's.

An obstacle is a difference in what was measured, with what, or on what. It keeps a cell from being compared unless the
user says that it may stand; nothing is passed over without a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dbdyno.core import Cell, format_bytes
from dbdyno.report.diff._side import DiffSide

MismatchKind = Literal["policy", "workload", "dataset", "pacing", "window", "host"]
MISMATCH_KINDS: tuple[MismatchKind, ...] = get_args(MismatchKind)
_LENGTH_RE = re.compile(r", (\d+ s|unknown length)$")
_SAME_MEMORY = 0.05  # two kernels on the same machine differ by less in usable memory
_HARDWARE = {
    "cpu_model": "processor",
    "logical_cpu_count": "processors",
    "architecture": "architecture",
    "virtualisation": "virtualisation",
    "rotational": "rotating disk",
}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Holds why two cells, or two folders, can't be compared."""

    kind: MismatchKind
    text: str


def host_mismatches(base: DiffSide, new: DiffSide) -> list[Mismatch]:
    """Return other hardware under the two folders; facts that one side does not know are no obstacle."""
    base_host, new_host = base.results.host, new.results.host
    differences = [
        f"{words} {_value_words(base_host[name])}, now {_value_words(new_host[name])}"
        for name, words in _HARDWARE.items()
        if _is_known(base_host.get(name)) and _is_known(new_host.get(name)) and base_host[name] != new_host[name]
    ]
    base_bytes, new_bytes = base_host.get("memory_bytes"), new_host.get("memory_bytes")
    if (
        isinstance(base_bytes, int)
        and isinstance(new_bytes, int)
        and max(base_bytes, new_bytes) > (1 + _SAME_MEMORY) * min(base_bytes, new_bytes) > 0
    ):
        differences.append(f"memory {format_bytes(base_bytes)}, now {format_bytes(new_bytes)}")
    return [Mismatch("host", f"different machine: {'; '.join(differences)}")] if differences else []


def cell_mismatches(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> list[Mismatch]:
    """Return what differs between a cell's two measurements, the machine aside."""
    mismatches = [
        _policy_mismatch(base, new),
        _workload_mismatch(base, new, cells),
        _dataset_mismatch(base, new, cells),
        _pacing_mismatch(base, new),
        _window_mismatch(base, new, cells),
    ]
    return [obstacle for obstacle in mismatches if obstacle is not None]


def dataset_is_unknown(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> bool:
    """Return whether one side stored no checksum of the rows that the cell started from."""
    return not (_dataset_checksum(base.dataset(cells[0])) and _dataset_checksum(new.dataset(cells[1])))


def logs_of(base: DiffSide, new: DiffSide) -> tuple[str, ...]:
    """Return the sides whose runs were imported: their logs don't say how they were made, so nothing can be checked."""
    return tuple(side.name for side in (base, new) if side.study.imported is not None)


def _policy_mismatch(base: DiffSide, new: DiffSide) -> Mismatch | None:
    base_policy, new_policy = base.study.policy, new.study.policy
    if logs_of(base, new):
        return None
    return (
        None
        if base_policy == new_policy
        else Mismatch("policy", f"different settings policy: {base_policy}, now {new_policy}")
    )


def _workload_mismatch(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> Mismatch | None:
    base_choice = base.study.workload_of(cells[0].target, cells[0].workload)
    new_choice = new.study.workload_of(cells[1].target, cells[1].workload)
    differences = [] if base_choice.name == new_choice.name else [f"{base_choice.name}, now {new_choice.name}"]
    names = sorted({*base_choice.options, *new_choice.options})
    pairs = {
        name: (base_choice.options.get(name, "its default"), new_choice.options.get(name, "its default"))
        for name in names
    }
    differences += [
        f"{name} {base_value}, now {new_value}"
        for name, (base_value, new_value) in pairs.items()
        if base_value != new_value
    ]
    protocols = base.study.protocol, new.study.protocol
    if protocols[0] != protocols[1] and "unknown" not in protocols:
        differences.append(f"statements sent {base.study.protocol}, now {new.study.protocol}")
    return Mismatch("workload", f"different workload: {'; '.join(differences)}") if differences else None


def _dataset_mismatch(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> Mismatch | None:
    base_dataset, new_dataset = base.dataset(cells[0]), new.dataset(cells[1])
    sums = _dataset_checksum(base_dataset), _dataset_checksum(new_dataset)
    if all(sums):
        if sums[0] == sums[1]:
            return None
        return Mismatch("dataset", f"other rows: checksum {sums[0][:16]}, now {sums[1][:16]}")
    random_sources = (base.study.rng, base.study.seed), (new.study.rng, new.study.seed)
    if random_sources[0] != random_sources[1] and not logs_of(base, new):
        words = [f"random numbers of {rng} from seed {seed}" for rng, seed in random_sources]
        return Mismatch("dataset", f"other rows: {words[0]}, now {words[1]}")
    return None


def _pacing_mismatch(base: DiffSide, new: DiffSide) -> Mismatch | None:
    if base.study.pacing == new.study.pacing:
        return None
    return Mismatch("pacing", f"different pacing: {base.study.pacing.words}, now {new.study.pacing.words}")


def split_length(cell: Cell, side: DiffSide) -> tuple[str, str]:
    """Return the name of a cell's workload, and the length that an import has put behind it; empty where it put none.

    An import states lengths where a workload's runs have several; a folder with one length has the plain name.
    """
    match = _LENGTH_RE.search(cell.workload) if side.study.imported is not None else None
    return (cell.workload, "") if match is None else (cell.workload[: match.start()], match[1])


def length_words(cell: Cell, side: DiffSide) -> str:
    """Return how long a cell's runs were ordered to last, as an import writes it."""
    seconds = side.study.window_ns // 10**9
    nearest = round(seconds, -1)
    length_s = nearest if nearest and abs(seconds - nearest) <= max(1, 0.005 * nearest) else seconds
    return split_length(cell, side)[1] or f"{length_s} s"


def _window_mismatch(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> Mismatch | None:
    if logs_of(base, new):
        run_lengths = [length_words(cell, side) for cell, side in zip(cells, (base, new), strict=True)]
        if run_lengths[0] == run_lengths[1]:
            return None
        return Mismatch("window", f"different run length: {run_lengths[0]}, now {run_lengths[1]}")
    base_study, new_study = base.study, new.study
    lengths = (
        ("window", base_study.window_words, new_study.window_words),
        ("warm-up", base_study.warm_up_words, new_study.warm_up_words),
    )
    differences = [
        f"{name} {base_words}, now {new_words}" for name, base_words, new_words in lengths if base_words != new_words
    ]
    return Mismatch("window", f"different part of the run judged: {'; '.join(differences)}") if differences else None


def _dataset_checksum(facts: Mapping[str, Any] | None) -> str:
    return str((facts or {}).get("content_sha256") or "")


def _is_known(value: object) -> bool:
    return value not in (None, "", "unknown")


def _value_words(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def mismatch_words(obstacles: Sequence[Mismatch]) -> str:
    """Return several obstacles in one line."""
    return "; ".join(dict.fromkeys(obstacle.text for obstacle in obstacles))

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
from dbdyno.report._diff_side import DiffSide

MismatchKind = Literal["policy", "workload", "dataset", "pacing", "window", "host"]
MISMATCH_KINDS: tuple[MismatchKind, ...] = get_args(MismatchKind)
_LENGTH_RE = re.compile(r", (\d+ s|unknown length)$")
_SAME_MEMORY = 0.05  # what a kernel leaves of the same machine's memory differs by less
_HARDWARE = {
    "cpu_model": "processor",
    "logical_cpu_count": "processors",
    "architecture": "architecture",
    "virtualisation": "virtualisation",
    "rotational": "rotating disk",
}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Holds why two cells, or two folders, can't be compared as they are."""

    kind: MismatchKind
    text: str


def host_mismatches(base: DiffSide, new: DiffSide) -> list[Mismatch]:
    """Other hardware under the two folders; facts that one side does not know are no obstacle."""
    before, after = base.results.host, new.results.host
    found = [
        f"{words} {_shown(before[name])}, now {_shown(after[name])}"
        for name, words in _HARDWARE.items()
        if _is_known(before.get(name)) and _is_known(after.get(name)) and before[name] != after[name]
    ]
    old, now = before.get("memory_bytes"), after.get("memory_bytes")
    if isinstance(old, int) and isinstance(now, int) and max(old, now) > (1 + _SAME_MEMORY) * min(old, now) > 0:
        found.append(f"memory {format_bytes(old)}, now {format_bytes(now)}")
    return [Mismatch("host", f"different machine: {'; '.join(found)}")] if found else []


def cell_mismatches(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> list[Mismatch]:
    """Return what differs between a cell's two measurements, the machine aside."""
    found = [
        _policy(base, new),
        _workload(base, new, cells),
        _dataset(base, new, cells),
        _pacing(base, new),
        _window(base, new, cells),
    ]
    return [obstacle for obstacle in found if obstacle is not None]


def dataset_is_unknown(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> bool:
    """Return whether one side stored no checksum of the rows that the cell started from."""
    return not (_checksum(base.dataset(cells[0])) and _checksum(new.dataset(cells[1])))


def logs_of(base: DiffSide, new: DiffSide) -> tuple[str, ...]:
    """The sides whose runs were imported: their logs don't tell how they were made, so nothing can be held to it."""
    return tuple(side.name for side in (base, new) if side.study.imported is not None)


def _policy(base: DiffSide, new: DiffSide) -> Mismatch | None:
    before, after = base.study.policy, new.study.policy
    if logs_of(base, new):
        return None
    return None if before == after else Mismatch("policy", f"different settings policy: {before}, now {after}")


def _workload(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> Mismatch | None:
    before = base.study.workload_of(cells[0].target, cells[0].workload)
    after = new.study.workload_of(cells[1].target, cells[1].workload)
    found = [] if before.name == after.name else [f"{before.name}, now {after.name}"]
    names = sorted({*before.options, *after.options})
    pairs = {name: (before.options.get(name, "its default"), after.options.get(name, "its default")) for name in names}
    found += [f"{name} {old}, now {now}" for name, (old, now) in pairs.items() if old != now]
    protocols = base.study.protocol, new.study.protocol
    if protocols[0] != protocols[1] and "unknown" not in protocols:
        found.append(f"statements sent {base.study.protocol}, now {new.study.protocol}")
    return Mismatch("workload", f"different workload: {'; '.join(found)}") if found else None


def _dataset(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> Mismatch | None:
    before, after = base.dataset(cells[0]), new.dataset(cells[1])
    sums = _checksum(before), _checksum(after)
    if all(sums):
        if sums[0] == sums[1]:
            return None
        return Mismatch("dataset", f"other rows: checksum {sums[0][:16]}, now {sums[1][:16]}")
    drawn = (base.study.rng, base.study.seed), (new.study.rng, new.study.seed)
    if drawn[0] != drawn[1] and not logs_of(base, new):
        words = [f"random numbers of {rng} from seed {seed}" for rng, seed in drawn]
        return Mismatch("dataset", f"other rows: {words[0]}, now {words[1]}")
    return None


def _pacing(base: DiffSide, new: DiffSide) -> Mismatch | None:
    if base.study.pacing == new.study.pacing:
        return None
    return Mismatch("pacing", f"different pacing: {base.study.pacing.words}, now {new.study.pacing.words}")


def split_length(cell: Cell, side: DiffSide) -> tuple[str, str]:
    """Name of a cell's workload, and the length that an import has put behind it; empty where it put none.

    An import tells lengths where a workload's runs have several; a folder with one length has the plain name.
    """
    found = _LENGTH_RE.search(cell.workload) if side.study.imported is not None else None
    return (cell.workload, "") if found is None else (cell.workload[: found.start()], found[1])


def length_words(cell: Cell, side: DiffSide) -> str:
    """Return how long a cell's runs were ordered to last, as an import writes it."""
    seconds = side.study.window_ns // 10**9
    nearest = round(seconds, -1)
    near = nearest if nearest and abs(seconds - nearest) <= max(1, 0.005 * nearest) else seconds
    return split_length(cell, side)[1] or f"{near} s"


def _window(base: DiffSide, new: DiffSide, cells: tuple[Cell, Cell]) -> Mismatch | None:
    if logs_of(base, new):
        lasted = [length_words(cell, side) for cell, side in zip(cells, (base, new), strict=True)]
        if lasted[0] == lasted[1]:
            return None
        return Mismatch("window", f"different run length: {lasted[0]}, now {lasted[1]}")
    before, after = base.study, new.study
    lengths = (
        ("window", before.window_words, after.window_words),
        ("warm-up", before.warm_up_words, after.warm_up_words),
    )
    found = [f"{name} {old}, now {now}" for name, old, now in lengths if old != now]
    return Mismatch("window", f"different part of the run judged: {'; '.join(found)}") if found else None


def _checksum(facts: Mapping[str, Any] | None) -> str:
    return str((facts or {}).get("content_sha256") or "")


def _is_known(value: object) -> bool:
    return value not in (None, "", "unknown")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def mismatch_words(obstacles: Sequence[Mismatch]) -> str:
    """Several obstacles in one line."""
    return "; ".join(dict.fromkeys(obstacle.text for obstacle in obstacles))

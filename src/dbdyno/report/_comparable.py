"""Whether two cells measured the same thing, so that a difference can be the engine's.

An obstacle is a difference in what was measured, with what, or on what. It keeps a cell from being compared unless the
user says that it may stand; nothing is passed over without a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dbdyno.core import Cell, format_bytes
from dbdyno.report._side import Side

ObstacleKind = Literal["policy", "workload", "dataset", "pacing", "window", "host"]
OBSTACLE_KINDS: tuple[ObstacleKind, ...] = get_args(ObstacleKind)
_SAME_MEMORY = 0.05  # what a kernel leaves of the same machine's memory differs by less
_HARDWARE = {
    "cpu_model": "processor",
    "logical_cpu_count": "processors",
    "architecture": "architecture",
    "virtualisation": "virtualisation",
    "rotational": "disk that rotates",
}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why two cells, or two folders, can't be compared as they are."""

    kind: ObstacleKind
    text: str


def host_obstacles(base: Side, new: Side) -> list[Obstacle]:
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
    return [Obstacle("host", f"another machine: {'; '.join(found)}")] if found else []


def cell_obstacles(base: Side, new: Side, cells: tuple[Cell, Cell]) -> list[Obstacle]:
    """What differs between a cell's two measurements, the machine aside."""
    found = [
        _policy(base, new),
        _workload(base, new, cells),
        _dataset(base, new, cells),
        _pacing(base, new),
        _window(base, new),
    ]
    return [obstacle for obstacle in found if obstacle is not None]


def dataset_is_unknown(base: Side, new: Side, cells: tuple[Cell, Cell]) -> bool:
    """Whether one side stored no checksum of the rows that the cell started from."""
    return not (_checksum(base.dataset(cells[0])) and _checksum(new.dataset(cells[1])))


def logs_of(base: Side, new: Side) -> tuple[str, ...]:
    """The sides whose runs were imported: their logs don't tell how they were made, so nothing can be held to it."""
    return tuple(side.name for side in (base, new) if side.study.imported is not None)


def _policy(base: Side, new: Side) -> Obstacle | None:
    before, after = base.study.policy, new.study.policy
    if logs_of(base, new):
        return None
    return None if before == after else Obstacle("policy", f"another series: policy {before}, now {after}")


def _workload(base: Side, new: Side, cells: tuple[Cell, Cell]) -> Obstacle | None:
    before = base.study.workload_of(cells[0].target, cells[0].workload)
    after = new.study.workload_of(cells[1].target, cells[1].workload)
    found = [] if before.name == after.name else [f"{before.name}, now {after.name}"]
    names = sorted({*before.options, *after.options})
    pairs = {name: (before.options.get(name, "its default"), after.options.get(name, "its default")) for name in names}
    found += [f"{name} {old}, now {now}" for name, (old, now) in pairs.items() if old != now]
    protocols = base.study.protocol, new.study.protocol
    if protocols[0] != protocols[1] and "unknown" not in protocols:
        found.append(f"statements sent {base.study.protocol}, now {new.study.protocol}")
    return Obstacle("workload", f"another workload: {'; '.join(found)}") if found else None


def _dataset(base: Side, new: Side, cells: tuple[Cell, Cell]) -> Obstacle | None:
    before, after = base.dataset(cells[0]), new.dataset(cells[1])
    sums = _checksum(before), _checksum(after)
    if all(sums):
        if sums[0] == sums[1]:
            return None
        return Obstacle("dataset", f"other rows: checksum {sums[0][:16]}, now {sums[1][:16]}")
    drawn = (base.study.rng, base.study.seed), (new.study.rng, new.study.seed)
    if drawn[0] != drawn[1] and not logs_of(base, new):
        words = [f"random numbers of {rng} from seed {seed}" for rng, seed in drawn]
        return Obstacle("dataset", f"other rows: {words[0]}, now {words[1]}")
    return None


def _pacing(base: Side, new: Side) -> Obstacle | None:
    if base.study.pacing == new.study.pacing:
        return None
    return Obstacle("pacing", f"another pacing: {base.study.pacing.words}, now {new.study.pacing.words}")


def _window(base: Side, new: Side) -> Obstacle | None:
    before, after = base.study, new.study
    lengths = (
        ("window", before.window_words, after.window_words),
        ("warm-up", before.warm_up_words, after.warm_up_words),
    )
    told = lengths[:1] if logs_of(base, new) else lengths
    found = [f"{name} {old}, now {now}" for name, old, now in told if old != now]
    return Obstacle("window", f"another part of the run was judged: {'; '.join(found)}") if found else None


def _checksum(facts: Mapping[str, Any] | None) -> str:
    return str((facts or {}).get("content_sha256") or "")


def _is_known(value: object) -> bool:
    return value not in (None, "", "unknown")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def obstacle_words(obstacles: Sequence[Obstacle]) -> str:
    """Several obstacles in one line."""
    return "; ".join(dict.fromkeys(obstacle.text for obstacle in obstacles))

"""Breaks down the time of a study: obtaining and filling, restoring, warming up, judging, repeating.

What depends on a machine is assumed, on the slow side; what restores have taken there is passed in where it is known.
Each part says what it rests on. A part has three times: at the least, as expected, and at the most. Where a study
leaves lengths to its runs, the expected ones are those that recorded runs have taken, and caps where that can't be
foreseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.core import counted, format_bytes, format_duration, percent, short_percent
from dbdyno.plan._designs import shortest_warm_up_ns, shortest_window_ns
from dbdyno.stats import Variation
from dbdyno.study import Study, WorkloadChoice

ROW_BYTES = 260
"""Row, secondary index and page slack."""
EMPTY_SERVER_BYTES = 700 << 20
"""System tables, redo log, undo, temporary tables."""
_EMPTY_SNAPSHOT_BYTES = 300 << 20
"""Of an empty server, what a restore copies: no redo log of full size, no temporary tables."""
_START_NS = 1 * 10**9
_STOP_NS = 500 * 10**6
"""With reading settings and storing the run, start and stop take 0.8 s to 2 s on small machines with a fast disk."""
_COPY_BYTES_PER_S = 400 << 20
_REDO_IN_SNAPSHOT_BYTES = 256 << 20  # part of what an empty server takes
_READ_BYTES_PER_S = 100 << 20  # random reads of a cold pool: 6,400 pages of 16 KiB
_REDO_BYTES_PER_S = 5 << 20
_PROBES = 10  # of a search: some up, and about four to narrow it down to 5 %
_REDO_CYCLES = 2
_WINDOW_SHARE = 0.6
"""Of the way from the shortest window to the cap. Of 239 public runs of 15 min the windows are 224 s on average at 3 %
between 180 s and 300 s (0.37), and 337 s at 2 % between 240 s and 420 s (0.54); rounded up."""
RESTORE, WARM_UP, STEP, WINDOW = "restore and start", "warm-up after a restore", "warm-up of a further step", "window"
FURTHER = "further repeats"
_NOT_RESTORED = "running servers are neither restored nor started"
_READ_ONLY = frozenset(
    f"sysbench/{name}"
    for name in ("oltp_read_only", "oltp_point_select", "select_random_points", "select_random_ranges")
)


@dataclass(frozen=True, slots=True)
class SeenRestores:
    """Holds what runs with a restore have taken on a machine.

    Parameters
    ----------
    runs : how many there were
    around_ns : mean time of a run beyond its warm-up, window and idle pause
    snapshot_bytes : mean size of what was copied
    """

    runs: int
    around_ns: int
    snapshot_bytes: int


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Describes a time at the least, as expected, and at the most, nanoseconds."""

    least_ns: int
    expected_ns: int
    most_ns: int

    def __add__(self, other: TimeRange) -> TimeRange:
        """Add the times of both."""
        return TimeRange(
            self.least_ns + other.least_ns, self.expected_ns + other.expected_ns, self.most_ns + other.most_ns
        )

    def __mul__(self, count: int) -> TimeRange:
        """Multiply the times."""
        return TimeRange(self.least_ns * count, self.expected_ns * count, self.most_ns * count)


NOTHING = TimeRange(0, 0, 0)


def fixed_span(duration_ns: int) -> TimeRange:
    """Return a time that is known."""
    return TimeRange(duration_ns, duration_ns, duration_ns)


@dataclass(frozen=True, slots=True)
class TimePart:
    """Describes a share of a study's time.

    Parameters
    ----------
    what : restores, warm-ups, windows
    count : how many there are
    basis : what the expected time rests on, in words
    """

    what: str
    count: int
    span: TimeRange
    basis: str


def run_parts(
    study: Study, rows: Mapping[str, int], sentinels: int, seen: SeenRestores | None = None
) -> tuple[TimePart, ...]:
    """Return the parts of all runs that are made in any case, further repeats left out.

    Parameters
    ----------
    rows : of each workload's dataset, by its label
    sentinels : runs of the sentinel
    seen : what restores have taken on the machine of the servers; None where that is not known
    """
    places = [_Place(study, choice, tier, rows.get(choice.label, 0), seen) for choice, tier in _places(study)]
    ladders = study.restore == "ladder"
    started = [target for target in study.targets if target.engine.source_kind != "server"]
    runs_per_concurrency = len(study.targets) * len(study.routes) * study.repeats
    first_count = runs_per_concurrency * (1 if ladders else len(study.concurrencies))
    step_count = runs_per_concurrency * (len(study.concurrencies) - 1) if ladders else 0
    sentinel_place = places[0]
    restored_count = first_count * len(started) // len(study.targets)
    restored_sentinels = sentinels if study.sentinel in {target.name for target in started} else 0
    restores = _sum_spans([place.restore * restored_count for place in places])
    restores += sentinel_place.restore * restored_sentinels
    idle_count = len(places) * (first_count - restored_count) + sentinels - restored_sentinels
    restores += fixed_span(study.settle_ns) * idle_count
    warm_ups = _sum_spans([place.warm_up * first_count for place in places]) + sentinel_place.warm_up * sentinels
    windows = (
        _sum_spans([place.window * (first_count + step_count) for place in places]) + sentinel_place.window * sentinels
    )
    firsts, steps = len(places) * first_count + sentinels, len(places) * step_count
    largest_place = max(places, key=lambda place: place.snapshot_bytes)
    time_parts = [
        TimePart(RESTORE, firsts, restores, largest_place.restore_words if started else _NOT_RESTORED),
        TimePart(WARM_UP, firsts, warm_ups, _warm_up_words(places)),
    ]
    if steps:
        step_ns = study.step_warm_up_ns + study.settle_ns
        time_parts.append(TimePart(STEP, steps, fixed_span(step_ns) * steps, "fixed"))
    return (*time_parts, TimePart(WINDOW, firsts + steps, windows, _window_words(places)))


def further_part(study: Study, parts: Sequence[TimePart], variation: Variation) -> TimePart | None:
    """Return the repeats beyond those that are made in any case; None where the study allows none.

    As expected, where repeats vary as given; at the most, where no cell is ever sure enough.

    Parameters
    ----------
    parts : as of `run_parts`
    """
    if study.repeats_max is None:
        return None
    further_count = study.repeats_max - study.repeats
    windows = parts[-1]
    runs_a_round = windows.count // study.repeats
    window_s = shortest_window_ns(study) / 1e9
    shares = [
        variation.unsure_share(study.level_target_half_width, study.repeats, repeat, window_s, runs_a_round)
        for repeat in range(study.repeats, study.repeats_max)
    ]
    steps = len(study.concurrencies) if study.restore == "ladder" else 1
    ladders = [1 - (1 - share) ** steps for share in shares]
    round_ns = {part.what: part.span.expected_ns // study.repeats for part in parts}
    restored_ns = round_ns[RESTORE] + round_ns[WARM_UP]
    driven_ns = round_ns[WINDOW] + round_ns.get(STEP, 0)
    expected_ns = round(restored_ns * sum(ladders) + driven_ns * sum(shares))
    most_ns = sum(part.span.most_ns for part in parts) // study.repeats * further_count
    cells = ", ".join(percent(share) for share in shares)
    width = short_percent(study.level_target_half_width)
    spread = f"if repeats spread by {short_percent(variation.spread)}"
    basis = f"{cells} of the cells not known to ±{width} after {study.repeats} or more repeats, {spread}"
    return TimePart(FURTHER, round(sum(shares) * runs_a_round), TimeRange(0, expected_ns, most_ns), basis)


@dataclass(frozen=True, slots=True)
class _Place:
    """Describes a workload at a tier, with the rows of its dataset."""

    study: Study
    choice: WorkloadChoice
    tier_bytes: int
    rows: int
    seen: SeenRestores | None

    @property
    def snapshot_bytes(self) -> int:
        """Return what a restore copies."""
        redo = self.study.settings.get("redo.capacity", _REDO_IN_SNAPSHOT_BYTES)
        further_redo_bytes = max(int(redo) - _REDO_IN_SNAPSHOT_BYTES, 0) if isinstance(redo, int | float) else 0
        return _EMPTY_SNAPSHOT_BYTES + self.rows * ROW_BYTES + further_redo_bytes

    @property
    def restore(self) -> TimeRange:
        """Copying, starting, the idle pause, stopping; in the proportion that earlier restores have taken."""
        around_ns = _assumed_around_ns(self.snapshot_bytes)
        if self.seen is not None:
            around_ns = around_ns * self.seen.around_ns // _assumed_around_ns(self.seen.snapshot_bytes)
        return fixed_span(around_ns + self.study.settle_ns)

    @property
    def restore_words(self) -> str:
        """What it rests on."""
        if self.seen is not None:
            size, time = format_bytes(self.seen.snapshot_bytes), format_duration(self.seen.around_ns)
            return f"as in {counted(self.seen.runs, 'earlier run')} here: {time} each with {size}"
        size, speed = format_bytes(self.snapshot_bytes), format_bytes(_COPY_BYTES_PER_S)
        return f"{size} copied at {speed}/s; XFS and Btrfs skip this copy"

    @property
    def warm_up(self) -> TimeRange:
        """From the first transaction to the window."""
        study = self.study
        if not study.adaptive_length.warm_up:
            return fixed_span(study.warm_up_ns)
        least_ns = shortest_warm_up_ns(study)
        waiting_ns = self.reading_ns if not self.waits_for_redo else max(self.reading_ns, self.redo_ns)
        expected_ns = min(max(least_ns, least_ns + waiting_ns), study.warm_up_ns)
        return TimeRange(least_ns, expected_ns, study.warm_up_ns)

    @property
    def window(self) -> TimeRange:
        """The window; the windows of a search with what settles before each."""
        study, search = self.study, self.study.pacing.search
        if search is not None:
            return fixed_span(_PROBES * (search.settle_ns + study.window_ns))
        least_ns = shortest_window_ns(study)
        share = 1.0 if self.is_held_by_redo else _WINDOW_SHARE
        return TimeRange(least_ns, round(least_ns + share * (study.window_ns - least_ns)), study.window_ns)

    @property
    def waits_for_redo(self) -> bool:
        """Return whether the server's redo log must be written over before it counts as settled."""
        return self.study.adaptive_length.gates and self.choice.name not in _READ_ONLY

    @property
    def is_held_by_redo(self) -> bool:
        """Return whether the redo log is expected to be still filling when the warm-up ends."""
        study = self.study
        if study.adaptive_length.window_least_ns is None or not self.waits_for_redo:
            return False
        return self.redo_ns > study.warm_up_ns

    @property
    def reading_ns(self) -> int:
        """Until a cold cache is full."""
        return min(self.tier_bytes, self.rows * ROW_BYTES) * 10**9 // _READ_BYTES_PER_S

    @property
    def redo_ns(self) -> int:
        """Until the redo log has been written over twice."""
        capacity = self.study.settings.get("redo.capacity", _REDO_IN_SNAPSHOT_BYTES)
        bytes_needed = _REDO_CYCLES * int(capacity) if isinstance(capacity, int | float) else 0
        return bytes_needed * 10**9 // _REDO_BYTES_PER_S


def _assumed_around_ns(snapshot_bytes: int) -> int:
    return snapshot_bytes * 10**9 // _COPY_BYTES_PER_S + _START_NS + _STOP_NS


def _places(study: Study) -> list[tuple[WorkloadChoice, int]]:
    return [(choice, tier) for choice in study.workloads for tier in study.tiers_bytes]


def _sum_spans(spans: list[TimeRange]) -> TimeRange:
    total = NOTHING
    for span in spans:
        total += span
    return total


def _warm_up_words(places: list[_Place]) -> str:
    study = places[0].study
    if not study.adaptive_length.warm_up:
        return "fixed"
    words = [f"a pool filled at {format_bytes(_READ_BYTES_PER_S)}/s"]
    if any(place.waits_for_redo for place in places):
        words.append(f"writers: redo written over twice at {format_bytes(_REDO_BYTES_PER_S)}/s")
    return f"{'; '.join(words)}; at most {format_duration(study.warm_up_ns)}"


def _window_words(places: list[_Place]) -> str:
    study = places[0].study
    if study.pacing.search is not None:
        return f"{_PROBES} rates each"
    if study.adaptive_length.window_least_ns is None:
        return "fixed"
    words = "as in published runs"
    if any(place.is_held_by_redo for place in places):
        words += "; writers at the cap, as their redo log is still filling"
    return words

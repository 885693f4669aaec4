"""Lists the limitations of a comparison of two results folders: mismatches, a machine that moved, answers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from dbdyno.analyse import CellJudgement, TargetShift, listed, unsettled_windows, with_remedy
from dbdyno.core import Caveat, Fingerprint, counted
from dbdyno.report._altered import altered_caveats
from dbdyno.report._diff_side import DiffSide
from dbdyno.report._mismatch import Mismatch, dataset_is_unknown, logs_of

DRIFT_SHARE = 0.03


def diff_caveats(
    sides: tuple[DiffSide, DiffSide],
    pairs: Sequence[tuple[CellJudgement, CellJudgement]],
    names: Mapping[str, str],
    stood: Sequence[Mismatch],
    shifts: Mapping[str, TargetShift],
) -> list[Caveat]:
    """Return what weakens a comparison of two folders.

    Parameters
    ----------
    names : of each target in new -> its name in base
    stood : obstacles that the user let be
    shifts : of targets that are the same on both sides
    """
    is_one_folder = sides[0] is sides[1]
    found = altered_caveats(*(side.results for side in (sides[:1] if is_one_folder else sides)))
    found += [Caveat(f"despite-{o.kind}", f"Compared despite a mismatch: {o.text}.") for o in dict.fromkeys(stood)]
    found += _results_differ(sides, names)
    found += _order_caveats(sides[1]) if is_one_folder else _machine(sides, shifts)
    unknown = [pair for pair in pairs if dataset_is_unknown(*sides, (pair[0].cell, pair[1].cell))]
    if unknown:
        text = (
            f"No checksum is stored for {counted(len(unknown), 'cell')}: whether their rows are the same was not "
            "checked."
        )
        found.append(Caveat("dataset-unchecked", text))
    if imported := logs_of(*sides):
        text = (
            f"Imported from logs: {listed(list(dict.fromkeys(imported)))}. Logs do not record warm-up, statement "
            "protocol, random numbers or settings policy: whether these are the same was not checked."
        )
        found.append(Caveat("made-unchecked", text))
    pacing = sides[1].study.pacing
    if not pacing.is_closed and pacing.search is None:
        text = f"The pacing fixes the throughput ({pacing.words}), so look for changes in the response times."
        found.append(Caveat("fixed-rate", text))
    found += _unsettled(sides, pairs)
    single = [group for pair in pairs for group in pair if len(group.judged) == 1]
    if single:
        text = (
            f"{counted(len(single), 'level')} of {2 * len(pairs)} rest on one run: their spread between runs is "
            "assumed or borrowed, and response-time percentiles are not compared. Repeat each cell at least twice."
        )
        found.append(Caveat("one-repeat", text))
    return found


def _unsettled(sides: tuple[DiffSide, DiffSide], pairs: Sequence[tuple[CellJudgement, CellJudgement]]) -> list[Caveat]:
    """Windows without a level that lasts, on either side."""
    if sides[0] is sides[1]:
        records = [run for pair in pairs for group in pair for run in group.runs]
        return list(map(with_remedy, unsettled_windows(records)))
    found = []
    for index, side in enumerate(sides):
        records = [run for pair in pairs for run in pair[index].runs]
        caveats = map(with_remedy, unsettled_windows(records))
        found += [Caveat(caveat.code, f"{side.name}: {caveat.text}") for caveat in caveats]
    return found


def _order_caveats(side: DiffSide) -> list[Caveat]:
    """What limits a comparison within one folder: nothing, where the runs of both targets alternate."""
    if side.study.order == "interleaved":
        return []
    words = "in the order in which the study lists them" if side.study.order == "as-written" else "in an unknown order"
    text = (
        f"The runs were made {words}, so a machine that became slower would look the same as a slower server. "
        'order = "interleaved" in [measure] avoids this.'
    )
    return [Caveat("not-interleaved", text)]


def _machine(sides: tuple[DiffSide, DiffSide], shifts: Mapping[str, TargetShift]) -> list[Caveat]:
    hostnames = [str(side.results.host.get("hostname", "")) for side in sides]
    found = []
    if hostnames[0] != hostnames[1]:
        text = f"Measured on {hostnames[0]} and on {hostnames[1]}: machines of the same type may differ in speed."
        found.append(Caveat("other-machine", text))
    if not shifts:
        text = (
            "Both folders share no unchanged target (same build, settings and load, two cells or more), so a slower "
            "machine would look the same as a slower server."
        )
        found.append(Caveat("no-unchanged-target", text))
    for shift in shifts.values():
        if abs(shift.ratio - 1) > DRIFT_SHARE or (not shift.low <= 1 <= shift.high and abs(shift.ratio - 1) > 0.01):
            text = (
                f"{shift.target} has the same build and settings in both folders, yet its "
                f"{counted(shift.cells, 'cell')} moved by {shift.ratio - 1:+.1%}: the machine changed, which "
                "probably affects the other targets too."
            )
            found.append(Caveat("machine-moved", text))
    return found


def _results_differ(sides: tuple[DiffSide, DiffSide], names: Mapping[str, str]) -> list[Caveat]:
    """Targets that make something else of the same events than before."""
    unlike = []
    for now, before in names.items():
        stored = sides[0].results.fingerprints(before), sides[1].results.fingerprints(now)
        for label in stored[0].keys() & stored[1].keys():
            made = stored[0][label], stored[1][label]
            sums = [each.made for each in made if isinstance(each.made, Fingerprint)]
            if len(sums) == 2 and made[0].dataset == made[1].dataset and _is_unlike(sums):
                unlike.append(f"{now} in {label}")
    if not unlike:
        return []
    text = (
        "After the same events, these targets hold different rows or return different results than before: "
        f"{listed(sorted(unlike))}."
    )
    return [Caveat("results-differ", f"{text} Their difference is not only one of speed.")]


def _is_unlike(sums: Sequence[Fingerprint]) -> bool:
    """Compare runs over as many events; over more, tables differ by themselves."""
    for one, other in itertools.pairwise(sums):
        if one.events + one.failed != other.events + other.failed:
            return False
        if (one.statements_sha256, one.content_sha256) != (other.statements_sha256, other.content_sha256):
            return True
    return False

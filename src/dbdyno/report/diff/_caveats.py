"""Lists the limitations of a comparison of two results folders: mismatches, a machine that moved, answers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from dbdyno.analyse import CellJudgement, TargetShift, listed, unsettled_windows, with_remedy
from dbdyno.core import Caveat, Fingerprint, counted, percent, verb_for
from dbdyno.report._altered import altered_caveats
from dbdyno.report.diff._mismatch import Mismatch, dataset_is_unknown, logs_of
from dbdyno.report.diff._side import DiffSide

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
    stood : obstacles that the user allowed
    shifts : of targets that are the same on both sides
    """
    is_one_folder = sides[0] is sides[1]
    caveats = altered_caveats(*(side.results for side in (sides[:1] if is_one_folder else sides)))
    caveats += [Caveat(f"despite-{o.kind}", f"Compared despite a mismatch: {o.text}.") for o in dict.fromkeys(stood)]
    caveats += _differing_results_caveats(sides, names)
    caveats += _order_caveats(sides[1]) if is_one_folder else _machine_caveats(sides, shifts)
    unchecked_pairs = [pair for pair in pairs if dataset_is_unknown(*sides, (pair[0].cell, pair[1].cell))]
    if unchecked_pairs:
        text = (
            f"No checksum is stored for {counted(len(unchecked_pairs), 'cell')}: whether their rows are the same was "
            "not checked."
        )
        caveats.append(Caveat("dataset-unchecked", text))
    if log_names := logs_of(*sides):
        text = (
            f"Imported from logs: {listed(list(dict.fromkeys(log_names)))}. Logs do not record warm-up, statement "
            "protocol, random numbers or settings policy: whether these are the same was not checked."
        )
        caveats.append(Caveat("made-unchecked", text))
    pacing = sides[1].study.pacing
    if not pacing.is_closed and pacing.search is None:
        text = f"The pacing fixes the throughput ({pacing.words}), so look for changes in the response times."
        caveats.append(Caveat("fixed-rate", text))
    caveats += _unsettled_caveats(sides, pairs)
    single_run_groups = [group for pair in pairs for group in pair if len(group.judged) == 1]
    if single_run_groups:
        text = (
            f"{len(single_run_groups)} of {2 * len(pairs)} levels "
            f"{verb_for(len(single_run_groups), 'rests', 'rest')} on one run: the spread between runs is assumed or "
            "borrowed, and response-time percentiles are not compared. Repeat each cell at least twice."
        )
        caveats.append(Caveat("one-repeat", text))
    return caveats


def _unsettled_caveats(
    sides: tuple[DiffSide, DiffSide], pairs: Sequence[tuple[CellJudgement, CellJudgement]]
) -> list[Caveat]:
    """Return windows without a level that lasts, on either side."""
    if sides[0] is sides[1]:
        records = [run for pair in pairs for group in pair for run in group.runs]
        return list(map(with_remedy, unsettled_windows(records)))
    caveats = []
    for index, side in enumerate(sides):
        records = [run for pair in pairs for run in pair[index].runs]
        window_caveats = map(with_remedy, unsettled_windows(records))
        caveats += [Caveat(caveat.code, f"{side.name}: {caveat.text}") for caveat in window_caveats]
    return caveats


def _order_caveats(side: DiffSide) -> list[Caveat]:
    """Return what limits a comparison within one folder: nothing, where the runs of both targets alternate."""
    if side.study.order == "interleaved":
        return []
    words = "in the order in which the study lists them" if side.study.order == "as-written" else "in an unknown order"
    text = (
        f"The runs were made {words}, so a machine that became slower would look the same as a slower server. "
        'order = "interleaved" in [measure] avoids this.'
    )
    return [Caveat("not-interleaved", text)]


def _machine_caveats(sides: tuple[DiffSide, DiffSide], shifts: Mapping[str, TargetShift]) -> list[Caveat]:
    hostnames = [str(side.results.host.get("hostname", "")) for side in sides]
    caveats = []
    if hostnames[0] != hostnames[1]:
        text = f"Measured on {hostnames[0]} and on {hostnames[1]}: machines of the same type may differ in speed."
        caveats.append(Caveat("other-machine", text))
    if not shifts:
        text = (
            "Both folders share no unchanged target (same build, settings and load, two cells or more), so a slower "
            "machine would look the same as a slower server."
        )
        caveats.append(Caveat("no-unchanged-target", text))
    for shift in shifts.values():
        is_shown = not shift.low <= 1 <= shift.high
        if abs(shift.ratio - 1) > DRIFT_SHARE or (is_shown and abs(shift.ratio - 1) > 0.01):
            machine_words = "changed, which probably affects the other targets too."
            text = (
                f"{shift.target} has the same build and settings in both folders, yet its "
                f"{counted(shift.cells, 'cell')} moved by {percent(shift.ratio - 1, 1, signed=True)}: the machine "
                f"{machine_words if is_shown else f'may have {machine_words} This may be chance.'}"
            )
            caveats.append(Caveat("machine-moved", text))
    return caveats


def _differing_results_caveats(sides: tuple[DiffSide, DiffSide], names: Mapping[str, str]) -> list[Caveat]:
    """Return targets that make something else of the same events than before."""
    differing_targets = []
    for new_target, base_target in names.items():
        fingerprints_by_label = sides[0].results.fingerprints(base_target), sides[1].results.fingerprints(new_target)
        for label in fingerprints_by_label[0].keys() & fingerprints_by_label[1].keys():
            label_fingerprints = fingerprints_by_label[0][label], fingerprints_by_label[1][label]
            sums = [entry.made for entry in label_fingerprints if isinstance(entry.made, Fingerprint)]
            if (
                len(sums) == 2
                and label_fingerprints[0].dataset == label_fingerprints[1].dataset
                and _has_differing_sums(sums)
            ):
                differing_targets.append(f"{new_target} in {label}")
    if not differing_targets:
        return []
    text = (
        "After the same events, these targets hold different rows or return different results than before: "
        f"{listed(sorted(differing_targets))}."
    )
    return [Caveat("results-differ", f"{text} Their difference is not only one of speed.")]


def _has_differing_sums(sums: Sequence[Fingerprint]) -> bool:
    """Compare runs over as many events; over more, tables differ by themselves."""
    for earlier, later in itertools.pairwise(sums):
        if earlier.events + earlier.failed != later.events + later.failed:
            return False
        if (earlier.statements_sha256, earlier.content_sha256) != (later.statements_sha256, later.content_sha256):
            return True
    return False

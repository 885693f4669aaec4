"""Puts results folders together that hold parts of one study, run on several machines."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._altered import RESUMING_CHECK
from dbdyno.store._files import JsonValue
from dbdyno.store._journal import MACHINE_EXAMINED, PARTS_GATHERED, REPEATS_RAISED, JournalEntry
from dbdyno.store._machines import HARDWARE_FACTS, check_alike, gathered_parts
from dbdyno.store._manifest import units_of
from dbdyno.store._results import Results
from dbdyno.store._runs import PackedRun, content_facts, read_record
from dbdyno.store._same_targets import check_same_targets
from dbdyno.store._writer import ResultsWriter


@dataclass(frozen=True, slots=True)
class Gathered:
    """Describes what was put together.

    Parameters
    ----------
    runs : that were added now, also in place of failed ones
    known : that were there already
    machines : names of the hosts of the parts
    """

    results: Results
    runs: int
    known: int
    machines: tuple[str, ...]


def gather(parts: Sequence[Results], into: Path, *, allow_unlike: bool = False) -> Gathered:
    """Add the runs of all parts to a folder, made when it is not there; again: only what is new.

    Of a run that several parts or the folder hold, one that did not fail is taken. Parts may be copies of each other or
    gathered from each other: such a run is one and the same.

    Raises
    ------
    StoreError : of the parts and the folder, two belong to different studies, have made the same run, measured other
        engines or rows for a target, or come from unlike machines and that is not allowed
    """
    first_part = parts[0]
    for part in parts[1:]:
        if part.manifest.study_digest != first_part.manifest.study_digest:
            names = f"'{part.manifest.study_name}' and '{first_part.manifest.study_name}'"
            raise StoreError(
                f"{part.path} is not a part of the same study as {first_part.path}",
                f"{names} measure different things: {_first_difference(part.study_text, first_part.study_text)}",
                "gather the parts of one study file only",
                code="other-study",
            )
    has_folder = (into / layout.MANIFEST).exists()
    folders = [*([Results.open(into, first_part.study_text, RESUMING_CHECK)] if has_folder else []), *parts]
    if not allow_unlike:
        check_alike({name: facts for folder in folders for name, facts in _machines(folder).items()})
    check_same_targets(folders)
    part_of_run = _choose_parts(parts)
    if has_folder:
        results = folders[0]
    else:
        host: dict[str, JsonValue] = dict(first_part.host)
        study_name = first_part.manifest.study_name
        results = Results.create(into, first_part.study_text, first_part.plan, host, study_name=study_name)
    stored_run_ids = results.run_ids()
    common_run_ids = part_of_run.keys() & stored_run_ids
    repeated_ids = {run_id for run_id in common_run_ids if _is_repeated(results, part_of_run[run_id], run_id)}
    with results.writing(["dbdyno", "gather", *(str(part.path) for part in parts)]) as writer:
        writer.append(PARTS_GATHERED, parts=[facts for part in parts for facts in _parts_of(part)])
        _add_machines(writer, results, parts)
        _add_examinations(writer, results, parts)
        _add_raised_repeats(writer, results, parts)
        for part in parts:
            writer.add_target_files(part.target_files())
        if repeated_ids:
            writer.append("failed-runs-set-aside", run_ids=list(writer.set_aside(repeated_ids)))
        for run_id, part in part_of_run.items():
            if run_id not in stored_run_ids or run_id in repeated_ids:
                writer.add_packed(_pack_run(part, run_id))
    known = len(common_run_ids - repeated_ids)
    return Gathered(results, len(part_of_run) - known, known, tuple(dict.fromkeys(map(_host_name, parts))))


def _first_difference(text: str, other_text: str) -> str:
    """Return the first lines in which two studies differ, those before the targets last: name and question."""
    places = (max(text.find("[["), 0), max(other_text.find("[["), 0)), (0, 0)
    pairs = [
        pair
        for place, other_place in places
        for pair in itertools.zip_longest(
            text[place:].splitlines(), other_text[other_place:].splitlines(), fillvalue=""
        )
    ]
    return " and ".join(line.strip() or "nothing" for line in next((pair for pair in pairs if pair[0] != pair[1]), ()))


def _machines(folder: Results) -> dict[str, Mapping[str, object]]:
    """Return the machines whose runs a folder holds: what each is called -> its facts."""
    hosts = {
        f"{folder.path}, part {number} ({part['host'].get('hostname')})": part["host"]
        for number, part in enumerate(gathered_parts(folder), 1)
    }
    return {str(folder.path): folder.host, **hosts}


def _choose_parts(parts: Sequence[Results]) -> dict[str, Results]:
    """Run id -> the part that it is taken from."""
    part_of_run: dict[str, Results] = {}
    for part in parts:
        for run_id in sorted(part.run_ids()):
            other_part = part_of_run.get(run_id)
            if other_part is None or _has_failed(other_part, run_id):
                part_of_run[run_id] = part
            elif not _has_failed(part, run_id) and not _is_same_run(other_part, part, run_id):
                raise _made_twice(other_part, part, run_id)
    return part_of_run


def _is_same_run(first: Results, other: Results, run_id: str) -> bool:
    return read_record(first.run_folder(run_id)) == read_record(other.run_folder(run_id))


def _is_repeated(folder: Results, part: Results, run_id: str) -> bool:
    """Return whether a part has repeated a run that is stored as failed.

    Raises
    ------
    StoreError : the part and the folder hold two runs that did not fail
    """
    stored_record, record = (read_record(results.run_folder(run_id)) for results in (folder, part))
    if record == stored_record or record.status == "failed":
        return False
    if stored_record.status != "failed":
        raise _made_twice(folder, part, run_id)
    return True


def _made_twice(first: Results, other: Results, run_id: str) -> StoreError:
    return StoreError(
        f"{first.path} and {other.path} both have run {run_id}",
        "each part must have different runs",
        "remove one of them, or run the parts with --part 1/N to N/N",
        code="made-twice",
    )


def _has_failed(part: Results, run_id: str) -> bool:
    return read_record(part.run_folder(run_id)).status == "failed"


def _pack_run(part: Results, run_id: str) -> PackedRun:
    """Return a run with its checksums, of an altered part those that it had: the copy is altered as well."""
    files = part.run_files(run_id)
    if not part.alterations:
        return PackedRun(run_id, files, content_facts(files))
    listed_facts = units_of(part.manifest.files).get(f"{layout.RUNS}/{run_id}", {})
    return PackedRun(run_id, files, {name.rpartition("/")[2]: facts for name, facts in listed_facts.items()})


def _add_machines(writer: ResultsWriter, results: Results, parts: Sequence[Results]) -> None:
    """Add to the facts of the host those of each machine that runs name as their bench, as a fleet does."""
    benches = dict(results.host.get("benches", {}))
    for part in parts:
        own_benches = part.host.get("benches", {})
        for name in {record.bench for record in part.records()} - {"", *benches}:
            benches[name] = own_benches.get(name, part.host)
    if benches != results.host.get("benches", {}):
        writer.write_host({**results.host, "benches": benches})


def _add_examinations(writer: ResultsWriter, results: Results, parts: Sequence[Results]) -> None:
    """Add to the journal what was found of the machines of the parts, with the name of each, as far as it is new."""
    own_name = results.host.get("hostname")
    known = {(entry.facts.get("host", own_name), entry.at_ns) for entry in _examinations(results)}
    for part in parts:
        rows = [{"host": _host_name(part), **entry.facts, "at_ns": entry.at_ns} for entry in _examinations(part)]
        writer.append_all(MACHINE_EXAMINED, [row for row in rows if (row["host"], row["at_ns"]) not in known])


def _add_raised_repeats(writer: ResultsWriter, results: Results, parts: Sequence[Results]) -> None:
    """Add to the journal how repeats of the parts were raised, as far as it is new."""
    known = _raised_repeats(results)
    new_rows = {row: facts for part in parts for row, facts in _raised_repeats(part).items() if row not in known}
    writer.append_all(REPEATS_RAISED, new_rows.values())


def _raised_repeats(results: Results) -> dict[tuple[object, object], Mapping[str, JsonValue]]:
    """Repeats before and after -> facts of the event."""
    entries = [entry.facts for entry in results.journal() if entry.event == REPEATS_RAISED]
    return {(facts["earlier"], facts["repeats"]): facts for facts in entries}


def _examinations(results: Results) -> list[JournalEntry]:
    return [entry for entry in results.journal() if entry.event == MACHINE_EXAMINED]


def _host_name(part: Results) -> str:
    return str(part.host.get("hostname", part.path.name))


def _parts_of(part: Results) -> Sequence[JsonValue]:
    """Return what is to be known of a part; of one that was gathered itself, of its own parts."""
    own_facts: JsonValue = {
        "folder": part.path.name,
        "runs": len(part.run_ids()),
        "host": {name: part.host.get(name) for name in ("hostname", *HARDWARE_FACTS)},
    }
    return [dict(facts) for facts in gathered_parts(part)] or [own_facts]

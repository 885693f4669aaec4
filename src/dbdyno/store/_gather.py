"""Puts results folders together that hold parts of one study, run on several machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import StoreError
from dbdyno.store import _layout as layout
from dbdyno.store._files import JsonValue
from dbdyno.store._manifest import units_of
from dbdyno.store._results import Results
from dbdyno.store._runs import PackedRun, read_record

_LOOKED_FOR = ("cpu_model", "logical_cpu_count", "memory_bytes")
_MEMORY_APART = 0.05


@dataclass(frozen=True, slots=True)
class Gathered:
    """Describes what was put together.

    Parameters
    ----------
    runs : that were added now
    known : that were there already
    machines : names of the hosts of the parts
    """

    results: Results
    runs: int
    known: int
    machines: tuple[str, ...]


def gather(parts: Sequence[Results], into: Path, *, allow_unlike: bool = False) -> Gathered:
    """Add the runs of all parts to a folder, made when it is not there; again: only what is new.

    Of a run that several parts hold, one that did not fail is taken.

    Raises
    ------
    StoreError : the parts are of different studies, two of them have made the same run, or their machines are unlike
        and that is not allowed
    """
    first_part = parts[0]
    for part in parts[1:]:
        if part.manifest.study_digest != first_part.manifest.study_digest:
            raise StoreError(
                f"{part.path} is not a part of the same study as {first_part.path}",
                f"'{part.manifest.study_name}' and '{first_part.manifest.study_name}' measure different things",
                "gather the parts of one study file only",
            )
    if not allow_unlike:
        check_alike({str(part.path): part.host for part in parts})
    part_of_run = _choose_parts(parts)
    host: dict[str, JsonValue] = dict(first_part.host)
    results = Results.open_or_create(
        into, first_part.study_text, first_part.plan, host, study_name=first_part.manifest.study_name
    )
    known_run_ids = results.run_ids()
    machines = tuple(dict.fromkeys(str(part.host.get("hostname", part.path.name)) for part in parts))
    with results.writing(["dbdyno", "gather", *(str(part.path) for part in parts)]) as writer:
        writer.append("parts_gathered", parts=[_part_facts(part) for part in parts])
        for part in parts:
            writer.add_target_files(part.target_files())
        for run_id, part in part_of_run.items():
            if run_id not in known_run_ids:
                writer.add_packed(_pack_run(part, run_id))
    return Gathered(results, len(part_of_run.keys() - known_run_ids), len(part_of_run.keys() & known_run_ids), machines)


def check_alike(machines: Mapping[str, Mapping[str, object]]) -> None:
    """Refuse machines of other hardware: tiers and rounds of several machines are set side by side.

    Parameters
    ----------
    machines : what each is called -> its facts

    Raises
    ------
    StoreError : two differ
    """
    (first_name, facts), *other_machines = machines.items()
    for other_name, other_facts in other_machines:
        for name in _LOOKED_FOR:
            first_value, other_value = facts.get(name), other_facts.get(name)
            if name == "memory_bytes" and isinstance(first_value, int) and isinstance(other_value, int):
                is_alike = abs(first_value - other_value) <= _MEMORY_APART * max(first_value, other_value)
            else:
                is_alike = first_value == other_value
            if not is_alike:
                raise StoreError(
                    f"the machines of {first_name} and {other_name} differ: {name} is {first_value} and {other_value}",
                    "runs of one would be compared with runs of the other",
                    "--allow-unlike combines them anyway; the report then names the machines",
                )


def _choose_parts(parts: Sequence[Results]) -> dict[str, Results]:
    """Run id -> the part that it is taken from."""
    part_of_run: dict[str, Results] = {}
    for part in parts:
        for run_id in sorted(part.run_ids()):
            other_part = part_of_run.get(run_id)
            if other_part is None or _has_failed(other_part, run_id):
                part_of_run[run_id] = part
            elif not _has_failed(part, run_id):
                raise StoreError(
                    f"{other_part.path} and {part.path} both have run {run_id}",
                    "each part must have different runs",
                    "leave out one of them, or run the parts with --part 1/N to N/N",
                )
    return part_of_run


def _has_failed(part: Results, run_id: str) -> bool:
    return read_record(part.run_folder(run_id)).status == "failed"


def _pack_run(part: Results, run_id: str) -> PackedRun:
    unit = f"{layout.RUNS}/{run_id}"
    facts = units_of(part.manifest.files).get(unit, {})
    files = {name.rpartition("/")[2]: (part.path / name).read_bytes() for name in facts}
    return PackedRun(run_id, files, {name.rpartition("/")[2]: file_facts for name, file_facts in facts.items()})


def _part_facts(part: Results) -> JsonValue:
    return {
        "folder": part.path.name,
        "runs": len(part.run_ids()),
        "host": {name: part.host.get(name) for name in ("hostname", *_LOOKED_FOR)},
    }

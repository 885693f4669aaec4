"""Compares the machines that made the runs of a results folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbdyno.core import StoreError, counted, format_bytes
from dbdyno.store._journal import PARTS_GATHERED
from dbdyno.store._results import Results

HARDWARE_FACTS = ("cpu_model", "logical_cpu_count", "memory_bytes")
"""Facts of a machine in which two of the same hardware are alike."""
_MEMORY_APART = 0.05


def gathered_parts(results: Results) -> tuple[Mapping[str, Any], ...]:
    """Return what is known of the parts that a folder was gathered from, with the facts of their machines (``host``).

    None of a folder that was not gathered.
    """
    entries: list[Any] = [entry.facts["parts"] for entry in results.journal() if entry.event == PARTS_GATHERED]
    parts = [part for listed_parts in entries for part in listed_parts]
    return tuple({(part["folder"], *part["host"].values()): part for part in parts}.values())


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
        for name in HARDWARE_FACTS:
            if not _is_alike(name, facts.get(name), other_facts.get(name)):
                words, other_words = (_fact_words(name, machine.get(name)) for machine in (facts, other_facts))
                raise StoreError(
                    f"the machines of {first_name} and {other_name} differ: {words} and {other_words}",
                    "runs of one would be compared with runs of the other",
                    "--allow-unlike combines them anyway; the report then names the machines",
                    code="machines-differ",
                )


def are_alike(facts: Mapping[str, object], other_facts: Mapping[str, object]) -> bool:
    """Return whether two machines have the same hardware."""
    return all(_is_alike(name, facts.get(name), other_facts.get(name)) for name in HARDWARE_FACTS)


def _is_alike(name: str, value: object, other_value: object) -> bool:
    if name == "memory_bytes" and isinstance(value, int) and isinstance(other_value, int):
        return abs(value - other_value) <= _MEMORY_APART * max(value, other_value)
    return value == other_value


def _fact_words(name: str, value: object) -> str:
    """Return a fact of a machine for people; of what is not known that it is so."""
    if name == "memory_bytes":
        return f"{format_bytes(value)} of memory" if isinstance(value, int) else "an unknown size of memory"
    if name == "logical_cpu_count":
        return counted(value, "processor") if isinstance(value, int) else "an unknown number of processors"
    return str(value or "an unknown processor")

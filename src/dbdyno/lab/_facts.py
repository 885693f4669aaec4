"""Installations and datasets as the results folder keeps them. Pure."""

from __future__ import annotations

from dataclasses import asdict

from dbdyno.engines import used_tables
from dbdyno.populate import ConditionAnswer, Dataset, FillEnd, Snapshot
from dbdyno.provision import Installation
from dbdyno.store import JsonValue


def installation_facts(installation: Installation) -> dict[str, JsonValue]:
    """What was installed and where it came from, well enough to get it again. No address carries a password."""
    return {
        "family": installation.family,
        "version": installation.version,
        "raw_version": installation.raw_version,
        "storage_engines": list(installation.storage_engines),
        "source": installation.origin.source,
        "location": installation.origin.location,
        **({"package_lists_expired": expired} if (expired := installation.origin.lists_expired) else {}),
        "packages": [asdict(package) for package in installation.origin.packages],
        "nearest_note": installation.nearest_note,
        "added_tables": dict(used_tables()),
    }


def dataset_facts(dataset: Dataset, snapshot: Snapshot) -> dict[str, JsonValue]:
    """What the runs of a target start from."""
    return {
        **_described(dataset),
        "in_place": False,
        "snapshot": snapshot.key,
        "rows_total": snapshot.rows_total,
        "bytes": snapshot.bytes,
        "fill_ns": snapshot.fill_ns,
        "load_ns": snapshot.load_ns,
        "index_ns": snapshot.index_ns,
        "created_ns": snapshot.created_ns,
        "content_sha256": snapshot.content_sha256,
        "tables": [table.to_json() for table in snapshot.tables],
        "space": [table.to_json() for table in snapshot.space],
        **_undecided(snapshot.undecided),
    }


def _undecided(answers: tuple[ConditionAnswer, ...]) -> dict[str, JsonValue]:
    """Conditions that the server did not answer in time, where there are some."""
    return {"undecided": [answer.to_json() for answer in answers]} if answers else {}


def in_place_facts(dataset: Dataset, end: FillEnd) -> dict[str, JsonValue]:
    """What was filled into a server that is not ours; nothing is kept of it."""
    return {
        **_described(dataset),
        "in_place": True,
        "rows_total": sum(table.rows for table in end.tables),
        "fill_ns": end.elapsed_ns,
        "load_ns": end.load_ns,
        "index_ns": end.index_ns,
        "content_sha256": end.content_sha256,
        "tables": [table.to_json() for table in end.tables],
        "space": [table.to_json() for table in end.space],
        **_undecided(end.undecided),
    }


def _described(dataset: Dataset) -> dict[str, JsonValue]:
    return {
        "dataset": dataset.title,
        "digest": dataset.digest,
        "workload": dataset.workload,
        "options": dict(dataset.options),
        "rng": dataset.rng,
        "seed": dataset.seed,
    }

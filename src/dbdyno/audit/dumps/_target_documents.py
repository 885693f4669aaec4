"""Gathers the contents of the files of one target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dbdyno.audit import TargetFacts
from dbdyno.audit.dumps._location import DumpLocation
from dbdyno.audit.dumps._parse import Document, plain_rows
from dbdyno.engines import read_option_file


@dataclass(slots=True)
class TargetDocuments:
    """Holds documents of one target in one tier, and the folders they lie in."""

    folders: tuple[str, ...] = ()
    variables: dict[str, str] | None = None
    statuses: list[tuple[str, float, dict[str, str]]] = field(default_factory=list)
    options: dict[str, str] | None = None
    summary: dict[str, str] | None = None
    seconds: list[dict[str, str]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def add(documents: TargetDocuments, place: DumpLocation, document: Document) -> None:
    """Add one document of a target."""
    if document.kind == "variables":
        documents.variables = document.rows
    elif document.kind == "status":
        documents.statuses.append((place.moment, _uptime_s(document.rows), document.rows))
    elif document.kind == "option_file":
        documents.options = (documents.options or {}) | read_option_file(document.rows["text"]).asked
    elif document.kind == "summary":
        documents.summary = document.rows
    elif document.kind == "seconds":
        documents.seconds = document.content["rows"]
    else:
        _add_json(documents, place, document.content)


def _add_json(documents: TargetDocuments, place: DumpLocation, content: dict[str, Any]) -> None:
    if content.get("variables"):
        documents.variables = plain_rows(content["variables"])
        for name in ("version", "version_comment"):
            if isinstance(content.get(name), str):
                documents.variables.setdefault(name, content[name])
    for key, moment in (("status", place.moment), ("status_end", "end")):
        if content.get(key):
            rows = plain_rows(content[key])
            documents.statuses.append((moment, _uptime_s(rows), rows))
    if isinstance(content.get("option_file"), str):
        documents.options = (documents.options or {}) | read_option_file(content["option_file"]).asked
    elif isinstance(content.get("option_file"), dict):
        documents.options = (documents.options or {}) | plain_rows(content["option_file"])
    for group in ("session", "schema", "host", "run", "version", "storage_engine"):
        if content.get(group):
            documents.facts[group] = content[group]


def _uptime_s(rows: dict[str, str]) -> float:
    try:
        return float(rows.get("uptime", "0"))
    except ValueError:
        return 0.0


def was_dumped(documents: TargetDocuments) -> bool:
    """Return whether anything was read from the server, not only asked for or stated."""
    return documents.variables is not None or bool(documents.statuses) or documents.summary is not None


def merged(documents: TargetDocuments, common: TargetDocuments) -> TargetDocuments:
    """Return what was dumped for one target, and what is common to it and others where it says nothing itself."""
    return TargetDocuments(
        documents.folders,
        documents.variables if documents.variables is not None or common.statuses else common.variables,
        documents.statuses or common.statuses,
        documents.options if documents.options is not None else common.options,
        documents.summary or common.summary,
        documents.seconds or common.seconds,
        {group: _merge_group(common.facts, documents.facts, group) for group in common.facts | documents.facts},
    )


def _merge_group(common_facts: dict[str, Any], own_facts: dict[str, Any], group: str) -> Any:  # noqa: ANN401 - facts are foreign data
    """Merge a group of facts; what a target says itself comes before what is common."""
    common_group, own_group = common_facts.get(group), own_facts.get(group)
    if isinstance(common_group, dict) and isinstance(own_group, dict):
        return common_group | own_group
    return common_group if own_group is None else own_group


def target_facts(name: str, documents: TargetDocuments) -> TargetFacts:
    """Return all of a target as the audit takes it; of several status dumps the first and the last."""
    sorted_statuses = sorted(documents.statuses, key=lambda entry: (entry[0] == "end", entry[1]))
    start = sorted_statuses[0][2] if sorted_statuses and sorted_statuses[0][0] != "end" else None
    end = sorted_statuses[-1][2] if len(sorted_statuses) > 1 or (sorted_statuses and start is None) else None
    return TargetFacts(
        name=name,
        variables=documents.variables,
        status=start if start is not None else end,
        status_end=end if start is not None else None,
        status_each_second=tuple(documents.seconds),
        summary=documents.summary,
        option_file=documents.options,
        session=documents.facts.get("session", {}),
        schema=documents.facts.get("schema", {}),
        host=documents.facts.get("host", {}),
        run=documents.facts.get("run", {}),
        version=str(documents.facts.get("version", "")),
        storage_engine=str(documents.facts.get("storage_engine", "")),
    )

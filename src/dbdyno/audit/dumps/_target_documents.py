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
    """Documents of one target in one tier, and the folders they lie in."""

    folders: tuple[str, ...] = ()
    variables: dict[str, str] | None = None
    statuses: list[tuple[str, float, dict[str, str]]] = field(default_factory=list)
    options: dict[str, str] | None = None
    summary: dict[str, str] | None = None
    seconds: list[dict[str, str]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def add(found: TargetDocuments, place: DumpLocation, document: Document) -> None:
    """One document more of a target."""
    if document.kind == "variables":
        found.variables = document.rows
    elif document.kind == "status":
        found.statuses.append((place.moment, _uptime_s(document.rows), document.rows))
    elif document.kind == "option_file":
        found.options = (found.options or {}) | read_option_file(document.rows["text"]).asked
    elif document.kind == "summary":
        found.summary = document.rows
    elif document.kind == "seconds":
        found.seconds = document.content["rows"]
    else:
        _add_json(found, place, document.content)


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


def was_dumped(found: TargetDocuments) -> bool:
    """Return whether anything was read from the server, not only asked for or stated."""
    return found.variables is not None or bool(found.statuses) or found.summary is not None


def merged(found: TargetDocuments, common: TargetDocuments) -> TargetDocuments:
    """Return what was found, and what is common to it and others where it says nothing itself."""
    return TargetDocuments(
        found.folders,
        found.variables if found.variables is not None or common.statuses else common.variables,
        found.statuses or common.statuses,
        found.options if found.options is not None else common.options,
        found.summary or common.summary,
        found.seconds or common.seconds,
        {group: _merge_group(common.facts, found.facts, group) for group in common.facts | found.facts},
    )


def _merge_group(common_facts: dict[str, Any], own_facts: dict[str, Any], group: str) -> Any:  # noqa: ANN401 - facts are foreign data
    """A group of facts; what a target says itself comes before what is common."""
    common_group, own_group = common_facts.get(group), own_facts.get(group)
    if isinstance(common_group, dict) and isinstance(own_group, dict):
        return common_group | own_group
    return common_group if own_group is None else own_group


def target_facts(name: str, found: TargetDocuments) -> TargetFacts:
    """All of a target as the audit takes it; of several status dumps the first and the last."""
    sorted_statuses = sorted(found.statuses, key=lambda entry: (entry[0] == "end", entry[1]))
    start = sorted_statuses[0][2] if sorted_statuses and sorted_statuses[0][0] != "end" else None
    end = sorted_statuses[-1][2] if len(sorted_statuses) > 1 or (sorted_statuses and start is None) else None
    return TargetFacts(
        name=name,
        variables=found.variables,
        status=start if start is not None else end,
        status_end=end if start is not None else None,
        status_each_second=tuple(found.seconds),
        summary=found.summary,
        option_file=found.options,
        session=found.facts.get("session", {}),
        schema=found.facts.get("schema", {}),
        host=found.facts.get("host", {}),
        run=found.facts.get("run", {}),
        version=str(found.facts.get("version", "")),
        storage_engine=str(found.facts.get("storage_engine", "")),
    )

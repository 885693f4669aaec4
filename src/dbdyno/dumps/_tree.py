"""A folder of dumps as comparison sets."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.audit import ComparisonSet, TargetFacts, parse_option_file
from dbdyno.core import RequestError
from dbdyno.dumps._parse import Document, parse_document, plain_rows
from dbdyno.dumps._place import Place, campaign_and_target, place_of

_LARGEST_BYTES = 16 << 20
_TELLING = re.compile(
    r"var|status|\.cnf|\.ini|summary|facts|config|option|show|global|mysql|mariadb|percona|my\b", re.IGNORECASE
)
_OTHER_FILES = re.compile(
    r"sysbench|vmstat|iostat|dstat|mpstat|\.(png|svg|html|md|sh|py|sql|pdf|xz|zst|bz2)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that should tell something and does not."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Dumps:
    """What a folder holds.

    Parameters
    ----------
    sets : comparison sets by campaign and tier, tiers from small to large
    unread : files that look like dumps and could not be read
    """

    sets: tuple[ComparisonSet, ...]
    unread: tuple[Unread, ...]


@dataclass(slots=True)
class _Collected:
    """Documents of one target in one tier, and the folders they lie in."""

    folders: tuple[str, ...] = ()
    variables: dict[str, str] | None = None
    statuses: list[tuple[str, float, dict[str, str]]] = field(default_factory=list)
    options: dict[str, str] | None = None
    summary: dict[str, str] | None = None
    seconds: list[dict[str, str]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def read_dumps(folder: Path) -> Dumps:
    """Every dump below a folder, put to its target, tier and campaign.

    Files are known by what stands in them. One that cannot be read is named, and the rest is read.

    Raises
    ------
    RequestError : no such folder, or no dump in it
    """
    if not folder.is_dir():
        raise RequestError(f"there is no folder {folder}", "", "name a folder with dumps of SHOW VARIABLES")
    documents: list[tuple[Place, Document]] = []
    unread: list[Unread] = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or _OTHER_FILES.search(path.name) or path.name.startswith("."):
            continue
        try:
            document = parse_document(_text(path))
        except (OSError, EOFError, zlib.error, ValueError) as error:
            unread.append(Unread(path, str(error)))
            continue
        if document.kind != "unknown":
            documents.append((place_of(path.relative_to(folder)), document))
        elif _TELLING.search(path.name):
            unread.append(Unread(path, "no rows of SHOW VARIABLES or STATUS, no option file, no summary, no facts"))
    sets = _sets(documents)
    if not sets:
        raise RequestError(
            f"{folder} holds no dumps of a server",
            "\n".join(f"{entry.path}: {entry.why}" for entry in unread[:10]),
            "put SHOW GLOBAL VARIABLES, SHOW GLOBAL STATUS and the option file of each target into a folder of its own",
        )
    return Dumps(sets, tuple(unread))


def _text(path: Path) -> str:
    if path.stat().st_size > _LARGEST_BYTES:
        raise ValueError("larger than 16 MiB")
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16")
    if b"\0" in raw[:4096]:
        raise ValueError("not a text")
    return raw.decode("utf-8-sig", errors="replace")


def _sets(documents: list[tuple[Place, Document]]) -> tuple[ComparisonSet, ...]:
    collected: dict[tuple[str, str, str], _Collected] = {}
    shared: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    for place, document in documents:
        if document.kind == "facts" and {"study", "text"} & set(document.content):
            shared.append((place.folders, document.content))
        if document.kind == "facts" and not set(document.content) - {"study", "text"}:
            continue
        campaign, target = campaign_and_target(place.folders, place.label)
        key = ("/".join(campaign), target or "target", place.tier)
        _add(collected.setdefault(key, _Collected(place.folders)), place, document)
    collected = _with_untiered(_in_one_campaign(_handed_down(collected)))
    groups: dict[tuple[str, str], list[TargetFacts]] = {}
    for (campaign_name, target, tier), found in sorted(collected.items(), key=lambda item: item[0][1]):
        groups.setdefault((campaign_name, tier), []).append(_facts(target, found))
    return tuple(
        ComparisonSet(
            tuple(groups[campaign_name, tier]),
            campaign_name,
            tier,
            _shared(shared, campaign_name, "study"),
            _shared(shared, campaign_name, "text"),
        )
        for campaign_name, tier in sorted(groups, key=lambda key: (key[0], _size(key[1])))
    )


def _add(found: _Collected, place: Place, document: Document) -> None:
    if document.kind == "variables":
        found.variables = document.rows
    elif document.kind == "status":
        found.statuses.append((place.moment, _uptime(document.rows), document.rows))
    elif document.kind == "option_file":
        found.options = (found.options or {}) | parse_option_file(document.rows["text"])
    elif document.kind == "summary":
        found.summary = document.rows
    elif document.kind == "seconds":
        found.seconds = document.content["rows"]
    else:
        _add_json(found, place, document.content)


def _add_json(found: _Collected, place: Place, content: dict[str, Any]) -> None:
    if content.get("variables"):
        found.variables = plain_rows(content["variables"])
        for name in ("version", "version_comment"):
            if isinstance(content.get(name), str):
                found.variables.setdefault(name, content[name])
    for key, moment in (("status", place.moment), ("status_end", "end")):
        if content.get(key):
            rows = plain_rows(content[key])
            found.statuses.append((moment, _uptime(rows), rows))
    if isinstance(content.get("option_file"), str):
        found.options = (found.options or {}) | parse_option_file(content["option_file"])
    elif isinstance(content.get("option_file"), dict):
        found.options = (found.options or {}) | plain_rows(content["option_file"])
    for group in ("session", "schema", "host", "run", "version", "storage_engine"):
        if content.get(group):
            found.facts[group] = content[group]


def _uptime(rows: dict[str, str]) -> float:
    try:
        return float(rows.get("uptime", "0"))
    except ValueError:
        return 0.0


def _facts(name: str, found: _Collected) -> TargetFacts:
    ordered = sorted(found.statuses, key=lambda entry: (entry[0] == "end", entry[1]))
    start = ordered[0][2] if ordered and ordered[0][0] != "end" else None
    end = ordered[-1][2] if len(ordered) > 1 or (ordered and start is None) else None
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


def _handed_down(collected: dict[tuple[str, str, str], _Collected]) -> dict[tuple[str, str, str], _Collected]:
    """Option files and facts that lie above targets are for all of them; facts without a target are dropped."""
    dumped = {key: found for key, found in collected.items() if _was_dumped(found)}
    result = dict(dumped)
    for key, found in collected.items():
        if key in dumped:
            continue
        below = _concerned(key, found, dumped)
        for k in below:
            result[k] = _merged(result[k], found)
        if not below and found.options is not None:
            result[key] = found
    return result


def _concerned(
    key: tuple[str, str, str], found: _Collected, dumped: dict[tuple[str, str, str], _Collected]
) -> list[tuple[str, str, str]]:
    """Targets below the folder of what was found; in the same folder, where a single target lies there."""
    of_its_tier = {k: other for k, other in dumped.items() if key[2] in ("", k[2])}
    beside = [k for k, other in of_its_tier.items() if other.folders == found.folders]
    if beside and len({k[:2] for k in beside}) == 1:
        return beside
    depth = len(found.folders)
    return [k for k, o in of_its_tier.items() if o.folders[:depth] == found.folders and len(o.folders) > depth]


def _was_dumped(found: _Collected) -> bool:
    return found.variables is not None or bool(found.statuses) or found.summary is not None


def _in_one_campaign(collected: dict[tuple[str, str, str], _Collected]) -> dict[tuple[str, str, str], _Collected]:
    """Where no campaign holds two targets, folders were hosts or kinds: all are one campaign, with longer names."""
    targets: dict[str, set[str]] = {}
    for campaign, target, _ in collected:
        targets.setdefault(campaign, set()).add(target)
    if len(targets) < 2 or any(len(names) > 1 for names in targets.values()):
        return collected
    return {
        ("", f"{campaign}/{target}".strip("/"), tier): found for (campaign, target, tier), found in collected.items()
    }


def _with_untiered(collected: dict[tuple[str, str, str], _Collected]) -> dict[tuple[str, str, str], _Collected]:
    """Facts and option files without a tier belong to every tier of their target."""
    tiers: dict[tuple[str, str], list[str]] = {}
    for campaign, target, tier in collected:
        tiers.setdefault((campaign, target), []).append(tier)
    result = {}
    for (campaign, target, tier), found in collected.items():
        own = tiers[campaign, target]
        if tier or len(own) == 1:
            common = collected.get((campaign, target, "")) if tier else None
            result[campaign, target, tier] = _merged(found, common) if common is not None else found
        elif found.variables is not None:
            result[campaign, target, tier] = found
    return result


def _merged(found: _Collected, common: _Collected) -> _Collected:
    return _Collected(
        found.folders,
        found.variables if found.variables is not None or common.statuses else common.variables,
        found.statuses or common.statuses,
        found.options if found.options is not None else common.options,
        found.summary or common.summary,
        found.seconds or common.seconds,
        common.facts | found.facts,
    )


def _shared(shared: Iterable[tuple[tuple[str, ...], dict[str, Any]]], campaign: str, group: str) -> dict[str, Any]:
    """Facts of the study that lie at or above a campaign's folder."""
    facts: dict[str, Any] = {}
    for folders, content in shared:
        if f"{campaign}/".startswith("".join(f"{folder}/" for folder in folders)):
            facts |= content.get(group, {})
    return facts


def _size(tier: str) -> tuple[float, str]:
    match = re.search(r"(\d+(?:\.\d+)?)\s*([kmgt]?)", tier.lower())
    return (float(match[1]) * 1024 ** "kmgt".find(match[2]) if match else 0.0, tier)

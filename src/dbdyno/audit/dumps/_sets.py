"""Builds comparison sets from documents and their places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from dbdyno.audit import ComparisonSet, TargetFacts
from dbdyno.audit.dumps._location import DumpLocation, campaign_and_target, names_a_server
from dbdyno.audit.dumps._parse import Document
from dbdyno.audit.dumps._target_documents import TargetDocuments, add, merged, target_facts, was_dumped

Key = tuple[str, str, str]  # campaign, target, tier
Collection = dict[Key, TargetDocuments]


def sets_of(documents: list[tuple[DumpLocation, Document]]) -> tuple[ComparisonSet, ...]:
    """Comparison sets by campaign and tier, of documents and where they lay."""
    collected: Collection = {}
    shared: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    for place, document in _without_idle_labels(documents):
        if document.kind == "facts" and {"study", "text"} & set(document.content):
            shared.append((place.folders, document.content))
        if document.kind == "facts" and not set(document.content) - {"study", "text"}:
            continue
        campaign, target = campaign_and_target(place.folders, place.label)
        key = ("/".join(campaign), target or "target", place.tier)
        add(collected.setdefault(key, TargetDocuments(place.folders)), place, document)
    collected = _with_untiered(_in_one_campaign(_handed_down(collected)))
    groups: dict[tuple[str, str], list[TargetFacts]] = {}
    for (campaign_name, target, tier), found in sorted(collected.items(), key=lambda item: item[0][1]):
        groups.setdefault((campaign_name, tier), []).append(target_facts(target, found))
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


def _without_idle_labels(documents: list[tuple[DumpLocation, Document]]) -> list[tuple[DumpLocation, Document]]:
    """Names of files tell targets apart only where a folder holds several; elsewhere the folder is the target."""
    dumped: dict[tuple[str, ...], set[str]] = {}
    named: dict[tuple[str, ...], set[str]] = {}
    for place, document in documents:
        if document.kind == "variables" or document.content.get("variables"):
            dumped.setdefault(place.folders, set()).add(place.label)
        if names_a_server(place.label):
            named.setdefault(place.folders, set()).add(place.label)
    single = {folders for folders, labels in dumped.items() if folders and len(labels | named.get(folders, set())) == 1}
    return [(replace(p, label="") if p.folders in single else p, document) for p, document in documents]


def _handed_down(collected: Collection) -> Collection:
    """Option files and facts that lie above targets are for all of them; facts without a target are dropped."""
    dumped = {key: found for key, found in collected.items() if was_dumped(found)}
    result = dict(dumped)
    for key, found in collected.items():
        if key in dumped:
            continue
        below = _concerned(key, found, dumped)
        for k in below:
            result[k] = merged(result[k], found)
        if not below and found.options is not None:
            result[key] = found
    return result


def _concerned(key: Key, found: TargetDocuments, dumped: Collection) -> list[Key]:
    """Targets below the folder of what was found; in the same folder, where a single target lies there."""
    of_its_tier = {k: other for k, other in dumped.items() if key[2] in ("", k[2])}
    beside = [k for k, other in of_its_tier.items() if other.folders == found.folders]
    if beside and len({k[:2] for k in beside}) == 1:
        return beside
    depth = len(found.folders)
    return [k for k, o in of_its_tier.items() if o.folders[:depth] == found.folders and len(o.folders) > depth]


def _in_one_campaign(collected: Collection) -> Collection:
    """Where no campaign holds two targets, folders were hosts or kinds: all are one campaign, with longer names."""
    targets: dict[str, set[str]] = {}
    for campaign, target, _ in collected:
        targets.setdefault(campaign, set()).add(target)
    if len(targets) < 2 or any(len(names) > 1 for names in targets.values()):
        return collected
    return {
        ("", f"{campaign}/{target}".strip("/"), tier): found for (campaign, target, tier), found in collected.items()
    }


def _with_untiered(collected: Collection) -> Collection:
    """Facts and option files without a tier belong to every tier of their target."""
    tiers: dict[tuple[str, str], list[str]] = {}
    for campaign, target, tier in collected:
        tiers.setdefault((campaign, target), []).append(tier)
    result = {}
    for (campaign, target, tier), found in collected.items():
        own = tiers[campaign, target]
        if tier or len(own) == 1:
            common = collected.get((campaign, target, "")) if tier else None
            result[campaign, target, tier] = merged(found, common) if common is not None else found
        elif found.variables is not None:
            result[campaign, target, tier] = found
    return result


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

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
    """Return comparison sets by campaign and tier, of documents and where they lay."""
    collected: Collection = {}
    shared: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    for place, document in _remove_idle_labels(documents):
        if document.kind == "facts" and {"study", "text"} & set(document.content):
            shared.append((place.folders, document.content))
        if document.kind == "facts" and not set(document.content) - {"study", "text"}:
            continue
        campaign, target = campaign_and_target(place.folders, place.label)
        key = ("/".join(campaign), target or "target", place.tier)
        add(collected.setdefault(key, TargetDocuments(place.folders)), place, document)
    collected = _merge_untiered(_merge_campaigns(_hand_down_shared_documents(collected)))
    groups: dict[tuple[str, str], list[TargetFacts]] = {}
    for (campaign_name, target, tier), target_documents in sorted(collected.items(), key=lambda item: item[0][1]):
        groups.setdefault((campaign_name, tier), []).append(target_facts(target, target_documents))
    return tuple(
        ComparisonSet(
            tuple(groups[campaign_name, tier]),
            campaign_name,
            tier,
            _shared_facts(shared, campaign_name, "study"),
            _shared_facts(shared, campaign_name, "text"),
        )
        for campaign_name, tier in sorted(groups, key=lambda key: (key[0], _tier_sort_key(key[1])))
    )


def _remove_idle_labels(documents: list[tuple[DumpLocation, Document]]) -> list[tuple[DumpLocation, Document]]:
    """Use file names to tell targets apart only where a folder holds several; elsewhere the folder is the target."""
    dump_labels: dict[tuple[str, ...], set[str]] = {}
    server_labels: dict[tuple[str, ...], set[str]] = {}
    for place, document in documents:
        if document.kind == "variables" or document.content.get("variables"):
            dump_labels.setdefault(place.folders, set()).add(place.label)
        if names_a_server(place.label):
            server_labels.setdefault(place.folders, set()).add(place.label)
    single_label_folders = {
        folders
        for folders, labels in dump_labels.items()
        if folders and len(labels | server_labels.get(folders, set())) == 1
    }
    return [(replace(p, label="") if p.folders in single_label_folders else p, document) for p, document in documents]


def _hand_down_shared_documents(collected: Collection) -> Collection:
    """Give option files and facts above targets to all of them; drop facts without a target."""
    dumped_targets = {
        key: target_documents for key, target_documents in collected.items() if was_dumped(target_documents)
    }
    result = dict(dumped_targets)
    for key, target_documents in collected.items():
        if key in dumped_targets:
            continue
        concerned_keys = _keys_below(key, target_documents, dumped_targets)
        for k in concerned_keys:
            result[k] = merged(result[k], target_documents)
        if not concerned_keys and target_documents.options is not None:
            result[key] = target_documents
    return result


def _keys_below(key: Key, target_documents: TargetDocuments, dumped_targets: Collection) -> list[Key]:
    """Return targets below the folder of what was found; in the same folder, where a single target lies there."""
    same_tier = {k: documents for k, documents in dumped_targets.items() if key[2] in ("", k[2])}
    same_folder_keys = [k for k, documents in same_tier.items() if documents.folders == target_documents.folders]
    if same_folder_keys and len({k[:2] for k in same_folder_keys}) == 1:
        return same_folder_keys
    depth = len(target_documents.folders)
    return [k for k, o in same_tier.items() if o.folders[:depth] == target_documents.folders and len(o.folders) > depth]


def _merge_campaigns(collected: Collection) -> Collection:
    """Merge campaigns if none holds two targets: folders were hosts or kinds. All are one, with longer names."""
    targets: dict[str, set[str]] = {}
    for campaign, target, _ in collected:
        targets.setdefault(campaign, set()).add(target)
    if len(targets) < 2 or any(len(names) > 1 for names in targets.values()):
        return collected
    return {
        ("", f"{campaign}/{target}".strip("/"), tier): target_documents
        for (campaign, target, tier), target_documents in collected.items()
    }


def _merge_untiered(collected: Collection) -> Collection:
    """Give facts and option files without a tier to every tier of their target."""
    tiers: dict[tuple[str, str], list[str]] = {}
    for campaign, target, tier in collected:
        tiers.setdefault((campaign, target), []).append(tier)
    result = {}
    for (campaign, target, tier), target_documents in collected.items():
        target_tiers = tiers[campaign, target]
        if tier or len(target_tiers) == 1:
            untiered = collected.get((campaign, target, "")) if tier else None
            result[campaign, target, tier] = (
                merged(target_documents, untiered) if untiered is not None else target_documents
            )
        elif target_documents.variables is not None:
            result[campaign, target, tier] = target_documents
    return result


def _shared_facts(
    shared: Iterable[tuple[tuple[str, ...], dict[str, Any]]], campaign: str, group: str
) -> dict[str, Any]:
    """Return facts of the study that lie at or above a campaign's folder."""
    facts: dict[str, Any] = {}
    for folders, content in shared:
        if f"{campaign}/".startswith("".join(f"{folder}/" for folder in folders)):
            facts |= content.get(group, {})
    return facts


def _tier_sort_key(tier: str) -> tuple[float, str]:
    match = re.search(r"(\d+(?:\.\d+)?)\s*([kmgt]?)", tier.lower())
    return (float(match[1]) * 1024 ** "kmgt".find(match[2]) if match else 0.0, tier)

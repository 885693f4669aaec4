"""Reads the remedies: which parameters stand behind a finding, and what no setting removes."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from dbdyno.audit import Finding


def inputs_behind(finding: Finding) -> tuple[str, ...]:
    """Neutral parameters, and variables as ``variables:NAME``, whose settings decide what the finding is about."""
    own = _document()["rules"].get(finding.rule.rule_id)
    if own is not None:
        return tuple(own)
    inputs = finding.rule.inputs
    differing = tuple(name for name in finding.values if "." in name or ":" in name)
    chosen = differing if set(differing) & set(inputs) or finding.rule.inputs[0].startswith("parameters:") else inputs
    found: list[str] = []
    for name in chosen:
        group, colon, rest = name.partition(":")
        if not colon or group == "variables":
            found.append(name)
        elif group == "derived":
            found += _document()["quantities"].get(rest, ())
    return tuple(dict.fromkeys(found))


def why_left(finding: Finding) -> str:
    """Return why no setting removes a finding; empty where one may.

    A reason for one input counts where nothing else of the finding differs.
    """
    for row in _document()["left"]:
        alone = "input" not in row or set(finding.values) == {row["input"]}
        if row["rule"] == finding.rule.rule_id and alone:
            return str(row["why"])
    return ""


def why_held(finding: Finding) -> str:
    """Return why a finding cannot come up where dbdyno starts the servers; empty where it may."""
    return str(_document()["held"].get(finding.rule.rule_id, ""))


def baseline_id(name: str) -> str:
    """The id under which dbdyno's baseline sets a parameter.

    >>> baseline_id("redo.file_size"), baseline_id("trx.isolation")
    ('redo.capacity', 'trx.isolation')
    """
    return str(_document()["alias"].get(name, name))


@functools.cache
def _document() -> Mapping[str, Any]:
    text = resources.files("dbdyno.audit.studies").joinpath("data", "remedies.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

"""Reads the remedies: which parameters stand behind a finding, and what no setting removes."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbdyno.audit import Finding
from dbdyno.engines import vocabulary


@dataclass(frozen=True, slots=True)
class LeftReason:
    """Says why no setting removes a finding.

    Parameters
    ----------
    is_by_settings : the study's own settings may make such a difference, too
    stays_without_them : what the reason is about differs whatever those are
    """

    why: str
    is_by_settings: bool
    stays_without_them: bool


def inputs_behind(finding: Finding) -> tuple[str, ...]:
    """Return neutral parameters, and variables as ``variables:NAME``, whose settings decide the finding's subject."""
    rule_inputs = _document()["rules"].get(finding.rule.rule_id)
    if rule_inputs is not None:
        return tuple(rule_inputs)
    inputs = finding.rule.inputs
    differing_inputs = tuple(name for name in finding.values if "." in name or ":" in name)
    chosen = (
        differing_inputs
        if set(differing_inputs) & set(inputs) or finding.rule.inputs[0].startswith("parameters:")
        else inputs
    )
    settings: list[str] = []
    for name in chosen:
        group, colon, input_name = name.partition(":")
        if not colon or group == "variables":
            settings.append(name)
        elif group == "derived":
            settings += _document()["quantities"].get(input_name, ())
    return tuple(dict.fromkeys(settings))


def settings_behind(finding: Finding) -> tuple[str, ...]:
    """Return the keys of a study's ``[settings]`` that can remove a finding; none where no setting does."""
    if finding.varied_by or why_left(finding) is not None or is_about_tables(finding):
        return ()
    names = (baseline_id(name) for name in inputs_behind(finding))
    return tuple(dict.fromkeys(name for name in names if name in vocabulary()))


def why_left(finding: Finding) -> LeftReason | None:
    """Return why no setting removes a finding; None where one may.

    A reason for one input counts where nothing else of the finding differs; one for a part, where that part differs.
    """
    names = {*finding.values, *(value for groups in finding.values.values() for value in groups)}
    for row in _document()["left"]:
        is_only_input = "input" not in row or set(finding.values) == {row["input"]}
        has_part = "part" not in row or row["part"] in names
        if row["rule"] == finding.rule.rule_id and is_only_input and has_part:
            return LeftReason(str(row["why"]), row.get("by_settings", False), "part" in row)
    return None


def is_about_tables(finding: Finding) -> bool:
    """Return whether a finding is about the test tables, which options of the workload define."""
    return finding.rule.rule_id in _document()["tables"]["rules"]


def why_held(finding: Finding) -> str:
    """Return why a finding cannot come up where dbdyno starts the servers; empty where it may."""
    return str(_document()["held"].get(finding.rule.rule_id, ""))


def baseline_id(name: str) -> str:
    """Return the id under which dbdyno's baseline sets a parameter.

    >>> baseline_id("redo.file_size"), baseline_id("trx.isolation")
    ('redo.capacity', 'trx.isolation')
    """
    return str(_document()["alias"].get(name, name))


@functools.cache
def _document() -> Mapping[str, Any]:
    text = (Path(__file__).parent / "data" / "remedies.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

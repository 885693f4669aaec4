r"""Parses naming patterns: a small language that says where in a path the tier, the threads and the rest stand.

``Tier{tier}G_{workload}_{threads}th.sysbench.txt`` is text with named fields. A field takes what stands in its place
inside one name; ``*`` and ``...`` take anything and keep nothing. A slash separates folders, and the pattern is held
against the end of the path, so that folders above need not be named. ``.gz`` at the end of a name is overlooked.

>>> compile_pattern("{engine}/{version}/Tier{tier}G_{threads}th*").match("logs/mysql/8.4.8/Tier2G_16th.txt")
{'engine': 'mysql', 'version': '8.4.8', 'tier': '2G', 'threads': '16'}
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.core import TreeError

FIELDS = ("engine", "version", "storage_engine", "target", "tier", "workload", "threads", "route", "repeat")
"""Fields with a fixed meaning; any other name becomes a part of the target's name."""

_NUMBER = r"\d{1,9}"
_FORMS = {
    "threads": _NUMBER,
    "repeat": _NUMBER,
    "tier": r"\d{1,9}(?:\.\d{1,3})?(?: ?[KMGTkmgt]i?[Bb]?)?",
    "version": r"\d[^/]*?",
    "route": r"socket|loopback|network",
}
_ALIASES = {"concurrency": "threads", "users": "threads", "memory": "tier"}
_TOKEN_RE = re.compile(r"\{([^{}]*)\}|\.\.\.|\*|[^{}*.]+|\.|[{}]")
_FIELD_RE = re.compile(r"([a-z][a-z0-9_]{0,30})(?::([KMGT]i?B?))?")
_UNIT_RE = re.compile(r"[KMGT](?:i?B)?(?![A-Za-z])")
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Pattern:
    """Describes a compiled pattern.

    Parameters
    ----------
    tier_unit : of tiers that are bare numbers, from ``{tier:GB}`` or the letter behind the field; empty without
    """

    text: str
    expression: re.Pattern[str]
    tier_unit: str

    def match(self, path: str) -> dict[str, str] | None:
        """Return the fields of a path; None when the pattern does not fit."""
        match = self.expression.search("/" + path.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2"))
        if match is None:
            return None
        fields = {name: value for name, value in match.groupdict().items() if value is not None}
        if "tier" in fields and fields["tier"][-1].isdigit() and self.tier_unit:
            fields["tier"] += self.tier_unit
        return fields


def compile_pattern(text: str) -> Pattern:
    """Read a pattern.

    Raises
    ------
    TreeError : a field that is not closed, or twice the same one
    """
    if not text or len(text) > _LONGEST:
        raise TreeError("the pattern is empty or too long", "", "write for example 'Tier{tier}G_{threads}th*'")
    expressions: list[str] = []
    names: list[str] = []
    unit = ""
    tokens = list(_TOKEN_RE.finditer(text.strip("/")))
    for index, token in enumerate(tokens):
        if token[1] is None:
            expressions.append(_literal_pattern(token[0], text))
            continue
        name, field_unit = _parse_field(token[1], text)
        if name in names:
            raise TreeError(f"field '{name}' appears twice in '{text}'", "", "use * for parts to ignore")
        names.append(name)
        expressions.append(f"(?P<{name}>{_FORMS.get(name, '[^/]+?')})")
        if name == "tier":
            next_text = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            unit_match = _UNIT_RE.match(next_text)
            unit = field_unit or (unit_match[0] if unit_match else "")
    return Pattern(text, re.compile(f"(?:^|/){''.join(expressions)}$", re.DOTALL), unit)


def _literal_pattern(token: str, text: str) -> str:
    if token in ("*", "..."):
        return "[^/]*?"
    if token in "{}":
        raise TreeError(f"'{text}' is not a pattern", f"'{token}' has no counterpart", "write fields as {threads}")
    return re.escape(token)


def _parse_field(field_text: str, text: str) -> tuple[str, str]:
    match = _FIELD_RE.fullmatch(field_text.strip().lower() if ":" not in field_text else field_text.strip())
    if match is None:
        raise TreeError(
            f"'{{{field_text}}}' in '{text}' is not a field",
            f"fields with a meaning: {', '.join(FIELDS)}; others become part of the target's name",
            "write a lower-case name, such as {threads} or {tier:GB}",
        )
    return _ALIASES.get(match[1], match[1]), match[2] or ""

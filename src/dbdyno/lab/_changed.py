"""Variables of a server that are others after a load than before it: set by somebody, or tuned by itself."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.core import Caveat

_NAMED = 5
# Positions in the binary log: they move with every transaction and choose nothing.
_POSITIONS = frozenset(
    {
        "gtid_binlog_pos",
        "gtid_binlog_state",
        "gtid_current_pos",
        "gtid_executed",
        "gtid_purged",
        "gtid_slave_pos",
        "timestamp",
    }
)


def changed_variables(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Name -> value before and after; empty where one of the two was not read.

    >>> changed_variables({"a": "1", "gtid_executed": ""}, {"a": "2", "gtid_executed": "x:1"})
    {'a': ('1', '2')}
    """
    if not before or not after:
        return {}
    names = sorted((before.keys() & after.keys()) - _POSITIONS)
    return {name: (before[name], after[name]) for name in names if before[name] != after[name]}


def changed_caveats(changed: Mapping[str, tuple[str, str]]) -> tuple[Caveat, ...]:
    """One that names them; none where nothing changed."""
    if not changed:
        return ()
    words = [f"{name} from {old or 'empty'} to {new or 'empty'}" for name, (old, new) in changed.items()]
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    text = f"variables of the server changed while it was driven: {', '.join(words[:_NAMED])}{more}"
    return (Caveat("variables-changed", text),)

"""Derives how many connections were encrypted."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.audit._normalise import parse_number
from dbdyno.audit._reading import Certainty, SourcedValue, known, missing
from dbdyno.audit._target import AuditTarget


def tls_share(target: AuditTarget) -> SourcedValue:
    """Return the share of new connections that were encrypted over a time with the load; a late dump stands in."""
    start, end = target.facts.status, target.facts.status_end
    if end is not None and start is not None:
        return _tls_connection_share(end, start, "derived")
    if target.facts.summary:
        return _tls_connection_share(target.facts.summary, {}, "inferred")
    if start is not None and taken_after_a_load(start):
        return _tls_connection_share(start, {}, "inferred")
    return missing("Ssl_accepts and Connections around a load, or the cipher of the load's sessions")


def taken_after_a_load(status: Mapping[str, str]) -> bool:
    """Return whether a dump of SHOW GLOBAL STATUS can have seen a load: an old server that has committed something."""
    uptime, commits = (parse_number(status.get(name, "0")) or 0 for name in ("uptime", "handler_commit"))
    return uptime >= 60 and commits > 0


def _tls_connection_share(end: Mapping[str, str], start: Mapping[str, str], certainty: Certainty) -> SourcedValue:
    def growth(name: str) -> float:
        return (parse_number(end.get(name, "0")) or 0) - (parse_number(start.get(name, "0")) or 0)

    connections = growth("connections")
    if connections <= 0:
        return missing("a growth of Connections over the load")
    accepts = growth("ssl_finished_accepts") or growth("ssl_accepts")
    return known(round(accepts / connections, 3), certainty)

"""Derives whether the load's connections were encrypted, and how many of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.audit._normalise import parse_number
from dbdyno.audit._reading import Certainty, SourcedValue, known, missing, number
from dbdyno.audit._target import AuditTarget

_LIMITS: Mapping[str, float] = MappingProxyType({"encrypted": 0.9, "plain": 0.1, "encrypted_rounded": 0.5})


def encryption(target: AuditTarget, limits: Mapping[str, float] = _LIMITS) -> SourcedValue:
    """Return encrypted, plain or mixed: by the ciphers of the load's sessions, else by the share of connections."""
    ciphers = target.fact("session", "ssl_cipher")
    if ciphers not in (None, []):  # an empty list is of no session; an empty text is a session without a cipher
        has_cipher = [bool(cipher) for cipher in (ciphers if isinstance(ciphers, list) else [ciphers])]
        return known("encrypted" if all(has_cipher) else "mixed" if any(has_cipher) else "plain")
    share = tls_share(target)
    if share.state != "known":
        return share
    is_rounded = target.facts.summary is not None and target.facts.status_end is None
    if number(share) >= limits["encrypted_rounded" if is_rounded else "encrypted"]:
        return known("encrypted", share.certainty)
    return known("plain" if number(share) <= limits["plain"] else "mixed", share.certainty)


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

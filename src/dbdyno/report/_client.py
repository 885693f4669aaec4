"""How much of what it can do the client used, in words."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.core import RunRecord

_NOT_CALIBRATED = " (not calibrated)"


def client_share(record: RunRecord) -> float | None:
    """Use of the client, 0 to 1; of a run stored by an older version, which knew no better, the busy share."""
    return record.client_busy_share if record.client_use_share is None else record.client_use_share


def client_words(record: RunRecord) -> str:
    """Use of the client in a table's cell; empty when nothing is known."""
    share = client_share(record)
    if share is None:
        return ""
    return f"{share:.0%}" + (_NOT_CALIBRATED if record.client_use_basis in ("", "busy share") else "")


def most_client_words(records: Iterable[RunRecord]) -> str:
    """The largest use among runs."""
    known = [record for record in records if client_share(record) is not None]
    return client_words(max(known, key=lambda record: client_share(record) or 0.0)) if known else ""

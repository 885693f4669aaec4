"""Why a run came to nothing where the fault lies below the load: a dead server, a full disk, a lost path. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.configure import CrashReport, disk_full_line
from dbdyno.core import RunStatus

_NO_SPACE = frozenset({"28", "1021", "1026", "1114", "3675"})
"""Device full, disk full, error on write, table full, tablespace can't be extended: what servers answer then."""
_EXCERPT_LINES = 12
_LAST_LINES = 5


def fault_of(
    status: RunStatus,
    reason: str,
    death: CrashReport | None,
    errors: Iterable[str],
    log_tail: str,
    measured: str = "",
    wedged: str | None = None,
) -> tuple[str, str]:
    """The fault's kind and the reason in words, which names it first; an empty kind where there was none.

    Parameters
    ----------
    errors : codes that the server answered in the window
    wedged : why no answer was to be expected of the server although its process was there; None: it answered
    log_tail : end of the server's error log since its start
    measured : the kind of the fault where the load itself showed one, such as ``network``

    >>> fault_of("failed", "the load failed: 1114", None, ["1114"], "")
    ('disk-full', 'the disk is full: the load failed: 1114')
    >>> fault_of("failed", "network: cut", None, (), "", "network", wedged="far answers nothing")
    ('network', 'network: cut')
    """
    if death is not None:
        told = "" if "server died" in reason or not reason else f"; {reason}"
        head = f"the server died: {death.words}{told}"
        evidence = [death.kernel_line, _first_lines(death.excerpt) or _last_lines(log_tail)]
        return death.kind, "\n".join([head, *filter(None, evidence)])
    if measured == "network":  # an answer could not have come, whatever the server did
        return measured, reason
    if wedged is not None and status == "failed":
        return "no-answer", reason if wedged in reason else f"{wedged}; {reason}"
    if measured:
        return measured, reason
    line = disk_full_line(log_tail)
    if status in ("failed", "suspect") and (line or _NO_SPACE & set(errors)):
        return "disk-full", f"the disk is full: {reason}" + (f"\n{line}" if line else "")
    return "", reason


def _first_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[:_EXCERPT_LINES])


def _last_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-_LAST_LINES:])

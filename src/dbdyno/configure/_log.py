"""The end of a server's log."""

from __future__ import annotations

from pathlib import Path

TAIL_LINES = 20
_LATE_BYTES = 256 << 10


def log_tail(path: Path, lines: int = TAIL_LINES) -> str:
    """Last lines of an error log; empty when there is none."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def late_text(path: Path) -> str:
    """The end of a log, long enough for any stack."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - _LATE_BYTES, 0))
            return file.read().decode(errors="replace")
    except OSError:
        return ""

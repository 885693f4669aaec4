"""Folders of logs made by a test, and what importing them gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dbdyno.imports import ImportOutcome, ImportRequest, compile_pattern, import_logs, read_given
from dbdyno.store import StoredStudy

PATTERN = "{target}/{threads}.log"


def imported(
    root: Path, files: Mapping[str, str | bytes], pattern: str | None = PATTERN, *given: str, tool: str = "sysbench"
) -> tuple[ImportOutcome, StoredStudy]:
    """Write the files into ``root/logs`` and import them into ``root/out`` as logs of a tool."""
    for name, content in files.items():
        path = root / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    patterns = (compile_pattern(pattern),) if pattern else ()
    request = ImportRequest(root / "logs", root / "out", "x", patterns, read_given(given), tool=tool)
    outcome = import_logs(request, lambda _what, _done, _total: None)
    return outcome, StoredStudy.open(root / "out")

"""Where imported runs come from: every file with its checksum, and what could not be read of them."""

from __future__ import annotations

from dbdyno.analyse import counted
from dbdyno.report._html import Column, Html, element, folded, shortened, table
from dbdyno.report._study_analysis import StudyAnalysis


def origin_parts(analysis: StudyAnalysis) -> list[Html]:
    """Heading and tables; nothing for results that were not imported."""
    imported = analysis.study.imported
    if imported is None:
        return []
    heading = element("h3", "Where the runs come from")
    words = element("p", f"Logs of {imported.tool} in {imported.origin}; paths are relative to that folder.")
    return [heading, words, _files(analysis), *_not_read(analysis)]


def _files(analysis: StudyAnalysis) -> Html:
    files: dict[str, tuple[str, int, str]] = {}
    for record in analysis.stored:
        for row in analysis.results.document(record.run.run_id, "origin"):
            files[str(row["path"])] = (str(row["role"]), int(row["bytes"]), str(row["sha256"]))
    columns = [Column("file"), Column("kind"), Column("bytes", True), Column("SHA-256")]
    rows = [
        [shortened(path, 120), role, f"{size:,}", element("code", sha256)]
        for path, (role, size, sha256) in sorted(files.items())
    ]
    title = f"{counted(len(rows), 'file')} that the runs were made from"
    return folded(title, table("origin", title, columns, rows))


def _not_read(analysis: StudyAnalysis) -> list[Html]:
    entries = [entry.facts for entry in analysis.results.journal() if entry.event == "not-read"]
    if not entries:
        return []
    columns = [Column("file"), Column("line", True), Column("what")]
    rows = [[shortened(str(e["path"]), 120), f"{e['line']:,}", shortened(str(e["text"]), 200)] for e in entries]
    title = f"{counted(len(rows), 'line')} or files that could not be read or belong to no run"
    return [folded(title, table("not-read", title, columns, rows), is_open=len(rows) <= 10)]

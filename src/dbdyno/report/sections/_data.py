"""Data: lists every file with its checksum, the study file, the commands that repeat it, how to cite it."""

from __future__ import annotations

import base64
from collections import defaultdict

from dbdyno.core import counted, format_bytes
from dbdyno.report._blocks import (
    Block,
    Column,
    Fold,
    Heading,
    Paragraph,
    Section,
    Table,
    Terms,
    folded,
    section,
    subtitle,
)
from dbdyno.report._format import clock_time
from dbdyno.report._glossary import GLOSSARY
from dbdyno.report._html import Html, element
from dbdyno.report._repeat import command_of_cell, study_file_name
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.sections._frame import Page, quirk_anchor
from dbdyno.store import ManifestEntry


def data_section(page: Page) -> Section:
    """Return files, commands, citation."""
    manifest, imported = page.analysis.results.manifest, page.analysis.study.imported
    total = sum(facts.bytes for facts in manifest.files.values())
    commands = [
        *dict.fromkeys(manifest.command_lines),
        "dbdyno report DIR   # this page, from the stored records alone",
    ]
    versions = ", ".join(f"{name} {version}" for name, version in manifest.versions.items())
    citation = (
        f"{manifest.study_name}, {'measured' if imported is None else 'imported'} "
        f"{clock_time(manifest.created_ns)} with dbdyno {manifest.dbdyno_version}, "
        f"study {manifest.study_digest}"
    )
    return section(
        "data",
        "Data and how to repeat it",
        subtitle(f"{counted(len(manifest.files), 'file')}, {format_bytes(total)}, schema {manifest.schema_version}."),
        _code("\n".join(commands)),
        *_one_cell_blocks(page.analysis),
        *([Paragraph(f"Made with {versions}.")] if versions else []),
        element("p", "To cite: ", element("q", citation), "."),
        *origin_parts(page.analysis),
        folded("The study file", _code(page.analysis.results.study_text)),
        folded("Glossary: the terms of this page", Terms(GLOSSARY.items())),
        *_quirk_folds(page),
        folded("Files with their checksums", *_folder_folds(manifest.files)),
    )


def _code(text: str) -> Html:
    return element("pre", element("code", text), tabindex=0)


def _one_cell_blocks(analysis: StudyAnalysis) -> list[Block]:
    """Return how to repeat one cell: the study file to save, and a command for an example."""
    study, text = analysis.results.study, analysis.results.study_text
    if study.imported is not None or not analysis.stored:
        return []
    packed = base64.b64encode(text.encode()).decode()
    file_name = study_file_name(study)
    link = element("a", file_name, href=f"data:application/toml;base64,{packed}", download=file_name)
    example = command_of_cell(study, analysis.stored[0].run.cell)
    words = ["To repeat one cell, save the study file, ", link, ", and name the cell's place. "]
    if len(study.targets) > 1:
        words.append("Without a target, all targets run there. ")
    words.append("A run selected under Stability shows the command of its cell.")
    return [element("p", *words), _code(example)]


def _quirk_folds(page: Page) -> list[Fold]:
    """Return what the quirks do that runs of this page name; texts of the page link to it."""
    meanings = [(element("span", name, id=quirk_anchor(name)), effect) for name, effect in page.quirks.items()]
    return [folded("Quirks of the imitated tool", Terms(meanings))] if meanings else []


def _folder_folds(files: dict[str, ManifestEntry] | object) -> list[Fold]:
    groups: dict[str, list[tuple[str, ManifestEntry]]] = defaultdict(list)
    if isinstance(files, dict):
        for name, facts in sorted(files.items()):
            groups[name.rsplit("/", 1)[0] if "/" in name else "top of the folder"].append((name, facts))
    folder_groups = {name: rows for name, rows in groups.items() if not name.startswith("runs/")}
    runs = [row for name, rows in groups.items() if name.startswith("runs/") for row in rows]
    folds = [
        _files_fold(name, rows)
        for name, rows in sorted(folder_groups.items(), key=lambda item: item[0] != "top of the folder")
    ]
    return [*folds, *([_files_fold("runs", runs)] if runs else [])]


def _files_fold(name: str, rows: list[tuple[str, ManifestEntry]]) -> Fold:
    columns = [Column("file"), Column("bytes", True), Column("SHA-256")]
    cells = [[path, f"{facts.bytes:,}", element("code", facts.sha256)] for path, facts in rows]
    title = f"{name}: {counted(len(rows), 'file')}"
    return folded(title, Table(f"files-{name}".replace(" ", "-"), title, columns, cells))


def origin_parts(analysis: StudyAnalysis) -> list[Block]:
    """Return heading and tables; nothing for results that were not imported."""
    imported = analysis.study.imported
    if imported is None:
        return []
    heading = Heading("Where the runs come from")
    words = Paragraph(f"Logs of {imported.tool} in {imported.origin}; paths are relative to that folder.")
    return [heading, words, _original_files_fold(analysis), *_not_read_folds(analysis)]


def _original_files_fold(analysis: StudyAnalysis) -> Fold:
    files: dict[str, tuple[str, int, str]] = {}
    for record in analysis.stored:
        for row in analysis.results.document(record.run.run_id, "origin"):
            files[str(row["path"])] = (str(row["role"]), int(row["bytes"]), str(row["sha256"]))
    columns = [Column("file", most=120), Column("kind"), Column("bytes", True), Column("SHA-256")]
    rows = [[path, role, f"{size:,}", element("code", sha256)] for path, (role, size, sha256) in sorted(files.items())]
    title = f"{counted(len(rows), 'file')} that the runs were read from"
    return folded(title, Table("origin", title, columns, rows))


def _not_read_folds(analysis: StudyAnalysis) -> list[Fold]:
    entries = [entry.facts for entry in analysis.results.journal() if entry.event == "not-read"]
    if not entries:
        return []
    columns = [Column("file", most=120), Column("line", True), Column("what", most=200)]
    rows = [[str(e["path"]), f"{e['line']:,}", str(e["text"])] for e in entries]
    title = f"{counted(len(rows), 'line')} or files that could not be read or belong to no run"
    return [folded(title, Table("not-read", title, columns, rows), is_open=len(rows) <= 10)]

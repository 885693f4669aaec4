"""Whatever is made of a stored study: files are read once, the study is parsed once, cells are judged once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbdyno.analyse import judge_cells
from dbdyno.report import analyse_study, diff_results, markdown_text, page_text, summary_json, summary_table
from dbdyno.serve import StudyFolder
from dbdyno.store import StoredStudy
from dbdyno.store._encoded import _decoded_payload
from dbdyno.study import parse_study
from sentences import SOURCE

_WATCHED: list[tuple[str, Counter[str]]] = []
MAKERS: dict[str, Callable[[StoredStudy], object]] = {
    "page": page_text,
    "markdown": markdown_text,
    "terminal": summary_table,
    "object": summary_json,
    "diff": lambda study: diff_results(study, study, renamed={"mysql:9.7": "mariadb:11.8"}),
}


def _note(event: str, arguments: tuple[object, ...]) -> None:
    """Count what the interpreter opens; such a hook can't be taken away again, so it may have nothing to watch."""
    if event == "open" and _WATCHED and isinstance(arguments[0], str):
        top, opened = _WATCHED[-1]
        if arguments[0].startswith(top) and not Path(arguments[0]).is_dir():
            opened[arguments[0].removeprefix(top)] += 1


sys.addaudithook(_note)


@contextmanager
def opened_files(folder: Path) -> Iterator[Counter[str]]:
    opened: Counter[str] = Counter()
    _WATCHED.append((f"{folder}/", opened))
    try:
        yield opened
    finally:
        _WATCHED.pop()


@pytest.mark.parametrize("names", [*((name,) for name in MAKERS), tuple(MAKERS)], ids="-".join)
def test_a_file_is_opened_once_however_many_parts_ask_for_it(names: tuple[str, ...], results: StoredStudy) -> None:
    study = StoredStudy.open(results.path)
    with opened_files(results.path) as opened:
        for name in names:
            MAKERS[name](study)
    assert {name: times for name, times in opened.items() if times > 1} == {}
    assert opened["study.toml"] == 1
    assert sum(name.endswith("record.json") for name in opened) == 36


def test_a_study_is_parsed_and_its_cells_are_judged_once(results: StoredStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def counting(name: str, called: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            calls[name] += 1
            return called(*arguments)

        return call

    monkeypatch.setattr("dbdyno.store._stored_study.parse_study", counting("parsed", parse_study))
    monkeypatch.setattr("dbdyno.report._study_analysis.judge_cells", counting("judged", judge_cells))
    study = StoredStudy.open(results.path)
    for make in MAKERS.values():
        make(study)
    assert calls == {"parsed": 1, "judged": 1}


def test_a_histogram_is_decoded_once(results: StoredStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: Counter[str] = Counter()

    def decode(text: str, digits: int, lowest: int) -> bytes | None:
        decoded[text] += 1
        return _decoded_payload(text, digits, lowest)

    monkeypatch.setattr("dbdyno.store._encoded._decoded_payload", decode)
    study = StoredStudy.open(results.path)
    assert analyse_study(study).statement_sums
    tables = [study.intervals(run_id, ("service_histogram",)) for run_id in study.run_ids()]
    stored = Counter(text for table in tables for text in table.texts("service_histogram").tolist() if text)
    assert decoded.total()
    assert decoded <= stored


def test_cells_are_judged_by_the_analysis_of_a_study_alone() -> None:
    """What judges them for itself can come to another answer than the report of the same study."""
    users = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "judge_cells" in path.read_text(encoding="utf-8") and path.relative_to(SOURCE).parts[0] != "analyse"
    }
    assert users == {"report/_study_analysis.py"}


def test_a_study_that_is_looked_at_in_a_browser_has_the_answer_of_its_report(results: StoredStudy) -> None:
    analysis, stored = analyse_study(results), StudyFolder(results.path, "first").stored()
    assert (stored.headline, stored.sentences) == (analysis.answer.headline, analysis.answer.sentences)
    assert {group.cell for group in stored.cells} == {group.cell for group in analysis.judgements}

"""The glossary: one sentence a term, in order; docs/reference/glossary.md is written from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.report._glossary import GLOSSARY

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "glossary.md"
HEAD = """\
# Glossary

Each term of dbdyno's reports, messages and documents, in one sentence. Written from the table that the page shows, by
`DBDYNO_WRITE_REFERENCE=1 pytest tests/unit/report/test_glossary.py`.

| term | meaning |
|---|---|
"""
NEEDED = (
    *(
        "TPS",
        "half-width",
        "moderated spread",
        "rank interval",
        "open loop",
        "closed loop",
        "durability class",
        "window",
    ),
    *("warm-up", "tier", "target", "cell", "run", "route", "stall", "steady state", "settled part", "change point"),
    *(
        "noise",
        "collapse",
        "sentinel",
        "coordinated omission",
        "spread",
        "quirk",
        "SLO",
        "response time",
        "service time",
    ),
)


def test_terms_are_in_alphabetical_order() -> None:
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower)


@pytest.mark.parametrize("term", GLOSSARY)
def test_a_term_is_explained_in_one_sentence(term: str) -> None:
    meaning = GLOSSARY[term]
    assert meaning.endswith(".")
    assert ". " not in meaning
    assert len(meaning.split()) <= 25


@pytest.mark.parametrize("term", NEEDED)
def test_the_terms_that_pages_use_are_there(term: str) -> None:
    assert term in GLOSSARY


def test_the_page_lists_the_terms_as_they_are() -> None:
    text = HEAD + "".join(f"| {term} | {meaning} |\n" for term, meaning in GLOSSARY.items())
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text

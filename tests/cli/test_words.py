"""Documents are in plain English: constructions that read as if translated do not come back.

A reference that is written from the programs' own texts is left out: those texts are held where they stand.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from command_reference import FOLDER
from sentences import PLACES, SOURCE, cut_sentences, sentences
from shown_commands import without_code

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
MEASUREMENTS = ROOT / "docs" / "measurements"
GENERATED = {
    *FOLDER.glob("*.md"),
    *(REFERENCE / name for name in ("study-file.md", "fairness-rules.md", "results-folder.md", "engines.md")),
    *(MEASUREMENTS / name for name in ("client-cost.md", "cold-starts.md")),
    ROOT / "docs" / "studies" / "engines-2026.md",
}
DOCUMENTS = sorted({ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")} - GENERATED)
BANNED = {
    r"(?<!can't )\b(?:is|are|was|were|be|been)\s+told\b(?!\s+apart)": "reports, shows, lists",  # a verdict has it
    r"\btold\s+(?:of|by)\b": "reported",
    r"\bwho(?:so)?ever\b": "name who does it",
    r"\bof\s+(?:its|their|your|our)\s+own\b": "its own X; separate",
    r"\bbeside\b": "next to, compared with, besides, during",
    r"\bdoes\s+most\b": "is fastest, has the highest throughput",
    r"\bwhat\s+weakens\b": "limitations",
    r"\bwhat\s+is\s+so\s+and\s+so\b": "say what",
    r"\b(?:comes?|came)\s+about\b": "results, is built, happens",
    r"\blets?\s+(?:it\s+)?be\b": "ignores, keeps, allows",
    r"\bas\s+it\s+is\b": "unchanged",
    r"\bwhere\s+that\s+serves\b": "where useful",
    r"\blying\s+about\b": "left over, orphaned",
    r"\bheed(?:s|ed)?\b": "applies, uses, obeys",
    r"\btimes\s+as\s+much\b": "percent",
    r"\b(?:bench|desk)\s+(?:wing|rooms?)\b": "execution, analysis",
}
"""A construction, and what to write in its place."""
BANNED_IN_MESSAGES = BANNED | {
    r"\bcan't\s+be\s+had\b": "is not available, is not possible",
    r"\bleave\s+(?:it|them|one|\w*_\w+)\s+(?:of\s+the\s+two\s+)?out\b": "remove it",
    r"\b(?:runs|is\s+there|holds\s+\w+)\s+already\b": "is running, already exists",
    r"\b(?:for|from)\s+want\s+of\b": "for lack of",
    r"\banew\b": "again",
    r"\bmends?\b": "fixes, corrects",
    r"\bis\s+no\s+(?:address|number|file|object|folder|target|report|part|text|route|pattern|field)\b": "is not a",
    r"\blets?\s+us\s+in\b": "accepts, refuses the connection",
    r"\bheld\s+against\b": "is compared with, is checked against",
    r"\btold\s+apart\b(?! in the log)": "differ, show no difference, are separate",
    r"\bnot\s+told\b(?! apart in the log)": "unknown, not in the logs",
    r"\b(?:bytes|CPU|time|file|orders)\s+a\s+(?:row|statement|transaction|table|minute)\b": "per",
    r"\bwhat\s+(?:it|each|they)\s+(?:brought|promises|did|made)\b": "change, durability, work: name it",
}
"""Messages are shorter than documents, and these were found in them again and again."""
RECORDED = ("processors of their own", "new orders a minute")
"""A finding's value that recorded audits hold, and questions of published studies."""
_BARE_CLAUSE_RE = re.compile(r"^(?:[-*] )?(?:Of|What|Who|When|Where) (?:\S+ ){1,6}\S+\.$", re.MULTILINE)
"""A line that is a relative clause and nothing else, such as *What no reply leaves.*"""
_QUOTED_RE = re.compile(r'"[^"\n]*"|^>.*$', re.MULTILINE)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def findings(text: str) -> list[str]:
    """Every banned construction of a text, with its line and what to write; code and quoted words don't count."""
    plain = _QUOTED_RE.sub("", without_code(text))
    found = [
        (plain.count("\n", 0, match.start()) + 1, f"{' '.join(match[0].split())}: write {better}")
        for pattern, better in BANNED.items()
        for match in re.finditer(pattern, plain, re.IGNORECASE)
    ]
    bare = [(plain.count("\n", 0, m.start()) + 1, f"{m[0]}: add a verb") for m in _BARE_CLAUSE_RE.finditer(plain)]
    return [f"line {number}: {words}" for number, words in sorted(found + bare)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_a_document_has_no_banned_construction(document: Path) -> None:
    assert findings(document.read_text()) == []


MESSAGES = {"src": 6_000, "crates": 2_500, "web": 50, "contract": 250, "studies": 10}
"""Folders with sentences for users, and fewer than each has today."""


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_a_message_has_no_banned_construction(place: Path) -> None:
    messages = [
        (path, line, text) for path, line, text in sentences(place) if not any(map(text.__contains__, RECORDED))
    ]
    assert len(messages) > MESSAGES[name_of(place).partition("/")[0]]
    found = [
        f"{name_of(path)}:{line}: {match[0]}: write {better}"
        for path, line, text in messages
        for pattern, better in BANNED_IN_MESSAGES.items()
        if (match := re.search(pattern, text, re.IGNORECASE))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.rs", '//! Says it.\n// as it is\nfn f() { say("one \\\n     line", \'"\', r#"of "its own"#); }', 3),
        ("a.rs", "use clap::Args;\n/// First words of it,\n/// and more.\nfn f() {}\n", 1),
        ("a.rs", '/// Only a comment.\nfn f() {}\n#[cfg(test)]\nmod tests { "not seen here" }', 0),
        ("a.toml", 'title = "one text"\n[[x]]\nlines = ["another text", "word"] # as it is', 2),
        ("a.js", 'f("one text", `two ${words} here`); // as it is', 2),
        ("a.schema.json", '{"title": "one text", "enum": ["no text"], "a": [{"description": "two texts"}]}', 2),
        ("a.html", "<p>one text</p>\n<script>no text = 1</script><b>two texts</b>", 2),
    ],
)
def test_sentences_are_found_in_every_kind_of_file(name: str, text: str, found: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert len(list(sentences(path))) == found


def test_no_sentence_is_cut_in_two_by_a_line_end() -> None:
    assert list(cut_sentences(SOURCE)) == []


def test_banned_constructions_are_found_over_line_ends_and_not_in_code() -> None:
    text = 'How many is\ntold.\n\n    it is told\n\nWhat no reply leaves.\n\nSay `beside`. "whoever" is banned.\n'
    assert [line.partition(":")[0] for line in findings(text)] == ["line 1", "line 6"]


MODULES = sorted((ROOT / "src" / "dbdyno").rglob("*.py"))
HEADER_RE = re.compile(r"(?:`dbdyno [^`]+`: |[A-Z][a-z ]+: )?([A-Za-z]+s),? (?!of |about |made )")
"""An optional command or heading, then a verb in the third person; a plural noun goes on with one of the words."""
NO_VERBS = frozenset({"Its", "This", "Whose"})


def test_the_header_of_each_module_begins_with_a_verb() -> None:
    headers = {path: (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0] for path in MODULES}
    assert len(headers) > 500
    found = {path: HEADER_RE.match(header) for path, header in headers.items()}
    wrong = [path for path, match in found.items() if match is None or match[1] in NO_VERBS]
    assert [f"{name_of(path)}: {headers[path]!r}: begin with a verb, as in 'Reads ...'" for path in wrong] == []


@pytest.mark.parametrize(
    "header",
    [
        "What a run holds.",
        "The question: which is faster.",
        "Whether tables are alike.",
        "Figures of claims.",
        "A run.",
    ],
)
def test_headers_without_a_verb_are_found(header: str) -> None:
    assert HEADER_RE.match(header) is None


_TWO_FORMS_RE = re.compile(r'"([^"\n]*)" (?:\} else \{|:) "([^"\n]*)"')
"""Two texts of which a condition chooses one, in Rust and in JavaScript."""


def test_no_plural_is_built_by_hand_in_rust_and_in_pages() -> None:
    """`counted` and `form_for` know when a word needs an s."""
    scripts = [path for path in (ROOT / "web").rglob("*.js") if "node_modules" not in path.parts]
    sources = [*(ROOT / "crates").glob("*/src/**/*.rs"), *scripts]
    assert len(sources) > 500
    found = [
        f"{name_of(path)}: {match[0]}"
        for path in sorted(sources)
        for match in _TWO_FORMS_RE.finditer(path.read_text())
        if _differ_by_an_s(match[1], match[2])
    ]
    assert found == []


def test_no_plural_is_built_by_hand() -> None:
    """`counted` and `verb_for` know when a word needs an s."""
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _is_multiplied_ending(node)
        or (
            isinstance(node, ast.IfExp)
            and isinstance(node.body, ast.Constant)
            and isinstance(node.orelse, ast.Constant)
            and isinstance(node.body.value, str)
            and isinstance(node.orelse.value, str)
            and _differ_by_an_s(node.body.value, node.orelse.value)
        )
    ]
    assert found == []


def _is_multiplied_ending(node: ast.AST) -> bool:
    """Return whether an ending is repeated as often as a condition says: `"s" * (count > 1)`."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and any(isinstance(side, ast.Constant) and side.value in ("s", "es") for side in (node.left, node.right))
    )


def _differ_by_an_s(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return longer in (f"{shorter}s", f"{shorter}es") or {first, second} in (
        {"is", "are"},
        {"has", "have"},
        {"was", "were"},
    )

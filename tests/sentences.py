"""Prints every sentence that a user can see, by file and line: texts of two or more words that are no docstrings.

Messages stand where they are raised (docs/design/decisions.md); this finds them for an editor who reads them in one
sitting: strings of the Python package and of the crates, headers and help texts of the crates, tables of data, scripts
of the pages, descriptions in the schemas. `make sentences` prints all, `python tests/sentences.py src/dbdyno/cli` those
of one folder.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dbdyno"
PLACES = (SOURCE, ROOT / "crates", ROOT / "web", ROOT / "contract", ROOT / "studies")
"""Folders whose files hold sentences for users."""
_LEFT_OUT = re.compile(r"(?:^|/)(?:tests?|benches|node_modules|vectors|samples|page/[a-z]+\.js)(?:/|$)")
"""Tests, vectors, and bundles, whose sources are in `web`."""
_WORDS_RE = re.compile(r"[a-z]\}? [\w{]")
"""A lower-case word with another behind it: patterns, SQL and names in capitals are no sentences."""
_RUST_RE = re.compile(
    r'(?P<doc>//[/!](?!/)[^\n]*)|//[^\n]*|/\*.*?\*/|r(?P<marks>#*)"(?P<raw>.*?)"(?P=marks)'
    r"|'(?:\\[^\n]+?|[^'\\\n])'"
    r'|"(?P<text>(?:\\.|[^"\\])*)"',
    re.DOTALL,
)
_SCRIPT_RE = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|"(?P<text>(?:\\.|[^"\\\n])*)"|`(?P<template>(?:\\.|[^`\\])*)`|\'(?P<other>(?:\\.|[^\'\\\n])*)\'',
    re.DOTALL,
)
_TAG_RE = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>|\{[%{].*?[%}]\}", re.DOTALL)
Found = Iterator[tuple[int, str]]


def sentences(root: Path) -> Iterator[tuple[Path, int, str]]:
    """Yield file, line and text of each text with two words or more; fields of f-strings stand in braces."""
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        find = _FINDERS.get("".join(path.suffixes[-2:])) or _FINDERS.get(path.suffix)
        if find is not None and path.is_file() and not _LEFT_OUT.search(str(path.relative_to(root))):
            found = sorted(find(path.read_text(encoding="utf-8")))
            yield from ((path, line, text) for line, text in found if _WORDS_RE.search(text))


def cut_sentences(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield strings that are statements, docstrings aside: a line end outside of brackets has cut a sentence in two."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and _is_text(node.value):
                if not lines[node.lineno - 1].lstrip().startswith(('"""', 'r"""', "...")):
                    yield path, node.lineno


def _of_python(source: str) -> Found:
    return ((node.lineno, _text(node)) for node in _strings(ast.parse(source)))


def _of_toml(source: str) -> Found:
    return ((_line_of(text, source), text) for text in _values(tomllib.loads(source)))


def _of_schema(source: str) -> Found:
    """Yield titles and descriptions: other strings of a schema are values."""
    described = (pair for pair in _pairs(json.loads(source)) if pair[0] in ("title", "description"))
    return ((_line_of(text, source), text) for _, text in described if isinstance(text, str))


def _of_rust(source: str) -> Found:
    """Yield strings, the header, and documentation that is help of an option; neighbouring lines of it are one text."""
    source = source.partition("#[cfg(test)]\nmod ")[0]
    has_options = "clap::" in source or 'feature = "arguments"' in source
    document, begin, end = "", 0, 0
    for match in _RUST_RE.finditer(source):
        line = _line_at(match.start(), source)
        if document and (match["doc"] is None or line > end + 1):
            yield begin, document
            document = ""
        if match["doc"] is not None and (has_options or match["doc"].startswith("//!")):
            begin, end = begin if document else line, line
            document = f"{document} {match['doc'][3:].strip()}".strip()
        elif (text := match["raw"] or match["text"]) is not None:
            yield line, re.sub(r"\\\n\s*", "", text)
    yield begin, document


def _of_script(source: str) -> Found:
    for match in _SCRIPT_RE.finditer(source):
        text = match["text"] or match["template"] or match["other"] or ""
        yield _line_at(match.start(), source), text


def _of_page(source: str) -> Found:
    plain = _TAG_RE.sub(lambda tag: "\n" * tag[0].count("\n") or "\0", source)
    return ((number, text.strip()) for number, line in enumerate(plain.split("\n"), 1) for text in line.split("\0"))


_FINDERS: Mapping[str, Callable[[str], Found]] = {
    ".py": _of_python,
    ".toml": _of_toml,
    ".schema.json": _of_schema,
    ".rs": _of_rust,
    ".js": _of_script,
    ".html": _of_page,
}


def _values(value: object) -> Iterator[str]:
    """Yield the texts of a document."""
    if isinstance(value, str):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _values(child)


def _pairs(value: object) -> Iterator[tuple[str, object]]:
    """Yield the keys of a document with their values."""
    for child in value if isinstance(value, list) else ():
        yield from _pairs(child)
    for key, child in value.items() if isinstance(value, dict) else ():
        yield key, child
        yield from _pairs(child)


def _line_at(offset: int, source: str) -> int:
    return source.count("\n", 0, offset) + 1


def _line_of(text: str, source: str) -> int:
    """Return where a text begins; as it is written, a line end or a quotation mark in it may look different."""
    begin = re.split(r'["\\\n]', text.strip())[0][:40]
    return _line_at(max(source.find(begin), 0), source)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _strings(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """Yield strings, each once: parts of f-strings are in them, and a string that is a statement is a docstring."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if _is_text(node):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _strings(child)


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
        for part in node.values
        if isinstance(part, ast.Constant | ast.FormattedValue)
    )


if __name__ == "__main__":
    for place in map(Path, sys.argv[1:] or PLACES):
        for path, line, text in sentences(place.resolve()):
            print(f"{path.relative_to(ROOT)}:{line}: {repr(text)[1:-1]}")

"""Prints every sentence that a user can see, by file and line: the strings of two or more words that are no docstrings.

Messages stand where they are raised (docs/design/decisions.md); this finds them for whoever edits them in one sitting:
`make sentences`, or `python tests/sentences.py src/dbdyno/cli` for one package.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "dbdyno"
_WORDS_RE = re.compile(r"[a-z]\}? [\w{]")
"""A lower-case word with another behind it: patterns, SQL and names in capitals are no sentences."""


def sentences(root: Path) -> Iterator[tuple[Path, int, str]]:
    """Yield file, line and text of each string with two words or more; fields of f-strings stand in braces."""
    for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = ((node.lineno, _text(node)) for node in _strings(tree))
        yield from ((path, line, text) for line, text in sorted(found) if _WORDS_RE.search(text))


def cut_sentences(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield strings that are statements, docstrings aside: a line end outside of brackets has cut a sentence in two."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and _is_text(node.value):
                if not lines[node.lineno - 1].lstrip().startswith(('"""', 'r"""', "...")):
                    yield path, node.lineno


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
    for place in map(Path, sys.argv[1:] or [SOURCE]):
        for path, line, text in sentences(place.resolve()):
            print(f"{path.relative_to(SOURCE)}:{line}: {repr(text)[1:-1]}")

"""The reference of commands: one page a command, and one for the options that several commands take alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "commands"
INDEX = "README.md"
SHARED = "shared-options.md"
_LEAST_SHARED_LINES = 15
"""Shorter parts are repeated on each page: a link would take as much room."""
_PART_RE = re.compile(r"^(?=[A-Z][^\n]*:$)", re.MULTILINE)
_OPTION_RE = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
WRITTEN = "Written from the programs' own `--help` by `DBDYNO_WRITE_REFERENCE=1 pytest tests/cli/test_reference.py`."


def page_name(command: str) -> str:
    """File name of a command's page, such as ``dbdyno-import-sysbench.md``."""
    return command.replace(" ", "-") + ".md"


def pages_of(helps: Mapping[str, str]) -> dict[str, str]:
    """All pages by file name, made of each command's help."""
    parts = {command: [part.strip() for part in _PART_RE.split(text)] for command, text in helps.items()}
    shared = _shared(parts)
    pages = {page_name(command): _page(command, own, shared) for command, own in parts.items()}
    return {INDEX: _index(helps), SHARED: _shared_page(shared, parts), **pages}


def written_options() -> dict[str, set[str]]:
    """Options by command, such as ``dbdyno import sysbench``, as the pages have them."""
    sections = re.split(r"^## ", (FOLDER / SHARED).read_text(), flags=re.MULTILINE)[1:]
    shared = {_anchor(text.partition("\n")[0]): set(_OPTION_RE.findall(text)) for text in sections}
    options = {}
    for page in sorted(FOLDER.glob("dbdyno*.md")):
        text = page.read_text()
        linked = re.findall(rf"{re.escape(SHARED)}#([\w-]+)", text)
        command = text.partition("\n")[0].removeprefix("# ")
        options[command] = set(_OPTION_RE.findall(text)).union(*(shared[anchor] for anchor in linked))
    return options


def _shared(parts: Mapping[str, list[str]]) -> dict[str, str]:
    """Parts of help that several commands have alike, by title."""
    counts = Counter(part for own in parts.values() for part in own)
    many = [p for p, count in counts.items() if count > 1 and len(p.splitlines()) >= _LEAST_SHARED_LINES]
    titled = {_title(part): part for part in many}
    assert len(titled) == len(many), "two shared parts have the same title"
    return titled


def _title(part: str) -> str:
    return part.partition("\n")[0].removesuffix(":")


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _page(command: str, parts: list[str], shared: Mapping[str, str]) -> str:
    own = "\n\n".join(part for part in parts if shared.get(_title(part)) != part)
    links = [f"- [{_title(p)}]({SHARED}#{_anchor(_title(p))})" for p in parts if shared.get(_title(p)) == p]
    also = "\n".join(("", "It also takes these options, which other commands share:", "", *links, "")) if links else ""
    return f"# {command}\n\n```text\n{own}\n```\n{also}"


def _shared_page(shared: Mapping[str, str], parts: Mapping[str, list[str]]) -> str:
    return "\n".join(("# Options that commands share", "", WRITTEN, "", *_shared_sections(shared, parts)))


def _shared_sections(shared: Mapping[str, str], parts: Mapping[str, list[str]]) -> Iterator[str]:
    for title, part in shared.items():
        commands = ", ".join(f"[{c}]({page_name(c)})" for c, own in parts.items() if part in own)
        yield f"## {title}\n\nTaken by {commands}.\n\n```text\n{part}\n```\n"


def _index(helps: Mapping[str, str]) -> str:
    lines = [
        "# Commands",
        "",
        WRITTEN,
        "",
        f"Options that several commands take alike: [shared options]({SHARED}).",
        "",
    ]
    for program in dict.fromkeys(command.split()[0] for command in helps):
        lines += [f"## {program}", "", "| command | what it does |", "|---|---|"]
        own = {c: text for c, text in helps.items() if c.split()[0] == program}
        lines += [f"| [{command}]({page_name(command)}) | {_summary(text)} |" for command, text in own.items()]
        lines.append("")
    return "\n".join(lines)


def _summary(text: str) -> str:
    """The first sentence of a help text."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].partition(": ")[0].rstrip(".").replace("|", "\\|")

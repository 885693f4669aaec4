"""Links of the documents lead somewhere, and the commands that they show are ones that the programs take."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from command_reference import FOLDER, written_options
from dbdyno.cli import main
from dbdyno.cli._commands import GROUPS
from dbdyno.cli._main import _command_parser
from dbdyno.study import OPTION_ALIASES, parse_study
from shown_commands import ShownCommand, shown_commands, without_code

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("contract/*.md")} - {*FOLDER.glob("*.md")}
)
_LINK_RE = re.compile(r"\]\(([^)\s]+)\)")
_HEADING_RE = re.compile(r"^#+ (.*)$", re.MULTILINE)
_OPTION_RE = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
_SYSBENCH_FORM_RE = re.compile(r"(--|\./)|.*\b(run|prepare|cleanup|help)$")
"""`dbdyno-load` in sysbench's place; tests/sysbench holds that form."""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(document: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = _HEADING_RE.findall(document.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def workload_options() -> set[str]:
    """Of every workload, each as it is written on a command line."""
    table = json.loads((ROOT / "src" / "dbdyno" / "study" / "workloads.json").read_text())
    names = [*OPTION_ALIASES, *(option["name"] for family in table["families"] for option in family["options"])]
    return {f"--{name.replace('_', '-')}" for name in names}


def sysbench_options() -> set[str]:
    """Of sysbench's form: every quoted name in the source that defines them."""
    source = ROOT / "crates" / "sysbench" / "src" / "options"
    return {f"--{name}" for path in source.rglob("*.rs") for name in re.findall(r'"([a-z][a-z-]+)"', path.read_text())}


KNOWN = written_options()
OF_WORKLOADS = workload_options()
OF_OTHER_PROGRAMS = {"--initialize-insecure", "--interval", "--ssl-mode"}
"""mysqld, go-tpc, mysql."""
NAMEABLE = set().union(*KNOWN.values(), OF_WORKLOADS, sysbench_options(), OF_OTHER_PROGRAMS)
_CODE_WORD_RE = re.compile(r"`([^`\n]+)`")
_OPTION_WORD_RE = re.compile(r"--[a-z][\w-]*")
_FILE_RE = re.compile(r"(?:src|crates|contract|studies|benches|tests|docs|examples|web)/[\w./-]+")
TAKES_WORKLOAD_OPTIONS = "dbdyno compare"


def command_of(shown: ShownCommand) -> str:
    """The longest name of a command that the words begin with."""
    command = shown.program
    for word in shown.argv:
        if f"{command} {word}" not in KNOWN:
            break
        command = f"{command} {word}"
    return command


def diagnostic(shown: ShownCommand) -> str:
    """What is wrong with a command; empty when nothing is."""
    if shown.program == "dbdyno-load" and shown.argv and command_of(shown) == shown.program:
        line = " ".join(shown.argv)
        return "" if _SYSBENCH_FORM_RE.match(line) else f"no command of dbdyno-load: {line}"
    if shown.program == "dbdyno" and shown.is_whole and shown.argv:
        return refusal(shown.argv)
    if shown.argv and command_of(shown) == shown.program and not shown.argv[0].startswith("-"):
        return f"no command of {shown.program}: {shown.argv[0]}"
    options = {word.partition("=")[0] for word in shown.argv if _OPTION_RE.match(word)}
    known = KNOWN[command_of(shown)] | (OF_WORKLOADS if command_of(shown) == TAKES_WORKLOAD_OPTIONS else set())
    return ", ".join(f"{command_of(shown)} has no {option}" for option in sorted(options - known))


def refusal(argv: tuple[str, ...]) -> str:
    """What the program's own reader says against a command."""
    try:
        _, unknown = _command_parser(argv[0]).parse_known_args(argv)
    except SystemExit as ended:
        return "" if not ended.code else f"refused: {' '.join(argv)}"
    foreign = {word.partition("=")[0] for word in unknown if word.startswith("--")}
    allowed = OF_WORKLOADS if argv[0] == "compare" else set()
    return ", ".join(f"dbdyno {argv[0]} has no {option}" for option in sorted(foreign - allowed))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_to_files_and_headings_that_are_there(document: Path) -> None:
    lost = []
    for link in _LINK_RE.findall(without_code(document.read_text())):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        is_elsewhere = re.match(r"[a-z]+:", link) is not None
        if not is_elsewhere and not target.exists():
            lost.append(link)
        elif not is_elsewhere and anchor and anchor not in anchors(target):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_commands_are_ones_that_the_programs_take(document: Path) -> None:
    found = [f"{shown.where}: {words}" for shown in shown_commands(document) if (words := diagnostic(shown))]
    assert found == []


def code_words(document: Path) -> list[str]:
    """What a document has in backticks in its text, outside of blocks."""
    lines, in_block = [], False
    for line in document.read_text().splitlines():
        in_block ^= line.startswith("```")
        if not in_block and not line.startswith("    "):
            lines.append(line)
    return _CODE_WORD_RE.findall("\n".join(lines))


@pytest.mark.parametrize("document", sorted({*DOCUMENTS} - {ROOT / "CHANGELOG.md"}), ids=name_of)
def test_options_and_files_that_the_text_names_are_there(document: Path) -> None:
    words = code_words(document)
    options = {match[0] for word in words if (match := _OPTION_WORD_RE.match(word))}
    files = {word for word in words if _FILE_RE.fullmatch(word)}
    studies = {word for shown in shown_commands(document) for word in shown.argv if word.startswith("studies/")}
    assert options - NAMEABLE == set()
    assert {name for name in files | studies if not (ROOT / name).exists()} == set()


CLIENT_COST = ROOT / "docs" / "measurements" / "client-cost.md"


def measured(quantity: str) -> float:
    """Median of a row of the page that `make bench` writes."""
    return float(re.search(rf"^\| {re.escape(quantity)} \| ([\d.]+)", CLIENT_COST.read_text(), re.MULTILINE)[1])  # type: ignore[index]


def test_the_first_page_says_of_the_client_what_was_measured_last() -> None:
    saved = [1 - measured(f"read-write against sysbench, socket, {count}") for count in (64, 512)]
    text = " ".join((ROOT / "README.md").read_text().split())
    assert (
        "{:.0%} less than sysbench at 64 connections and {:.0%} less at 512".format(*saved).replace("%", " %") in text
    )
    assert f"{measured('memory a connection, read-write'):.1f} KiB of memory" in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_what_is_populated_by_hand_is_in_a_schema_that_the_program_creates(document: Path) -> None:
    text = document.read_text()
    if "dbdyno-load populate" in text and FOLDER not in document.parents:
        assert [name for name in re.findall(r"--database (\w+)", text) if not name.startswith("dbdyno_")] == []


STUDY_PARTS = {
    "targets": 'targets = ["mysql:9.7"]\n',
    "workload": '[workload]\nname = "sysbench/oltp_read_write"\n',
    "axes": '[axes]\ntier = "512MB"\nconcurrency = 4\n',
}
OTHER_FILES = frozenset({"description", "phases", "transactions", "family", "storage_engine"})
"""Their keys: directories of SQL, tables of engines."""


def study_of(part: str) -> str:
    """A study file of the part that a document shows; what the part leaves out is put in."""
    shown = tomllib.loads(part)
    lacking = {name: text for name, text in STUDY_PARTS.items() if name not in shown}
    head = "" if "target" in shown else lacking.pop("targets", "")
    return head + part + "\n" + "".join(text for name, text in lacking.items() if name != "targets")


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_parts_of_study_files_are_read(document: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)
    for block in blocks:
        if not OTHER_FILES & tomllib.loads(block).keys():
            parse_study(study_of(block), document.name)


def test_a_wrong_word_is_answered_as_the_tutorial_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "studies" / "first.toml").read_text()
    (tmp_path / "my.toml").write_text(text.replace("\nwindow =", "\nwindw ="))
    assert main(["plan", "my.toml"]) == 2
    shown = (ROOT / "docs" / "tutorial" / "first-study.md").read_text()
    assert [line for line in capsys.readouterr().err.splitlines() if line not in shown] == []


def test_commands_are_found_and_wrong_ones_told(tmp_path: Path) -> None:
    """A document of the tests' own, in which each second command is wrong."""
    document = tmp_path / "page.md"
    document.write_text(
        "Say `dbdyno plan STUDY` or `dbdyno plan STUDY --frum DIR`.\n\n"
        "```bash\n$ dbdyno judge night.csv --group   # whole\ndbdyno show DIR --jsn | jq .\n"
        "dbdyno-load run linkbench --maxid1 9 \\\n    --threads 4 $server\ndbdyno-load rum linkbench --threads 4\n```\n"
        "    dbdyno compare mysql:9.7 --tables 4 -o out && dbdyno report\n"
    )
    said = [diagnostic(shown) for shown in shown_commands(document)]
    assert [bool(words) for words in said] == [False, True, False, True, False, True, False, True]
    assert re.findall(r"show|--\w+", said[1]) == ["show", "--jsn"]
    assert re.findall(r"plan|--\w+", said[7]) == ["plan", "--frum"]


def test_the_readme_has_all_commands_in_the_groups_of_the_help() -> None:
    groups: dict[str, list[str]] = {}
    for line in (ROOT / "README.md").read_text().splitlines():
        if match := re.match(r"\| ([a-z ]*) ?\| `dbdyno ([a-z-]+)", line):
            groups.setdefault(match[1].strip() or list(groups)[-1], []).append(match[2])
    assert groups == {title: list(commands) for title, commands in GROUPS.items()}

"""`dbdyno settings`: lists the neutral parameters of a study, and what they become on a server."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from rich.table import Table

from dbdyno.cli._console import wide_console
from dbdyno.cli._help import add_command as add
from dbdyno.core import EngineName, StudyError, parse_bytes, parse_engine_name
from dbdyno.engines import (
    Parameter,
    family_names,
    known_options,
    nearest_family,
    parameters_of_option,
    read_setting,
    servers_of,
    setting_text,
    vocabulary,
)
from dbdyno.nearest import nearest
from dbdyno.study import BUDGET

_STORY = """\
A study names settings by their effect, not by each server's options: redo.capacity = "4GB" becomes
innodb_redo_log_capacity on MySQL 9, innodb_log_file_size on MariaDB 11, and files times size before. This command
lists the settings, their meaning and dbdyno's defaults (the same on all targets, so that engines are comparable),
and with --engine the options that they become.

  dbdyno settings                               all of them
  dbdyno settings redo commit.durability        a group, or one setting with its values and servers
  dbdyno settings innodb_log_file_size sync     find by a server's option, or by a word
  dbdyno settings --engine mysql:8.0            as options of one server
  dbdyno settings --engine mariadb:11.8+rocksdb --set redo.capacity=4GB --set commit.durability=relaxed

In a study file, [settings] applies to all targets and [target.settings] to one:

  [settings]
  redo.capacity = "4GB"
  commit.durability = "relaxed"
  flush.neighbors = 0

dbdyno refuses what a version can't do before it fetches anything, and reads each option back from the running server.
A server's own options go into [target.options]. See docs/guides/settings.md.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "settings", _STORY, _show_settings)
    words = "a setting, a group such as redo, a server's option, or a word"
    parser.add_argument("names", nargs="*", metavar="NAME", help=words)
    parser.add_argument(
        "--engine", metavar="ENGINE", help="FAMILY:VERSION[+STORAGE_ENGINE]: show this server's options"
    )
    parser.add_argument(
        "--tier", default="512MB", metavar="SIZE", help="memory tier for the values (default %(default)s)"
    )
    parser.add_argument(
        "--set", dest="set", action="append", default=[], metavar="NAME=VALUE", help="set a value, as in a study"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list")


def _show_settings(choices: argparse.Namespace) -> int:
    budget_words = [word for word in choices.names if _is_buffer_pool_word(word)]
    names = _choose_parameters([word for word in choices.names if word not in budget_words])
    for word in budget_words:
        print(
            f"{word} is the memory tier, which is compared: --memory 512MB, or axes.tier in a study",
            file=sys.stderr if choices.json else sys.stdout,
        )
    if budget_words and len(budget_words) == len(choices.names):
        if choices.json:
            print("[]")
        return 0
    if choices.engine is not None:
        rows = _option_rows(parse_engine_name(choices.engine), parse_bytes(choices.tier), choices.set, names)
        headings = ("option", "value", "parameter", "why")
    elif choices.set:
        raise StudyError(
            "--set needs --engine", "the option that it becomes depends on the server", "add --engine mysql:9.7"
        )
    else:
        default_values = _default_settings(parse_bytes(choices.tier))
        rows = [_parameter_object(name, default_values) for name in names]
        headings = ("parameter", "unless set", "values", "meaning")
    if choices.json:
        print(json.dumps(rows, indent=1))
    elif choices.engine is None and 0 < len(choices.names) and len(names) <= 3:
        print("\n\n".join(_description(row) for row in rows))
    else:
        _print_table(headings, [[str(row[heading.replace(" ", "_")]) for heading in headings] for row in rows])
    return 0


def _choose_parameters(words: Sequence[str]) -> list[str]:
    """Return parameters by their names, the group in front of the dot, a server's own option, or a describing word."""
    chosen = [name for word in words for name in _matching_parameters(word)]
    return list(dict.fromkeys(chosen)) if words else list(vocabulary())


def _is_buffer_pool_word(word: str) -> bool:
    """Return whether a word is the buffer pool's, by its neutral name or as a server's own option."""
    return word == BUDGET or (word not in vocabulary() and BUDGET in parameters_of_option(word))


def _matching_parameters(word: str) -> list[str]:
    named = [name for name in vocabulary() if word in (name, name.partition(".")[0])]
    neutral = parameters_of_option(word)
    matching = named or [*neutral] or [name for name in vocabulary() if word.lower() in _searchable_text(name)]
    if not matching:
        raise StudyError(f"no setting contains '{word}'", "", _nearest_setting_hint(word))
    return matching


def _nearest_setting_hint(word: str) -> str:
    """Return the setting, group or server's option that was probably meant; a setting also by what follows its dot."""
    if ":" in word:
        return f"did you mean --engine {word}?"
    by_word = {name: name for name in known_options()}
    by_word |= {alias: name for name in vocabulary() for alias in (name, name.rpartition(".")[2])}
    by_word |= {name.partition(".")[0]: name.partition(".")[0] for name in vocabulary()}
    matches = get_close_matches(word.lower().replace("-", "_"), by_word, n=1, cutoff=0.6)
    return f"did you mean '{by_word[matches[0]]}'?" if matches else "`dbdyno settings` lists them all"


def _searchable_text(name: str) -> str:
    entries = vocabulary()[name]
    options = [row.name for entry in entries for row in entry.rows]
    return " ".join([name, *(entry.title for entry in entries), *options]).lower()


def _default_settings(tier_bytes: int) -> dict[str, str]:
    """Return what dbdyno sets unasked, by parameter; it is the same on all servers that have it."""
    from dbdyno.configure import own_values  # late: see _main

    return {name: setting_text(name, value) for name, value in own_values(tier_bytes).items() if name in vocabulary()}


def _parameter_object(name: str, default_values: dict[str, str]) -> dict[str, Any]:
    entries = vocabulary()[name]
    kinds = [entry.storage_engine for entry in entries]
    return {
        "parameter": name,
        "unless_set": default_values.get(name, "left to the server")
        if not entries[0].is_optional
        else "left to the server",
        "values": _values_words(entries[0]),
        "meaning": entries[0].title,
        "unit": entries[0].unit,
        "storage_engines": [] if "" in kinds else sorted(set(kinds)),
        "needs": {needed_name: list(needed_values) for needed_name, needed_values in entries[0].needs.items()},
        "servers": [
            {"option": row.name, "servers": servers_of([row])[0], "storage_engine": entry.storage_engine}
            for entry in entries
            for row in entry.rows
        ],
        "without": next((entry.without for entry in entries if entry.without), ""),
    }


def _values_words(parameter: Parameter) -> str:
    if parameter.values:
        return ", ".join(parameter.values)
    if parameter.least is None or parameter.most is None:
        return "a text"
    name = parameter.parameter_id
    return f"{setting_text(name, parameter.least)} to {setting_text(name, parameter.most)}"


def _option_rows(
    engine: EngineName, tier_bytes: int, words: Sequence[str], names: Sequence[str]
) -> list[dict[str, Any]]:
    from dbdyno.configure import RequestedOptions, settings_of_series  # late: see _main

    if engine.family not in family_names():
        problem = f"'{engine}' is of no known family"
        raise StudyError(problem, "", nearest_family(engine.family))
    requested = RequestedOptions(dict(_parse_setting(word) for word in words))
    settings = settings_of_series(engine, tier_bytes, requested)
    return [
        {"option": s.option, "value": s.value, "parameter": s.parameter, "why": s.reason}
        for s in settings
        if s.parameter in names or len(names) == len(vocabulary())
    ]


def _parse_setting(word: str) -> tuple[str, float | str]:
    name, separator, value = word.partition("=")
    if name not in vocabulary():
        raise StudyError(f"--set '{word}': no setting is called '{name}'", "", nearest(name, vocabulary()))
    try:
        return name, read_setting(name, value if separator else "")
    except ValueError as error:
        raise StudyError(f"--set '{word}': the value must be {error}", vocabulary()[name][0].title) from error


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    wide_console().print(table, markup=False)


def _description(row: dict[str, Any]) -> str:
    lines = [str(row["parameter"]), f"  {row['meaning']}"]
    lines += [f"  values      {row['values']}", f"  unless set  {row['unless_set']}"]
    for needed_name, needed_values in row["needs"].items():
        lines.append(f"  needs       {needed_name} = {' or '.join(needed_values)}")
    for server in row["servers"]:
        storage_words = f" ({server['storage_engine']})" if server["storage_engine"] else ""
        lines.append(f"  {server['option']}: {server['servers']}{storage_words}")
    if row["without"]:
        lines.append(f"  where there is no option, in effect: {row['without']}")
    return "\n".join(lines)

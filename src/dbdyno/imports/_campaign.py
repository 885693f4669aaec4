"""Option files that speak for a whole campaign: a folder of them beside the logs, one a family of servers."""

from __future__ import annotations

import re

from dbdyno.imports._diagnostic import stored_path
from dbdyno.imports._server_facts import read_settings
from dbdyno.imports._tree import Tree, TreeFile
from dbdyno.store import JsonValue

_FOLDERS = frozenset({"config", "configs", "conf", "cnf"})
_STEMS = {"mysql": re.compile(r"my(?:sql)?[-_.\d]*"), "mariadb": re.compile(r"maria(?:db)?[-_.\d]*")}
_STEMS |= {"percona": re.compile(r"(?:ps|percona(?:-server)?)[-_.\d]*")}


def campaign_files(tree: Tree, family: str) -> list[JsonValue]:
    """Option files of a family with what they say. Which runs were started with them, and what else, is not told."""
    return [_told(tree, file) for file in tree.of_kind("option-file") if _is_of(file, family)]


def _is_of(file: TreeFile, family: str) -> bool:
    pattern = _STEMS.get(family)
    is_apart = file.folder.rpartition("/")[2].lower() in _FOLDERS
    return is_apart and pattern is not None and pattern.fullmatch(file.stem.rpartition("/")[2].lower()) is not None


def _told(tree: Tree, file: TreeFile) -> JsonValue:
    read = read_settings(tree.root.resolve(), file.path, "option-file")
    options: dict[str, JsonValue] = {option.name: option.value for option in read.options}
    return {"path": stored_path(file.path), "sha256": read.sha256, "options": options}

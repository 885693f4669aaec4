"""Lines: what a target is called when its version is left out, so that versions follow each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from dbdyno.core import Target
from dbdyno.study import Study

Order = Literal["date", "version"]


def line_of(target: Target) -> str:
    """The name of a target without its version.

    >>> from dbdyno.core import parse_engine_name
    >>> engine = parse_engine_name("mariadb:11.8+rocksdb")
    >>> line_of(Target("mariadb:11.8+rocksdb", engine)), line_of(Target("maria 11.8 no binlog", engine))
    ('mariadb+rocksdb', 'maria no binlog')
    """
    version = target.engine.version
    if not version:
        return target.name
    without = re.sub(rf"[:\s_-]?(?<![\d.]){re.escape(version)}(?![\d.])", "", target.name, count=1).strip()
    return without or target.engine.family


def lines(studies: Iterable[Study], order: Order) -> dict[tuple[int, str], str]:
    """(index of the study, target) -> line.

    By version all targets of a line follow each other. By date a study has one value for each: where it has two
    targets of a line, the line is not one, and its targets keep their names.
    """
    named = [{target.name: line_of(target) for target in study.targets} for study in studies]
    doubled = {line for own in named for line, count in Counter(own.values()).items() if count > 1}
    if order == "version":
        doubled = set()
    return {
        (index, target): target if line in doubled else line
        for index, own in enumerate(named)
        for target, line in own.items()
    }


def version_key(version: str) -> tuple[tuple[int, ...], str]:
    """Sorts versions by their numbers.

    >>> sorted(["11.8.6", "9.7.0", "11.8.10"], key=version_key)
    ['9.7.0', '11.8.6', '11.8.10']
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)), version

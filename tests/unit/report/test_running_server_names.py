"""Running servers on the page: a short label everywhere, the whole address once in the key."""

from __future__ import annotations

import re
from pathlib import Path

from dbdyno.report import page_text
from dbdyno.report._palette import Palette, TargetStyle
from dbdyno.report.charts._levels import level_row_px
from stored_study import TWO, write_study

RUNNING = TWO.replace(
    'targets = ["mariadb:11.8", "mysql:9.7"]',
    """
[[target]]
name = "mariadb:11.8.6 (s.sock)"
engine = "mariadb:11.8.6@server:/run/mysqld/s.sock"
[[target]]
name = "mysql:9.7.4 (db1)"
engine = "mysql:9.7.4@server:db1"
[servers."/run/mysqld/s.sock"]
socket = "/run/mysqld/s.sock"
user = "u"
[servers.db1]
host = "db1"
user = "u"
""",
)


def key_of(folder: Path, text: str) -> str:
    page = page_text(write_study(folder, text))
    key = page[page.index('aria-label="Targets and their colours"') :]
    return re.sub(r"<[^>]*>", " ", key[key.index(">") + 1 : key.index("</ul>")])


def test_the_key_has_label_and_whole_address_once(tmp_path: Path) -> None:
    words = key_of(tmp_path / "running", RUNNING)
    assert words.count("/run/mysqld/s.sock") == 1 and words.count("MariaDB 11.8.6") == 1
    assert "MySQL 9.7.4 (db1)" in words


def test_the_key_names_an_engine_once_with_its_version(tmp_path: Path) -> None:
    words = key_of(tmp_path / "plain", TWO)
    assert words.count("MariaDB") == 1 and "mariadb:11.8" not in words and "11.8.6" in words


def test_a_long_name_and_its_value_have_lines_of_their_own() -> None:
    names = ("mysql:9.7", "mariadb:11.8.6 (mysqld.sock)")
    looks = [TargetStyle(name, "t0", "#000", "#fff", "circle", ()) for name in names]
    rows = [[{"target": name, "shown": "1,635 ± 69 TPS"}] for name in names]
    heights = [level_row_px(row, Palette((look,))) for row, look in zip(rows, looks, strict=True)]
    assert heights[0] < heights[1]

"""`dbdyno compare --vary`: each engine with every combination of what is varied."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.cli import _compare_study
from dbdyno.core import StudyError
from dbdyno.study import Study, parse_study
from error_codes import raises_code

REST = '[workload]\nname = "sysbench/oltp_read_only"\n[axes]\ntier = ["64MB"]\nconcurrency = [1]\n'


def varied(*words: str) -> Study:
    engines = [("mysql:9.7", "mysql:9.7"), ("mariadb:11.8", "mariadb:11.8")]
    lines = _compare_study._varied_target_lines(engines, words, "sysbench/oltp_read_only")
    return parse_study("\n".join([*lines, REST]), str(Path("study.toml")))


def test_two_of_them_are_combined() -> None:
    study = varied("redo.capacity=1GB,4GB", "range-size=10,20,30", "flush.neighbors=0")
    assert len({target.name for target in study.targets}) == 2 * 2 * 3
    last = study.targets[-1]
    assert last.name == "mariadb:11.8 4GB range_size=30 flush.neighbors=0"
    assert last.settings["redo.capacity"] == 4 << 30 and last.settings["flush.neighbors"] == "0"
    assert last.workload_options == {"range_size": 30}


def test_an_engine_without_the_setting_runs_once_and_a_note_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    engines = [(name, name) for name in ("mariadb:11.8", "mariadb:11.8+rocksdb")]
    lines = _compare_study._varied_target_lines(engines, ["flush.neighbors=0,1"], "sysbench/oltp_read_only")
    study = parse_study("\n".join([*lines, REST]), "study.toml")
    names = [target.name for target in study.targets]
    assert names == ["mariadb:11.8 flush.neighbors=0", "mariadb:11.8 flush.neighbors=1", "mariadb:11.8+rocksdb"]
    assert "flush.neighbors does not apply to mariadb:11.8+rocksdb" in capsys.readouterr().err


def test_a_setting_that_no_engine_has_is_refused() -> None:
    lines = _compare_study._varied_target_lines(
        [("mysql:9.7", "mysql:9.7")], ["flush.subcompactions=1,4"], "sysbench/oltp_read_only"
    )
    with pytest.raises(StudyError, match="does not apply to mysql"):
        parse_study("\n".join([*lines, REST]), "study.toml")


def test_one_thing_varied_twice_is_refused() -> None:
    with raises_code(StudyError, "given-twice", "range_size") as refused:
        varied("range_size=10", "--range-size=20")
    assert "--vary range_size=10,20" in refused.value.remedy


@pytest.mark.parametrize(
    ("workload", "words", "variations", "size"),
    [
        ("sysbench/oltp_read_write", [], [], {"tables": 4, "table_size": 100_000}),
        ("oltp_point_select", ["--range-size=10"], [], {"tables": 4, "table_size": 100_000, "range_size": 10}),
        ("sysbench/oltp_read_write", ["--tables=2"], [], {"tables": 2}),
        ("sysbench/oltp_read_write", ["--rows=7"], [], {"table_size": 7}),
        ("sysbench/oltp_read_write", [], ["rows=10,20"], {}),
        ("sysbench/oltp_read_write", [], ["--table-size=10,20"], {}),
        ("tpcc/hammerdb", [], [], {}),
        ("sysbench/bulk_insert", [], [], {}),
        ("bulk_insert", ["--tables=16"], [], {"tables": 16}),
    ],
)
def test_tables_get_a_size_where_nobody_gives_one(
    workload: str, words: list[str], variations: list[str], size: dict[str, int]
) -> None:
    lines = _compare_study.workload_option_lines(workload, words, [], variations)
    text = f'targets = ["mysql:9.7"]\n[workload]\nname = "{workload}"\n' + "\n".join(lines)
    axes = '\n[axes]\ntier = ["512MB"]\nconcurrency = [1]\n'
    assert parse_study(text + axes, "study.toml").workloads[0].options == size

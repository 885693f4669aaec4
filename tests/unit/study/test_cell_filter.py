"""Cells of a study chosen by their axes: what stays of the study, and what is refused."""

from __future__ import annotations

import itertools

import pytest

from dbdyno.core import Cell, RequestError
from dbdyno.study import Study, parse_study, read_cell_filter, study_of_cells, study_text, words_of_cell

STUDY = parse_study(
    """
question = "Which of the three?"
targets = ["mariadb:11.8", "mysql:9.7", "mysql:8.0@server:old"]

[[workload]]
name = "sysbench/oltp_read_write"
tables = 4
rows = 1000

[[workload]]
name = "sysbench/oltp_read_only"
tables = 4
rows = 1000

[axes]
tier = ["64MB", "9000KB"]
concurrency = [1, 8, 64]
route = ["socket", "loopback"]

[measure]
repeats = 3
seed = 9
sentinel = "mysql:9.7"

[servers.old]
host = "127.0.0.1"
port = 3306
user = "u"
password_file = "secret"
""",
    "three.toml",
)


def cells(study: Study) -> list[Cell]:
    targets = [target.name for target in study.targets]
    workloads = [choice.label for choice in study.workloads]
    axes = itertools.product(targets, study.tiers_bytes, study.concurrencies, workloads, study.routes)
    return [Cell(*values) for values in axes]


@pytest.mark.parametrize("cell", cells(STUDY), ids=lambda cell: cell.cell_id)
def test_the_words_of_a_cell_select_that_cell(cell: Cell) -> None:
    chosen = read_cell_filter(words_of_cell(STUDY, cell))
    assert cells(study_of_cells(STUDY, chosen)) == [cell]
    assert [each for each in cells(STUDY) if chosen.has(each)] == [cell]


def test_a_name_with_commas_is_one_value() -> None:
    targets = '[[target]]\nname = "small, no binlog"\nengine = "mysql:9.7"\n[[target]]\nengine = "mysql:9.7"\n'
    workload = '[workload]\nname = "oltp_read_only"\n[axes]\ntier = ["64MB"]\nconcurrency = [1]\n'
    study = parse_study(targets + workload, "commas.toml")
    chosen = read_cell_filter(words_of_cell(study, cells(study)[0]))
    assert cells(study_of_cells(study, chosen)) == cells(study)[:1]


def test_a_chosen_cell_is_run_as_in_the_whole_study() -> None:
    part = study_of_cells(STUDY, read_cell_filter(["target=mysql:9.7", "connections=8,64", "connections=8"]))
    assert (part.repeats, part.seed, part.sentinel) == (3, 9, "mysql:9.7")
    assert (part.concurrencies, part.tiers_bytes, part.workloads) == ((8, 64), STUDY.tiers_bytes, STUDY.workloads)
    assert not part.servers
    assert part.connections_max == 64
    assert "mysql:9.7" in part.question and "mariadb" not in part.question
    assert part.name == "three-mysql-9.7-8-64"


def test_servers_of_few_connections_are_set_up_as_in_the_whole_study() -> None:
    part = study_of_cells(STUDY, read_cell_filter(["connections=1"]))
    assert (part.concurrencies, part.connections_max) == ((1,), 64)


def test_what_no_chosen_cell_needs_is_left_out() -> None:
    part = study_of_cells(STUDY, read_cell_filter(["target=mysql:8.0@server:old"]))
    assert list(part.servers) == ["old"]
    assert part.sentinel == ""


def test_a_choice_of_places_keeps_the_question() -> None:
    assert study_of_cells(STUDY, read_cell_filter(["memory=64MB"])).question == STUDY.question


def test_without_a_choice_the_study_is_the_same() -> None:
    assert study_of_cells(STUDY, read_cell_filter([])) is STUDY


def test_the_chosen_part_is_a_study_that_can_be_written_and_read() -> None:
    part = study_of_cells(STUDY, read_cell_filter(["route=loopback", "target=mariadb:11.8", "tier=9000KB"]))
    assert parse_study(study_text(part), "again.toml") == part


ELSEWHERE = parse_study(
    """
targets = ["mariadb:11.8", "mariadb:11.8+rocksdb"]
workload.name = "sysbench/oltp_read_only"
[axes]
tier = "64MB"
concurrency = 8
route = ["socket", "network", "wan"]
[settings]
flush.page_cleaners = 4
memory.write_buffers = "32MB"
commit.durability = "relaxed"
[hosts.db1]
address = "10.1.0.2"
[hosts.c1]
[bench.a]
server = "db1"
client = "c1"
[routes.wan]
rtt = "10ms"
""",
    "elsewhere.toml",
)


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("target=mariadb:11.8", {"flush.page_cleaners", "commit.durability"}),
        ("target=mariadb:11.8+rocksdb", {"memory.write_buffers", "commit.durability"}),
        ("route=socket", set(ELSEWHERE.settings)),
        ("route=network", set(ELSEWHERE.settings)),
    ],
)
def test_what_only_other_cells_use_does_not_stand_in_the_way(words: str, settings: set[str]) -> None:
    part = study_of_cells(ELSEWHERE, read_cell_filter([words]))
    assert set(part.settings) == settings
    assert parse_study(study_text(part), "again.toml") == part


def test_names_of_study_files_and_other_tools_are_understood() -> None:
    words = ["tier=64MB", "concurrency=8", "engine=mysql:9.7"]
    assert [name for name, _ in read_cell_filter(words).wanted] == ["memory", "connections", "target"]


def test_a_workload_may_be_named_without_its_family() -> None:
    part = study_of_cells(STUDY, read_cell_filter(["workload=oltp_read_only"]))
    assert [choice.label for choice in part.workloads] == ["sysbench/oltp_read_only"]


def test_a_long_choice_gives_a_short_name() -> None:
    words = ["target=mariadb:11.8,mysql:9.7,mysql:8.0@server:old", "memory=64MB,9000KB", "route=socket,loopback"]
    assert len(study_of_cells(STUDY, read_cell_filter(words)).name) < 20


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("memory", "'memory'"),
        ("memory=", "'memory='"),
        ("memory=64MB,", "'memory=64MB,'"),
        ("conections=8", "connections"),
        ("memory=much", "'much'"),
        ("connections=many", "'many'"),
        ("connections=9", "connections=9"),
        ("target=mysql:9.8", "mysql:9.7"),
        ("memory=65MB", "64MB"),
        ("workload=tpcc", "oltp_read_write"),
        ("route=wan", "loopback"),
    ],
)
def test_what_the_study_has_not_is_refused_by_name(words: str, named: str) -> None:
    with pytest.raises(RequestError) as raised:
        study_of_cells(STUDY, read_cell_filter([words]))
    assert named in f"{raised.value}{raised.value.why}{raised.value.remedy}"

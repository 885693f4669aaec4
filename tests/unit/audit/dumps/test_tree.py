"""Folders of dumps in the forms people keep them in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dbdyno.audit import TargetFacts
from dbdyno.audit.dumps import Dumps, read_dumps
from dbdyno.core import RequestError

VARIABLES = "version\t{}\nversion_comment\t{}\ninnodb_buffer_pool_size\t{}\n"
STATUS = "Uptime\t{}\nHandler_commit\t{}\nConnections\t7\n"


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def variables(version: str = "8.4.8", pool: str = "134217728") -> str:
    return VARIABLES.format(version, "MySQL Community Server - GPL", pool)


def targets(dumps: Dumps) -> dict[tuple[str, str], list[str]]:
    return {(s.campaign, s.tier): [t.name for t in s.targets] for s in dumps.sets}


def target(dumps: Dumps, name: str) -> TargetFacts:
    return next(t for s in dumps.sets for t in s.targets if t.name == name)


def test_vendor_and_version_are_the_target_tiers_sort_by_size_and_the_top_is_the_campaign(tmp_path: Path) -> None:
    for tier in ("Tier2G", "Tier12G", "Tier512M"):
        for server in ("mysql/8.4.8", "mariadb/11.8.6"):
            write(tmp_path, f"logs/{server}/{tier}.vars.txt", variables())
    names = ["mariadb/11.8.6", "mysql/8.4.8"]
    found = targets(read_dumps(tmp_path))
    assert found == {("logs", tier): names for tier in ("Tier512M", "Tier2G", "Tier12G")}
    assert [tier for _, tier in found] == ["Tier512M", "Tier2G", "Tier12G"]


def test_a_folder_is_a_target_and_its_files_are_known_by_what_stands_in_them(tmp_path: Path) -> None:
    write(tmp_path, "a/settings.out", variables())
    write(tmp_path, "a/counters_before.txt", STATUS.format(2, 0))
    write(tmp_path, "a/counters_after.txt", STATUS.format(900, 5))
    write(tmp_path, "a/50-server.cnf", "[mysqld]\nskip-log-bin\n")
    write(tmp_path, "b/variables.txt", variables())
    dumps = read_dumps(tmp_path)
    assert targets(dumps) == {("", ""): ["a", "b"]}
    a = target(dumps, "a")
    assert a.option_file == {"log_bin": "OFF"}
    assert target(dumps, "b").option_file is None


def test_targets_in_one_folder_are_told_apart_by_the_names_of_their_files(tmp_path: Path) -> None:
    for name in ("mysql-8.4", "mariadb-11.8"):
        write(tmp_path, f"{name}.vars.txt.gz", variables())
        write(tmp_path, f"{name}.status_before.txt", STATUS.format(2, 0))
        write(tmp_path, f"{name}.status_after.txt", STATUS.format(900, 5))
        write(tmp_path, f"{name}.cnf", "[mysqld]\nsync_binlog=1\n")
    dumps = read_dumps(tmp_path)
    assert targets(dumps) == {("", ""): ["mariadb-11.8", "mysql-8.4"]}
    one = target(dumps, "mysql-8.4")
    assert one.status is not None and one.status["uptime"] == "2"
    assert one.status_end is not None and one.status_end["uptime"] == "900"
    assert one.option_file == {"sync_binlog": "1"}


def test_a_json_document_holds_all_of_a_target(tmp_path: Path) -> None:
    content = {
        "version": "11.8.6-MariaDB",
        "variables": {"innodb_buffer_pool_size": "1"},
        "status": {"Uptime": "5"},
        "engines": [["InnoDB", "DEFAULT"]],
    }
    write(tmp_path, "mariadb-11.8.json", json.dumps(content))
    write(tmp_path, "mysql-9.json", json.dumps(content | {"version": "9.7.4"}))
    dumps = read_dumps(tmp_path)
    assert targets(dumps) == {("", ""): ["mariadb-11.8", "mysql-9"]}
    assert (target(dumps, "mysql-9").variables or {})["version"] == "9.7.4"
    assert (target(dumps, "mysql-9").status or {})["uptime"] == "5"


@pytest.mark.parametrize(
    "text",
    [
        "+---+---+\n| Variable_name | Value |\n+---+---+\n| version | 8.4.8 |\n"
        "| innodb_buffer_pool_size | 7 |\n+---+---+\n",
        "Variable_name\tValue\nversion\t8.4.8\ninnodb_buffer_pool_size\t7\n",
        "*** 1. row ***\nVariable_name: version\n        Value: 8.4.8\n*** 2. row ***\n"
        "Variable_name: innodb_buffer_pool_size\n        Value: 7\n",
        '"Variable_name","Value"\n"version","8.4.8"\n"innodb_buffer_pool_size","7"\n',
        '[{"Variable_name": "version", "Value": "8.4.8"}, {"Variable_name": "innodb_buffer_pool_size", "Value": 7}]',
        '{"version": "8.4.8", "innodb_buffer_pool_size": 7}',
    ],
    ids=["framed", "tabs", "vertical", "csv", "json rows", "json object"],
)
def test_every_form_that_clients_print_is_read(tmp_path: Path, text: str) -> None:
    write(tmp_path, "a/variables.txt", text)
    found = read_dumps(tmp_path).sets[0].targets[0].variables or {}
    assert (found["version"], found["innodb_buffer_pool_size"]) == ("8.4.8", "7")


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path, "a/variables.txt", variables())
    write(tmp_path, "b/variables.txt", variables())
    (tmp_path / "b/status.txt.gz").write_bytes(gzip.compress(STATUS.encode())[:20])
    (tmp_path / "b/vars2.txt").write_bytes(b"\x00\x01\x02" * 40)
    write(tmp_path, "b/run.sysbench.txt", "no dump, and nobody expects one")
    dumps = read_dumps(tmp_path)
    assert [len(s.targets) for s in dumps.sets] == [2]
    assert {entry.path.name for entry in dumps.unread} == {"status.txt.gz", "vars2.txt"}


def test_campaigns_with_one_target_each_were_no_campaigns(tmp_path: Path) -> None:
    write(tmp_path, "host1/mysql-8.4/variables.txt", variables())
    write(tmp_path, "host2/mariadb-11.8/variables.txt", variables())
    assert targets(read_dumps(tmp_path)) == {("", ""): ["host1/mysql-8.4", "host2/mariadb-11.8"]}


def test_facts_lie_beside_a_target_above_all_or_at_the_study(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, f"{name}/Tier2G.variables.txt", variables())
        write(tmp_path, f"{name}/Tier4G.variables.txt", variables())
    write(tmp_path, "facts.json", json.dumps({"study": {"max_threads": 64}, "host": {"numa_nodes": 2}}))
    write(
        tmp_path,
        "a/facts.json",
        json.dumps({"session": {"ssl_cipher": ""}, "host": {"rotational": False}, "storage_engine": "innodb"}),
    )
    dumps = read_dumps(tmp_path)
    assert [dict(s.study) for s in dumps.sets] == [{"max_threads": 64}] * 2
    for comparison in dumps.sets:
        a, b = comparison.targets
        assert (dict(a.host), dict(b.host)) == ({"numa_nodes": 2, "rotational": False}, {"numa_nodes": 2})
        assert (dict(a.session), dict(b.session)) == ({"ssl_cipher": ""}, {})
        assert (a.storage_engine, b.storage_engine) == ("innodb", "")


def test_option_files_alone_are_targets(tmp_path: Path) -> None:
    write(tmp_path, "configs/mariadb.cnf", "[mysqld]\ndatadir=/data/mariadb-10.5.4\n")
    write(tmp_path, "configs/my8.cnf", "[mysqld]\ndatadir=/data/mysql-8.0.21\n")
    write(tmp_path, "results/res.txt", "1,56,390.85\n")
    assert targets(read_dumps(tmp_path)) == {("configs", ""): ["mariadb", "my8"]}


def test_an_option_file_above_the_targets_is_for_all_of_them(tmp_path: Path) -> None:
    write(tmp_path, "my.cnf", "[mysqld]\nsync_binlog=1\n")
    for name in ("a", "b"):
        write(tmp_path, f"{name}/variables.txt", variables())
    write(tmp_path, "b/my.cnf", "[mysqld]\nsync_binlog=0\n")
    dumps = read_dumps(tmp_path)
    assert target(dumps, "a").option_file == {"sync_binlog": "1"}
    assert target(dumps, "b").option_file == {"sync_binlog": "0"}


def test_seconds_of_a_window_are_json_lines(tmp_path: Path) -> None:
    write(tmp_path, "a/variables.txt", variables())
    write(tmp_path, "a/seconds.json", "\n".join(json.dumps({"Uptime": 100 + i, "Com_commit": i}) for i in range(3)))
    seconds = read_dumps(tmp_path).sets[0].targets[0].status_each_second
    assert [row["com_commit"] for row in seconds] == ["0", "1", "2"]


@pytest.mark.parametrize("content", [None, "just a note"])
def test_a_folder_without_dumps_is_refused(tmp_path: Path, content: str | None) -> None:
    folder = tmp_path / "x"
    if content is not None:
        write(folder, "notes.txt", content)
    with pytest.raises(RequestError) as caught:
        read_dumps(folder)
    assert caught.value.exit_code == 2 and caught.value.remedy

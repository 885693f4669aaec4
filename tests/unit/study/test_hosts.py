"""Hosts and benches of a study file: read, written, refused where they can't work."""

from __future__ import annotations

import re

import pytest

from dbdyno.core import StudyError
from dbdyno.study import BenchChoice, FleetChoice, HostChoice, parse_study, study_text

HEAD = """\
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4, route = ["loopback", "network"]}
"""
HOST = """\
[hosts.db1]
ssh = "bench@db1"
address = "10.1.0.2"
home = "/data/dbdyno"
ports = "20000-20099"
"""
BENCH = '[bench.a]\nserver = "db1"\n'
LOCAL = HEAD.replace(', "network"', "")
TWO_WORKLOADS = (
    LOCAL.replace('workload.name = "oltp_read_only"\n', "")
    + """\
[[workload]]
name = "oltp_read_only"
[[workload]]
"""
)
CLIENTS = HOST + BENCH + 'client = ["c1", "c2"]\n[hosts.c1]\nssh = "bench@c1"\n[hosts.c2]\n'


def test_a_bench_is_read_and_written() -> None:
    study = parse_study(HEAD + HOST + BENCH, "x.toml")
    assert study.bench == BenchChoice("a", HostChoice("db1", "bench@db1", "10.1.0.2", "/data/dbdyno", (20000, 20099)))
    assert parse_study(study_text(study), "y.toml") == study


@pytest.mark.parametrize("home", ["/data/😀", "/data/ä b", '/data/"x\\\\y', "/data/\x7f"])
def test_a_home_of_any_characters_is_written_as_it_is_read(home: str) -> None:
    written_home = home.replace('"', '\\"').replace("\x7f", "\\u007f")
    study = parse_study(HEAD + HOST.replace("/data/dbdyno", written_home) + BENCH, "x.toml")
    assert parse_study(study_text(study), "y.toml") == study


def test_a_host_is_named_for_ssh_unless_it_says_otherwise() -> None:
    study = parse_study(HEAD.replace(', "network"', "") + "[hosts.db1]\n" + BENCH, "x.toml")
    assert study.bench == BenchChoice("a", HostChoice("db1", "db1"))
    assert parse_study(study_text(study), "y.toml") == study


def test_several_benches_are_read_and_written_and_one_may_be_this_machine() -> None:
    text = HEAD.replace(', "network"', "") + HOST + BENCH + '[hosts.db2]\n[bench.b]\nserver = "db2"\n[bench.c]\n'
    study = parse_study(text, "x.toml")
    assert [bench.name for bench in study.benches] == ["a", "b", "c"]
    assert study.benches[1:] == (BenchChoice("b", HostChoice("db2", "db2")), BenchChoice("c"))
    assert study.bench is None
    assert parse_study(study_text(study), "y.toml") == study


def test_ray_is_read_and_written_and_its_nodes_may_be_benches() -> None:
    text = HEAD.replace(', "network"', "") + "[bench.a]\n[bench.b]\n"
    study = parse_study(text + '[fleet]\nengine = "ray"\naddress = "h:6379"\n', "x.toml")
    assert study.fleet == FleetChoice("ray", "h:6379")
    assert study.benches == (BenchChoice("a"), BenchChoice("b"))
    assert parse_study(study_text(study), "y.toml") == study


def test_several_hosts_are_one_client() -> None:
    study = parse_study(HEAD + CLIENTS, "x.toml")
    assert study.benches[0].clients == (HostChoice("c1", "bench@c1"), HostChoice("c2", "c2"))
    assert parse_study(study_text(study), "y.toml") == study
    assert re.search(r" c1 \(bench@c1\) .* c2 \(c2\) .* 10\.1\.0\.2\b", study.bench_words)


@pytest.mark.parametrize("routes", ['"loopback", "network", "wan"', '"wan"'])
def test_several_hosts_drive_a_shaped_route(routes: str) -> None:
    text = HEAD.replace('"loopback", "network"', routes) + CLIENTS + '[routes.wan]\nrate = "1Gbit"\n'
    study = parse_study(text, "x.toml")
    assert [client.name for client in study.benches[0].clients] == ["c1", "c2"]
    assert parse_study(study_text(study), "y.toml") == study
    assert "wan on c1 (bench@c1)" in study.bench_words and " c2 (c2) " in study.bench_words


def test_without_a_bench_nothing_of_it_is_written() -> None:
    study = parse_study(HEAD.replace(', "network"', ""), "x.toml")
    assert study.bench is None
    assert "[bench" not in study_text(study)
    assert "hosts" not in study_text(study)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD, 1, "'network'"),
        (HEAD + HOST, 5, r"\[hosts.db1\]"),
        (HEAD + HOST + BENCH.replace("db1", "db2"), 10, "'db2'"),
        (HEAD + HOST.replace('address = "10.1.0.2"', "") + BENCH, 5, "address"),
        (HEAD + HOST.replace("10.1.0.2", "127.0.0.1") + BENCH, 6, "'address' is"),
        (HEAD + HOST.replace("20000-20099", "99-20") + BENCH, 8, "'ports' is"),
        (HEAD + HOST + 'sudo = ["netem"]\n' + BENCH, 9, "'sudo' is"),
        (HEAD + HOST + BENCH + 'client = ["c1"]\n', 11, "'c1'"),
        (HEAD + HOST + BENCH + 'client = ["db1"]\n', 11, "db1 is"),
        (
            HEAD + HOST + BENCH + 'client = ["c1", "c2"]\n[hosts.c1]\n[hosts.c2]\nssh = "c1"\n',
            11,
            "c2 is",
        ),
        (LOCAL + "[hosts.c1]\n[bench.a]\nclient = ['c1']\n", 6, r"\[bench.a\]"),
        (LOCAL + HOST + BENCH + 'client = ["c1"]\n[hosts.c1]\n', 11, "no route"),
        (HEAD.replace("= 4", "= [8, 1]") + CLIENTS, 1, " 2 client hosts"),
        (HEAD + CLIENTS + "[pinning]\nclient = '1'\n", 16, "pinning.client"),
        (HEAD + CLIENTS.replace('["c1", "c2"]', '["c1"]'), 14, r"\[hosts.c2\]"),
        (
            HEAD + CLIENTS + "[bench.b]\nserver='db2'\nclient = ['c2']\n[hosts.db2]\naddress='10.1.0.3'\n",
            17,
            "a and b have",
        ),
        (HEAD + HOST + BENCH + '[bench.b]\nserver = "db1"\n', 12, "a and b have"),
        (
            HEAD + HOST + BENCH + '[hosts.db2]\naddress = "10.1.0.3"\n[bench.b]\nserver = "db2"\n',
            13,
            "a and b .*: .* load",
        ),
        (LOCAL + HOST + BENCH + '[hosts.x]\nssh = "bench@db1"\n[bench.b]\nserver = "x"\n', 14, "a and b have"),
        (
            LOCAL + HOST + BENCH + '[bench.b]\nserver = "db1"\n[fleet]\nengine = "ray"\n',
            12,
            "a and b have",
        ),
        (HEAD.replace(', "network"', "") + "[bench.a]\n[bench.b]\n", 5, "a and b have"),
        (HEAD + HOST + BENCH + '[fleet]\nengine = "ray"\n', 12, r"\[fleet\]"),
        (HEAD + HOST + BENCH + "[bench.b]\n", 1, "'network'"),
        (
            TWO_WORKLOADS
            + 'name = "linkbench"\ndata_file = "D.dat"\n'
            + HOST
            + BENCH
            + '[bench.b]\nserver = "db2"\n[hosts.db2]\n[fleet]\nengine = "ray"\n',
            7,
            "Ray cluster can't read the data file",
        ),
        (
            TWO_WORKLOADS
            + 'name = "sql:shop"\n'
            + HOST
            + BENCH
            + '[bench.b]\nserver = "db2"\n[hosts.db2]\n[fleet]\nengine = "ray"\n',
            6,
            "'sql:shop' .* Ray",
        ),
        (HEAD + HOST + BENCH + '[hosts.db2]\n[bench.b]\nserver = "db2"\n', 11, "address"),
        (HEAD.replace("mysql:9.7", "mysql:9.7@image:mysql:9.7") + HOST + BENCH, 1, "(?s) image, .* no images yet"),
        (
            HEAD.replace("mysql:9.7", "mysql@server:x")
            + HOST
            + BENCH
            + '[servers.x]\nhost = "10.1.0.9"\nuser = "u"\npassword_env = "P"\n',
            1,
            "(?s)running server, .* from this machine, by its address",
        ),
    ],
)
def test_what_can_not_work_is_refused_at_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(StudyError, match=words) as caught:
        parse_study(text, "x.toml")
    assert caught.value.what.startswith(f"x.toml:{line}: ")


def test_a_workload_in_a_folder_is_taken_to_other_hosts() -> None:
    study = parse_study(TWO_WORKLOADS + 'name = "sql:shop"\n' + HOST + BENCH, "x.toml")
    assert "sql:shop" in [choice.name for choice in study.workloads]
    shared = HEAD.replace('workload.name = "oltp_read_only"', 'workload.name = "sql:shop"') + CLIENTS
    assert parse_study(shared, "x.toml").workloads[0].name == "sql:shop"

"""Hosts and benches of a study file: read, written, refused where they can't work."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError
from dbdyno.study import BenchChoice, HostChoice, parse_study, study_text

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


def test_a_bench_is_read_and_written() -> None:
    study = parse_study(HEAD + HOST + BENCH, "x.toml")
    assert study.bench == BenchChoice("a", HostChoice("db1", "bench@db1", "10.1.0.2", "/data/dbdyno", (20000, 20099)))
    assert parse_study(study_text(study), "y.toml") == study


def test_a_host_is_named_for_ssh_unless_it_says_otherwise() -> None:
    study = parse_study(HEAD.replace(', "network"', "") + "[hosts.db1]\n" + BENCH, "x.toml")
    assert study.bench == BenchChoice("a", HostChoice("db1", "db1"))
    assert parse_study(study_text(study), "y.toml") == study


def test_without_a_bench_nothing_of_it_is_written() -> None:
    study = parse_study(HEAD.replace(', "network"', ""), "x.toml")
    assert study.bench is None
    assert "[bench" not in study_text(study)
    assert "hosts" not in study_text(study)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD, 1, "needs a server on another host"),
        (HEAD + HOST, 5, r"\[hosts.db1\]"),
        (HEAD + HOST + BENCH.replace("db1", "db2"), 10, "no host is named 'db2'"),
        (HEAD + HOST.replace('address = "10.1.0.2"', "") + BENCH, 5, "needs the address"),
        (HEAD + HOST.replace("10.1.0.2", "127.0.0.1") + BENCH, 6, "'address' is"),
        (HEAD + HOST.replace("20000-20099", "99-20") + BENCH, 8, "'ports' is"),
        (HEAD + HOST + 'sudo = ["netem"]\n' + BENCH, 9, "asks for sudo"),
        (HEAD + HOST + BENCH + 'client = ["c1"]\n', 11, "clients"),
        (HEAD + HOST + BENCH + '[bench.b]\nserver = "db1"\n', 11, "2 benches"),
        (HEAD.replace("mysql:9.7", "mysql:9.7@image:mysql:9.7") + HOST + BENCH, 1, "is an image"),
    ],
)
def test_what_can_not_work_is_refused_at_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(StudyError, match=words) as caught:
        parse_study(text, "x.toml")
    assert caught.value.what.startswith(f"x.toml:{line}: ")

"""A bench keeps its engines from being removed until the study ends."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from dbdyno.core import Home, ProvisionError
from dbdyno.lab._bench import LocalBench
from dbdyno.provision import installed_engines, remove_installed
from dbdyno.study import parse_study
from error_codes import raises_code
from words_host import WordsHost, build, pack

STUDY = """
targets = ["mysql:8.0@archive:{archive}"]
workload.name = "oltp_read_only"
axes = {{tier = "64MB", concurrency = 1}}
"""


def test_an_engine_of_a_study_stays_until_the_study_ends(tmp_path: Path) -> None:
    host, home = WordsHost(), Home(tmp_path / "home")
    archive = pack(build(tmp_path / "b"), tmp_path / "a.tar.gz")
    study = parse_study(STUDY.format(archive=archive), "s.toml")
    with contextlib.ExitStack() as held:
        LocalBench(study, host, home, held).obtain(study.targets[0], lambda _: None)
        (kept,) = installed_engines(home, host)
        with raises_code(ProvisionError, "in-use", str(kept.folder)):
            remove_installed(kept, home, host)
    remove_installed(kept, home, host)
    assert installed_engines(home, host) == []


def test_a_study_holds_its_session_until_it_ends(tmp_path: Path) -> None:
    host, home = WordsHost(), Home(tmp_path / "home")
    study = parse_study(STUDY.format(archive=pack(build(tmp_path / "b"), tmp_path / "a.tar.gz")), "s.toml")
    with contextlib.ExitStack() as held:
        bench = LocalBench(study, host, home, held)
        elsewhere = replace(bench.session, boot="deadbeef")  # as another machine sees it
        bench.clean_up()
        assert elsewhere.is_alive()
        bench.session.new_directory()
        assert not elsewhere.is_over()
        bench.clean_up()
    assert not elsewhere.is_alive()
    assert list(home.run.iterdir()) == []

"""Passwords from the environment."""

from pathlib import Path

import pytest

from dbdyno.core import StudyError
from dbdyno.hosts import LocalHost
from dbdyno.lab._passwords import password_files
from dbdyno.study import Study, parse_study

TEXT = """
targets = ["mysql@server:prod"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 1}
[servers.prod]
socket = "/run/mysqld/mysqld.sock"
user = "load"
password_env = "DB_PASSWORD"
"""


@pytest.fixture
def study() -> Study:
    return parse_study(TEXT, "s.toml")


def test_a_password_of_the_environment_lies_in_a_private_file_while_the_study_runs(study: Study) -> None:
    with password_files(study, LocalHost(), {"DB_PASSWORD": "secret"}) as running:
        address = running.servers["prod"]
        assert address.password_env is None
        file = Path(address.password_file or "")
        assert file.read_text() == "secret\n"
        assert file.stat().st_mode & 0o077 == 0
    assert not file.exists()


def test_a_variable_that_is_not_set_is_named(study: Study) -> None:
    with pytest.raises(StudyError, match="not in the environment"), password_files(study, LocalHost(), {}):
        pass

"""Passwords from the environment."""

from pathlib import Path

import pytest

from dbdyno.cli._progress import ShownStudy, done_line
from dbdyno.core import StudyError
from dbdyno.hosts import LocalHost
from dbdyno.lab._passwords import exposed_passwords, password_files
from dbdyno.study import Study, parse_study
from error_codes import raises_code

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
    with raises_code(StudyError, "password-missing"), password_files(study, LocalHost(), {}):
        pass


@pytest.mark.parametrize(("mode", "is_told"), [(0o600, False), (0o640, False), (0o644, True), (0o602, True)])
def test_a_password_file_that_all_can_read_or_change_is_told(mode: int, is_told: bool, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret\n")
    file.chmod(mode)
    study = parse_study(TEXT.replace('password_env = "DB_PASSWORD"', f'password_file = "{file}"'), "s.toml")
    told = exposed_passwords(study)
    assert [(one.server, one.file, one.mode) for one in told] == ([("prod", str(file), mode)] if is_told else [])
    lines = [done_line(one, ShownStudy(10**9)) for one in told]
    assert all("chmod 600" in line and "secret" not in line for line in lines)

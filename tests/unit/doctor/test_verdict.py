"""What a study asks of the machine."""

from __future__ import annotations

import pytest

from dbdyno.configure import RequestedOptions, ServerBuild, ServerSize, choose_settings
from dbdyno.core import Policy
from dbdyno.doctor._verdict import needs_of
from dbdyno.study import parse_study

TEXT = """
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
"""


@pytest.mark.parametrize(("more", "features"), [("", ()), ('[limits]\nmemory = "1GB"', ("memory",))])
def test_a_memory_limit_asks_for_its_controller(more: str, features: tuple[str, ...]) -> None:
    assert needs_of(parse_study(TEXT + more, "x.toml"), 1, 1).features == features


@pytest.mark.parametrize("policy", ["aligned", "vendor"])
@pytest.mark.parametrize("concurrency", [4, 1000])
@pytest.mark.parametrize(
    "more", ["", "[target.options]\nopen_files_limit = 50000", "[target.settings]\nserver.table_open_cache = 9000"]
)
def test_open_files_are_those_that_servers_are_started_with(policy: Policy, concurrency: int, more: str) -> None:
    if more and policy == "vendor":
        return
    head = f'policy = "{policy}"\n' + TEXT.replace("= 4", f"= {concurrency}").replace('targets = ["mysql:9.7"]\n', "")
    study = parse_study(f'{head}[[target]]\nengine = "mysql:9.7"\n{more}', "x.toml")
    settings = choose_settings(
        ServerBuild("mysql", "9.7.4", "innodb"),
        ServerSize(64 << 20, study.connections_max),
        RequestedOptions.of(study, study.targets[0]),
    )
    written = [int(setting.value) for setting in settings if setting.option == "open_files_limit"]
    assert needs_of(study, 1, 1).open_files == max(written, default=0)


def test_a_container_does_not_inherit_our_limit_of_open_files() -> None:
    assert needs_of(parse_study(TEXT.replace("9.7", "9.7@image"), "x.toml"), 1, 1).open_files == 0

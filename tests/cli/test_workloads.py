"""What the lab knows of workloads is what the load generator tells of them."""

from __future__ import annotations

import json
import os
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from dbdyno.lab import find_generator
from dbdyno.study._workloads import FILE
from error_codes import load_codes


def _told(*words: str) -> subprocess.CompletedProcess[str]:
    argv = [str(find_generator()), "workloads", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)


def test_the_packaged_list_of_workloads_is_what_the_load_generator_tells() -> None:
    """`DBDYNO_WRITE_REFERENCE=1 pytest tests/cli/test_workloads.py` writes it anew."""
    told = _told("--json").stdout
    file = Path(str(resources.files("dbdyno.study") / FILE))
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        file.write_text(told)
    assert json.loads(file.read_text()) == json.loads(told)


def test_a_workload_is_told_with_its_size() -> None:
    told = json.loads(_told("oltp_read_only", "--tables", "3", "--rows", "100", "--json").stdout)
    assert (told["name"], told["tables"], told["rows_total"]) == ("sysbench/oltp_read_only", 3, 300)
    assert told["transaction_types"] == ["read_only"]


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["oltp_read_wirte"], "unknown-workload", "oltp_read_write"),
        (["oltp_read_write", "--rand-type", "zipf"], "wrong-value", "zipfian"),
        (["--tables", "3"], "option-without-workload", "--tables"),
    ],
)
def test_what_can_not_be_is_a_wrong_request(words: list[str], code: str, part: str) -> None:
    done = _told(*words)
    assert (done.returncode, load_codes(done.stderr)) == (2, [code])
    assert part in done.stderr

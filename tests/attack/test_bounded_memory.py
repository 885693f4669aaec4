"""Small files that unpack to much, lines without end, and names that are no files: refused in words, in bounded memory.

Each command runs in a process whose largest size is measured when it has ended.
"""

from __future__ import annotations

import gzip
import os
import re
import resource
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spoilable_results
from command_forks import CommandForks, Ended

import sysbench_log

pytestmark = pytest.mark.attack
MOST_BYTES = 900 << 20
"""Of a process: 180 MiB of libraries, and what is unpacked at most (256 MiB), with little beside it."""


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandForks]:
    folder = tmp_path_factory.mktemp("forks")
    with CommandForks(folder, {"DBDYNO_HOME": str(folder / "home")}) as forks:
        yield forks


@pytest.fixture
def bounded(tmp_path: Path) -> Iterator[CommandForks]:
    """The same with a lower limit, so that reading up to it takes little time."""
    folder = tmp_path / "forks"
    folder.mkdir()
    environment = {"DBDYNO_HOME": str(folder / "home"), "DBDYNO_INPUT_LIMIT": str(16 << 20)}
    with CommandForks(folder, environment) as forks:
        yield forks


def refused(ended: Ended, words: str, code: int = 2) -> None:
    assert ended.code == code, ended.err
    assert words in ended.err
    assert "Traceback" not in ended.err
    assert ended.peak_bytes < MOST_BYTES, f"{ended.peak_bytes >> 20} MiB"


def bomb(path: Path, head: bytes, block: bytes, size: int) -> Path:
    """A gzip file of `size` bytes that is a thousandth of them."""
    packer = zlib.compressobj(9, wbits=31)
    with path.open("wb") as file:
        file.write(packer.compress(head))
        blocks = block * (1 + (1 << 20) // len(block))
        for _ in range(size // len(blocks)):
            file.write(packer.compress(blocks))
        file.write(packer.flush())
    return path


@pytest.mark.parametrize("block", [b"\0", b"a,1,100.0\n"])
def test_a_gzip_bomb_is_not_judged(forks: CommandForks, tmp_path: Path, block: bytes) -> None:
    path = bomb(tmp_path / "s.csv.gz", b"run,second,tps\n", block, 300 << 20)
    assert path.stat().st_size < 2 << 20
    refused(forks.run(["judge", path]), "DBDYNO_INPUT_LIMIT=536870912 raises this limit")


def test_the_limit_is_raised_by_the_variable_that_its_message_names(tmp_path: Path) -> None:
    path = tmp_path / "s.csv.gz"
    path.write_bytes(gzip.compress(b"second,tps\n" + b"".join(b"%d,100\n" % i for i in range(1800))))
    told = {}
    for limit in ("5000", "100000"):
        environment = {**os.environ, "DBDYNO_INPUT_LIMIT": limit}
        command = [sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"]
        told[limit] = subprocess.run([*command, "judge", str(path)], env=environment, capture_output=True, text=True)
    assert told["5000"].returncode == 2
    assert "4.883 KiB" in told["5000"].stderr
    assert told["100000"].returncode == 0


def test_a_line_without_end_is_not_read(forks: CommandForks, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(b"second,tps\n1,100\n" + b"," * (100 << 20))
    refused(forks.run(["judge", path]), "line 3: a line of more than 1,000,000 characters")


def test_parquet_with_more_rows_than_seconds_in_a_year_is_not_judged(forks: CommandForks, tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    part = pa.table({"second": pa.array([1] * 4_000_000), "tps": pa.array([1.0] * 4_000_000)})
    with pq.ParquetWriter(path, part.schema) as writer:
        for _ in range(10):
            writer.write_table(part)
    assert path.stat().st_size < 1 << 20
    refused(forks.run(["judge", path]), "holds more than 8,000,000 rows")


def test_dumps_that_unpack_to_much_are_left_out_by_name(forks: CommandForks, tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    for target in ("a", "b"):
        (folder / target).mkdir(parents=True)
        (folder / target / "variables.txt").write_text("version\t9.7.4\ninnodb_buffer_pool_size\t134217728\n")
    bomb(folder / "a" / "status.txt.gz", b"Uptime\t5\n", b"Questions\t7\n", 100 << 20)
    ended = forks.run(["audit", folder])
    assert ended.code in (0, 1), ended.err
    assert re.search(r"status\.txt\.gz .*16 MiB", ended.err)
    assert ended.peak_bytes < MOST_BYTES


def test_a_tree_of_many_dumps_is_audited_up_to_a_limit(bounded: CommandForks, tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    text = "version\t9.7.4\ninnodb_buffer_pool_size\t134217728\n" + "x" * 49 + "\t1\n"
    for number in range(4):
        (folder / f"t{number}").mkdir(parents=True)
        bomb(folder / f"t{number}" / "variables.txt.gz", text.encode(), b"Variable_name\tValue\n", 5 << 20)
    refused(bounded.run(["audit", folder]), "hold more than 16 MiB")


def test_an_import_of_a_bomb_is_bounded_and_names_the_file(bounded: CommandForks, tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "a"
    folder.mkdir(parents=True)
    (folder / "4.log").write_text(sysbench_log.log([100.0, 90.5, 110.25]))
    head = sysbench_log.head().encode()
    bomb(folder / "8.log.gz", head, sysbench_log.line(1, 100.0).encode(), 200 << 20)
    bomb(folder / "16.log.gz", head, b"\0", 200 << 20)
    command = ["import", "sysbench", tmp_path / "logs", "-o", tmp_path / "out", "--pattern", "{target}/{threads}.log"]
    ended = bounded.run(command, 120)
    assert ended.code == 1, ended.err
    assert ended.err.count(" 16 MiB") >= 2, ended.err
    assert ended.peak_bytes < MOST_BYTES, f"{ended.peak_bytes >> 20} MiB"


def test_what_is_no_file_is_refused_and_not_waited_for(forks: CommandForks, tmp_path: Path) -> None:
    fifo, folder = tmp_path / "fifo", tmp_path / "folder"
    os.mkfifo(fifo)
    folder.mkdir()
    for path, words in ((fifo, "a named pipe"), (folder, "a folder"), (Path("/dev/zero"), "a device")):
        for command in (["judge", path], ["plan", path]):
            ended = forks.run(command)
            refused(ended, words)
            assert ended.cpu_s < 10


def test_a_pipe_in_place_of_a_stored_file_is_damage_and_not_waited_for(forks: CommandForks, tmp_path: Path) -> None:
    results = spoilable_results.write(tmp_path / "results")
    run_id = min(results.run_ids())
    for name in ("manifest.json", "journal.jsonl", f"runs/{run_id}/record.json", f"runs/{run_id}/seconds.parquet"):
        path = results.path / name
        content = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        ended = forks.run(["report", results.path, "-o", tmp_path / "r.html"])
        path.unlink()
        path.write_bytes(content)
        assert ended.code in (2, 3), f"{name}: {ended.code} {ended.err}"
        assert "Traceback" not in ended.err


def test_a_journal_of_endless_lines_is_not_read(bounded: CommandForks, tmp_path: Path) -> None:
    """What is made of a line takes several times its bytes: within 1 GiB, which other files may have, all memory."""
    results = spoilable_results.write(tmp_path / "results")
    journal = results.path / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines) + lines[-1] * ((17 << 20) // len(lines[-1])))
    refused(bounded.run(["show", results.path, "--allow-altered"]), "journal.jsonl can't be read", 3)


def test_charts_under_a_limit_of_addresses_end_with_its_name(tmp_path: Path) -> None:
    results = spoilable_results.write(tmp_path / "results")
    command = [sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"]
    ended = subprocess.run(
        [*command, "report", str(results.path), "-o", str(tmp_path / "r.html")],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 3, ended.stderr
    assert " 4 GiB (ulimit -v)" in ended.stderr
    assert "Fatal process" not in ended.stderr

"""What distinguishes datasets: their choices, and the content of the files that they read."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

from dbdyno.populate import Dataset
from dbdyno.populate._verify import verify_words


def test_workloads_share_a_dataset_where_their_tables_are_alike() -> None:
    names = ("oltp_read_only", "oltp_insert", "bulk_insert")
    read_only, insert, bulk_insert = (Dataset(f"sysbench/{name}", {"tables": 8}) for name in names)
    assert read_only.digest == insert.digest != bulk_insert.digest
    assert (insert.title, bulk_insert.title) == ("sysbench, tables 8", "sysbench/bulk_insert, tables 8")


def test_a_data_file_counts_with_its_content(tmp_path: Path) -> None:
    file = tmp_path / "Distribution.dat"
    dataset = Dataset("linkbench", {"maxid1": 3000, "data_file": str(file)})
    absent = dataset.digest
    file.write_text("nlinks\n0 50\n3 100\n")
    first = dataset.digest
    file.write_text("nlinks\n0 50\n300 100\n")
    assert len({absent, first, dataset.digest}) == 3


def test_files_of_a_directory_count_with_those_in_folders_below_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "queries").mkdir()
    for name in ("queries/a.sql", "queries/b.sql", "schema.sql"):
        (tmp_path / name).write_text("SELECT 1")
    (tmp_path / "workload.toml").write_text('[transactions.a]\nfile = "queries/a.sql"\n')
    dataset = Dataset(f"sql:{tmp_path}")
    digests = [dataset.digest]
    for name in ("schema.sql", "queries/a.sql"):
        (tmp_path / name).write_text("SELECT 2")
        digests.append(dataset.digest)
    assert len(set(digests)) == 3
    (tmp_path / "queries/b.sql").write_text("SELECT 2")
    assert dataset.digest == digests[-1]


def test_files_of_gigabytes_are_read_piece_by_piece(tmp_path: Path) -> None:
    """A dump may lie next to the statements, or be named as LinkBench's distributions."""
    (tmp_path / "workload.toml").write_text('[[transaction]]\nfile = "a.sql"\n')
    (tmp_path / "dump.sql").touch()
    os.truncate(tmp_path / "dump.sql", 300 << 20)
    tracemalloc.start()
    try:
        digests = [
            Dataset(f"sql:{tmp_path}").digest,
            Dataset("linkbench", {"data_file": str(tmp_path / "dump.sql")}).digest,
        ]
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(set(digests)) == 2 and peak_bytes < 16 << 20


def test_a_dataset_is_the_same_on_every_host_that_has_its_files(tmp_path: Path) -> None:
    (tmp_path / "workload.toml").write_text("")
    dataset = Dataset(f"sql:{tmp_path}")
    there = dataset.on_host({f"sql:{tmp_path}": "/data/workload-1f2e"})
    assert (there.digest, there.title) == (dataset.digest, dataset.title)
    ordered = {"name": f"sql:{tmp_path.name}", "options": {"folder": "/data/workload-1f2e"}}
    assert there.order({}, "innodb", 4)["workload"] == ordered
    assert str(tmp_path) not in " ".join(verify_words(there, {}, "innodb", "load"))
    assert dataset.order({}, "innodb", 4)["workload"] == {"name": f"sql:{tmp_path}", "options": {}}
    assert there.on_host({}) == dataset

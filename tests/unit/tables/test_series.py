"""Files of seconds: every form gives the same series, and what can't be one is refused with its line."""

from __future__ import annotations

import gzip
import io
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbdyno.core import SeriesError
from dbdyno.tables.series import read_series
from error_codes import raises_code
from sysbench_log import head, line, tail

TWO_RUNS = "run,second,tps\na,1,10\nb,1,5.5\na,2,11\nb,2,6.5\n"


def written(folder: Path, content: str | bytes, name: str = "seconds.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def as_lists(path: Path) -> dict[str, list[float]]:
    return {run.name: run.tps.tolist() for run in read_series(path)}


@pytest.mark.parametrize(
    "text",
    [
        TWO_RUNS,
        TWO_RUNS.replace(",", ";"),
        TWO_RUNS.replace(",", "\t"),
        TWO_RUNS.replace("\n", "\r\n"),
        TWO_RUNS.replace("\n", "\n\n"),
        "\ufeff" + TWO_RUNS,
        "\n" + TWO_RUNS.rstrip("\n"),
        "tps,note,second,run\n10,x,1,a\n5.5,x,1,b\n11,x,2.0,a\n6.5,x,2,b\n",
        '"run","second","tps"\n"a","2","11"\n"a"," 1 ","1e1"\n"b","2","6.5"\n"b","1","5.5"\n',
    ],
)
def test_text_in_any_manner_gives_the_same_series(text: str, tmp_path: Path) -> None:
    assert as_lists(written(tmp_path, text)) == {"a": [10, 11], "b": [5.5, 6.5]}
    assert as_lists(written(tmp_path, gzip.compress(text.encode()), "s.csv.gz")) == {"a": [10, 11], "b": [5.5, 6.5]}


@pytest.mark.parametrize(
    ("second", "tps", "run"),
    [
        (pa.int32(), pa.float64(), pa.string()),
        (pa.float64(), pa.float32(), pa.dictionary(pa.int8(), pa.string())),
        (pa.uint64(), pa.decimal128(9, 3), pa.large_string()),
    ],
)
def test_parquet_of_any_number_type_gives_the_same_series(
    second: pa.DataType, tps: pa.DataType, run: pa.DataType, tmp_path: Path
) -> None:
    rows = [Decimal(10), Decimal("5.5"), Decimal(11), Decimal("6.5")]
    values = rows if pa.types.is_decimal(tps) else [float(row) for row in rows]
    columns = {
        "qps": pa.array([1, 2, 3, 4]),
        "run": pa.array(["a", "b", "a", "b"]).cast(run),
        "second": pa.array([1, 1, 2, 2], second),
        "tps": pa.array(values, tps),
    }
    pq.write_table(pa.table(columns), tmp_path / "s.parquet")
    assert as_lists(tmp_path / "s.parquet") == {"a": [10, 11], "b": [5.5, 6.5]}


def test_of_a_table_of_the_load_generator_the_rows_of_all_types_together_count(tmp_path: Path) -> None:
    columns = {
        "second": [0, 0, 0, 1, 1, 1],
        "monotonic_ns": [0, 0, 0, 10**9, 10**9, 10**9],
        "kind": ["all", "transaction", "statement"] * 2,
        "name": [None, "read_write", "commit"] * 2,
        "tps": [7.0, 7.0, None, 8.0, 8.0, None],
    }
    pq.write_table(pa.table(columns), tmp_path / "s.parquet")
    assert as_lists(tmp_path / "s.parquet") == {"s": [7, 8]}


def test_one_run_needs_no_name_and_takes_that_of_the_file(tmp_path: Path) -> None:
    assert as_lists(written(tmp_path, "second,tps\n1,7\n2,8\n", "night-3.csv")) == {"night-3": [7, 8]}


def test_standard_input_may_hold_any_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TWO_RUNS.encode()))))
    assert as_lists(Path("-")) == {"a": [10, 11], "b": [5.5, 6.5]}


def test_seconds_begin_anywhere_and_a_gap_is_zero_and_told(tmp_path: Path) -> None:
    (run,) = read_series(written(tmp_path, "second,tps\n301,5\n305,9\n302,6\n303,7\n"))
    assert run.tps.tolist() == [5, 6, 7, 0, 9]
    assert (run.first_s, run.missing_s, run.is_cut) == (301, (4,), False)


@pytest.mark.parametrize("blank", ["", " ", "NaN", "null", "NA", '""'])
def test_a_row_without_a_value_is_a_second_without_a_report(blank: str, tmp_path: Path) -> None:
    (run,) = read_series(written(tmp_path, f"second,tps,note\n1,5,x\n2,{blank},x\n3,7,x\n4,{blank},x\n"))
    assert run.tps.tolist() == [5, 0, 7, 0]
    assert run.missing_s == (2, 4)


@pytest.mark.parametrize("blank", [None, float("nan")])
def test_a_parquet_row_without_a_value_is_a_second_without_a_report(blank: float | None, tmp_path: Path) -> None:
    pq.write_table(pa.table({"second": [3, 1, 4], "tps": [blank, 5.0, 7.0]}), tmp_path / "s.parquet")
    (run,) = read_series(tmp_path / "s.parquet")
    assert run.tps.tolist() == [5, 0, 0, 7]
    assert run.missing_s == (2, 3)


def test_a_last_interval_shorter_than_a_second_is_left_out_and_told(tmp_path: Path) -> None:
    (run,) = read_series(written(tmp_path, "second,tps\n1,5\n2,6\n2.4,1\n"))
    assert (run.tps.tolist(), run.is_cut) == ([5, 6], True)


REFUSED = [
    ("", "is empty", ""),
    ("\n\n", "is empty", ""),
    ("run,second,tps\n", "no seconds", ""),
    ("run,second\na,1\n", "no column tps", "run, second"),
    ("1,2,3\n4,5,6\n", "no column second", "1, 2, 3"),
    ("run,second,tps,tps\na,1,2,3\n", "column tps is named 2 times", ""),
    ("second,tps\n1,5\n2,fast\n", "line 3: column tps holds 'fast', not a number", ""),
    ("second,tps\n1,5\n\n,6\n", "line 4: column second holds nothing", ""),
    ("second,tps\n1,5\n2,\n3,\n", "line 3: column tps holds nothing, as in 2 of 3 rows", ""),
    ("second;tps\n1;5\n2;6,5\n", "line 3: column tps holds '6,5'", ""),
    ("second,tps\n1,1_0\n", "line 2: column tps holds '1_0'", ""),
    ("second,tps\none,5\n", "line 2: column second holds 'one'", ""),
    ("second,tps\n1,nan\n", "line 2: column tps holds nothing, as in 1 of 1 row", ""),
    ("second,tps\n1,5\n2,inf\n", "line 3: column tps holds inf", ""),
    ("second,tps\n1,5\nnan,5\n", "line 3: column second holds nan", ""),
    ("second,tps\n1,5\ninf,5\n", "line 3: column second holds inf", ""),
    ("second,tps\n1,5\n2,-1\n", "line 3: column tps holds -1, below zero", ""),
    ("second,tps\n1,5\n2,1e300\n", "line 3: column tps holds 1e+300, which", ""),
    ("second,tps\n1,5\n2,6\n1,7\n", "line 4: second 1 already appears on line 2", ""),
    ("run,second,tps\na,1,5\nb,1,6\nb,1,7\n", "line 4: second 1 already appears on line 3 of run b", ""),
    ("run,second,tps\na,1,5\n,2,6\n", "line 3: column run is empty", ""),
    ("second,tps\n1,5\n1.5,6\n2,7\n", "line 3: column second holds 1.5", ""),
    ("second,tps\n10,5\n20,6\n30,7\n", "more seconds are missing than present: 10 s", ""),
    ("second,tps\n1,5\n1e300,6\n", "more seconds are missing than", ""),
    ("second,tps\n1,5\n2\n", "line 3: 1 columns", ""),
    ('second,tps\n1,5\n2,"6\n', "line 3: unexpected end of data", ""),
    ("second,tps\n1,5\n2," + "9" * 200_000 + "\n", "line 3: field larger", ""),
    (b"second,tps\n1,5\n2,6\xff\n", "line 3: byte 0xff is not UTF-8", ""),
    ("second,tps\n1,5\n".encode("utf-16"), "line 1: byte 0xff is not UTF-8", ""),
    (gzip.compress(TWO_RUNS.encode())[:-12], "is damaged", "gzip"),
    (b"PAR1 and nothing else", "can't be read as Parquet", ""),
]


@pytest.mark.parametrize(("content", "what", "why"), REFUSED, ids=[what for _, what, _ in REFUSED])
def test_what_is_no_series_is_refused_with_its_place(content: str | bytes, what: str, why: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    with pytest.raises(SeriesError) as refused:
        read_series(path)
    assert refused.value.what.startswith(str(path))
    assert what in refused.value.what
    assert why in refused.value.why


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ({"second": [1, 2], "tps": ["5", "6"]}, "column tps holds texts"),
        ({"second": [1, None], "tps": [5.0, 6.0]}, "row 2: column second "),
        ({"second": [1, 2, 3], "tps": [5.0, None, None]}, "row 2: column tps .* 2 of 3 rows"),
        ({"second": [1, 2], "tps": [None, None]}, "row 1: column tps .* 2 of 2 rows"),
        ({"second": [1, 2], "tps": [5.0, float("inf")]}, "row 2: column tps holds inf"),
        ({"second": [1, 1], "tps": [5.0, 6.0]}, "row 2: second 1 .* row 1"),
        ({"second": [1, 2], "tps": [5.0, 6.0], "run": [[1], [2]]}, "column run "),
        ({"second": np.array([]), "tps": np.array([])}, "no seconds"),
        ({"seconds": [1], "tps": [5.0]}, "no column second"),
    ],
)
def test_parquet_that_is_no_series_is_refused_with_its_row(table: dict, what: str, tmp_path: Path) -> None:
    pq.write_table(pa.table(table), tmp_path / "s.parquet")
    with pytest.raises(SeriesError, match=what):
        read_series(tmp_path / "s.parquet")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with raises_code(SeriesError, "unreadable", "absent.csv"):
        read_series(tmp_path / "absent.csv")


def test_a_folder_is_refused_with_what_judges_it(tmp_path: Path) -> None:
    with raises_code(SeriesError, "folder", str(tmp_path)) as error:
        read_series(tmp_path)
    assert "dbdyno report" in error.value.remedy


@settings(max_examples=300, deadline=None)
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.lists(st.text("0123456789.,;\t\"'-enafirt \n\r\x00_", max_size=20), max_size=12).map(
            lambda lines: ("second,tps\n" + "\n".join(lines)).encode()
        ),
    )
)
def test_whatever_a_file_holds_it_is_read_or_refused(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = written(tmp_path_factory.getbasetemp(), content)
    try:
        runs = read_series(path)
    except SeriesError:
        return
    assert all(np.isfinite(run.tps).all() and len(run.tps) for run in runs)


def test_what_sysbench_prints_each_second_is_a_series(tmp_path: Path) -> None:
    text = head() + "".join(line(second, 100.0 + second) for second in range(1, 31)) + tail(3000, 30.0)
    (run,) = read_series(written(tmp_path, text, "night-1.log"))
    assert (run.name, run.first_s, run.tps.tolist()) == ("night-1", 1, [100.0 + second for second in range(1, 31)])


def test_sysbench_reporting_every_ten_seconds_is_refused_with_the_option_that_is_missing(tmp_path: Path) -> None:
    text = head(interval=10) + "".join(line(second, 100.0) for second in range(10, 310, 10))
    with pytest.raises(SeriesError) as caught:
        read_series(written(tmp_path, text, "night-1.log"))
    assert "every 10 s" in caught.value.why and "--report-interval=1" in caught.value.remedy


def test_a_log_of_sysbench_without_seconds_is_named_as_such(tmp_path: Path) -> None:
    for text, why in ((head(), "it was run without --report-interval=1"), (head() + "FATAL: no server\n", "no server")):
        with pytest.raises(SeriesError) as caught:
            read_series(written(tmp_path, text, "night-1.log"))
        assert caught.value.why == why and "--report-interval=1" in caught.value.remedy

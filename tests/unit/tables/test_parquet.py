"""Tables come back from Parquet as they were written, to us, to pyarrow and to DuckDB; damage is a ValueError."""

from __future__ import annotations

import io
import itertools
import random
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbdyno.tables import Table, Texts, _parquet_footer, concatenate, parquet_bytes, read_parquet
from dbdyno.tables._parquet_thrift import I32, read_struct, struct_bytes

MOST = 1 << 20
TABLE = Table(
    {
        "run": Texts.of(["a", "a", None, "é"]),
        "nobody": Texts.repeated(None, 4),
        "count": np.array([1, 2**62, -3, 0]),
        "partly": np.array([1.0, np.nan, 3.0, np.nan]),
        "tps": np.array([0.1, np.nan, 1e12, -0.0]),
        "unknown": np.full(4, np.nan),
    }
)
WHOLE = {"count", "partly"}


def test_pyarrow_and_duckdb_read_what_was_written(tmp_path: Path) -> None:
    content = parquet_bytes(TABLE, WHOLE)
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    theirs = pq.read_table(io.BytesIO(content))
    assert theirs.to_pylist() == TABLE.rows()
    assert [str(field.type) for field in theirs.schema] == ["string", "string", "int64", "int64", "double", "double"]
    rows = [tuple(row.values()) for row in TABLE.rows()]
    assert duckdb.sql(f"SELECT * FROM '{path}'").fetchall() == rows


def test_a_file_of_pyarrow_is_read_as_it_reads_it_itself() -> None:
    columns = {
        "int32": pa.array([1, None, 3], pa.int32()),
        "uint64": pa.array([1, 2, 3], pa.uint64()),
        "float32": pa.array([1.5, None, 3.5], pa.float32()),
        "coded": pa.array(["x", None, "x"]).dictionary_encode(),
        "large": pa.array(["x", "y", "x"], pa.large_string()),
        "decimal": pa.array([Decimal("1.5"), None, Decimal("-3.25")], pa.decimal128(9, 3)),
        "null": pa.nulls(3),
    }
    table = pa.concat_tables([pa.table(columns)] * 200)
    for compression, pages, size in itertools.product(
        ("zstd", "snappy", "gzip", "none"), ("1.0", "2.0"), (64, 1 << 20)
    ):
        sink = io.BytesIO()
        pq.write_table(
            table, sink, compression=compression, data_page_version=pages, data_page_size=size, row_group_size=150
        )
        assert read_parquet(sink.getvalue(), most_rows=600).rows() == table.to_pylist()


@pytest.mark.parametrize("options", ["", ", COMPRESSION snappy", ", COMPRESSION gzip", ", COMPRESSION zstd"])
def test_a_file_of_duckdb_is_read_as_it_reads_it_itself(options: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    values = "i AS second, i % 7 + 0.25 AS tps, i / 3 AS share, 'run ' || i % 3 AS run, if(i % 5 = 0, NULL, i) AS known"
    duckdb.sql(f"COPY (SELECT {values} FROM range(5000) t(i)) TO '{path}' (FORMAT parquet{options})")
    expected = duckdb.sql(f"SELECT * REPLACE (tps::DOUBLE AS tps) FROM '{path}'").fetchall()
    assert [tuple(row.values()) for row in read_parquet(path.read_bytes(), most_rows=5000).rows()] == expected


def test_what_is_packed_otherwise_is_refused_by_its_name() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"tps": [1.0, 2.0]}), sink, compression="lz4")
    with pytest.raises(ValueError, match="compressed by LZ4"):
        read_parquet(sink.getvalue(), most_rows=2)
    sink = io.BytesIO()
    pq.write_table(pa.table({"second": [1, 2]}), sink, use_dictionary=False, column_encoding="DELTA_BINARY_PACKED")
    with pytest.raises(ValueError, match=r"column second .* encoding 5"):
        read_parquet(sink.getvalue(), most_rows=2)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.text(max_size=5),
            st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False, width=64),
        )
    )
)
def test_any_rows_come_back(rows: list[tuple[str | None, int, float | None]]) -> None:
    names, counts, values = zip(*rows, strict=True) if rows else ((), (), ())
    table = Table(
        {
            "name": Texts.of(names),
            "count": np.array(counts, dtype=np.int64),
            "value": np.array(values, dtype=np.float64),
        }
    )
    content = parquet_bytes(table, {"count"})
    assert read_parquet(content, most_rows=MOST).rows() == table.rows()
    assert pq.read_table(io.BytesIO(content)).to_pylist() == table.rows()


def test_a_table_without_rows_keeps_its_columns() -> None:
    empty = Table({"name": Texts.of([]), "value": np.zeros(0)})
    found = read_parquet(parquet_bytes(empty), most_rows=0)
    assert list(found.columns) == ["name", "value"]
    assert len(found) == 0


def test_chosen_columns_alone_are_read_in_the_order_chosen() -> None:
    found = read_parquet(parquet_bytes(TABLE), most_rows=4, choose=lambda names: [names[4], names[0]])
    assert list(found.columns) == ["tps", "run"]


def test_more_rows_than_allowed_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\b3 rows"):
        read_parquet(parquet_bytes(TABLE), most_rows=3)


def test_nan_is_damage_where_values_are_known_and_nothing_where_not() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"tps": [1.0, None, float("nan")]}), sink)
    with pytest.raises(ValueError, match=r"\btps\b.* NaN"):
        read_parquet(sink.getvalue(), most_rows=3)
    assert read_parquet(sink.getvalue(), most_rows=3, is_nan_known=False).values("tps") == [1.0, None, None]


@pytest.mark.parametrize("values", [[[1]], [{"a": 1}], [True], [b"x"]])
def test_columns_of_neither_numbers_nor_texts_are_refused(values: list[object]) -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"odd": values}), sink)
    with pytest.raises(ValueError, match=r"\bodd\b"):
        read_parquet(sink.getvalue(), most_rows=3)


def test_damage_anywhere_is_a_value_error_or_harmless() -> None:
    whole = parquet_bytes(TABLE, WHOLE)
    refused = 0
    for seed in range(300):
        chance = random.Random(seed)
        content = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        cut = bytes(content[: chance.randrange(len(content))]) if seed % 5 == 0 else bytes(content)
        try:
            read_parquet(cut, most_rows=MOST)
        except ValueError:
            refused += 1
    assert refused > 150


_DICTIONARY_HEAD = {7: {1: I32(0), 2: I32(0)}}


@pytest.mark.parametrize(
    "pages",
    [
        [{1: I32(2), 2: I32(0), 3: I32(-13), **_DICTIONARY_HEAD}],
        [{1: I32(2), 2: I32(0), 3: I32(0), **_DICTIONARY_HEAD}] * 2,
        [{1: I32(0), 2: I32(0), 3: I32(0), 5: {1: I32(0), 2: I32(0), 3: I32(0), 4: I32(0)}}],
    ],
    ids=["backwards", "two dictionaries", "no values"],
)
def test_pages_that_contradict_themselves_are_refused(pages: list[dict[int, object]]) -> None:
    """The first is read for ever by a reader that believes its size; the others make a small file long work."""
    heads = b"".join(struct_bytes(page) for page in pages) + bytes(24)
    rows = [{4: b"schema", 5: I32(1)}, {1: I32(5), 3: I32(0), 4: b"tps"}]
    chunk = {1: I32(5), 2: [I32(0)], 3: [b"tps"], 4: I32(0), 5: 3, 6: 0, 7: 0, 9: 4}
    footer = struct_bytes({1: I32(1), 2: rows, 3: 3, 4: [{1: [{2: 4, 3: chunk}], 2: 0, 3: 3}]})
    content = b"PAR1" + heads + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    with pytest.raises(ValueError, match=r"\bpage\b|\bdictionary\b"):
        read_parquet(content, most_rows=1000)


def test_columns_of_the_same_few_bytes_are_decoded_once_and_nobody_can_change_them() -> None:
    first, second = (
        read_parquet(parquet_bytes(Table({name: np.zeros(900), "tps": tps})), most_rows=900)
        for name, tps in (
            ("errors", np.arange(900.0)),
            ("retries", np.arange(900.0) + np.random.default_rng(1).random(900)),
        )
    )
    assert first.numbers("errors") is second.numbers("retries")
    with pytest.raises(ValueError, match="read-only"):
        first.numbers("errors")[0] = 1
    assert second.numbers("tps")[0] != 0
    texts = read_parquet(parquet_bytes(Table({"phase": Texts.repeated("0", 900)})), most_rows=900)
    assert texts.texts("phase").text(899) == "0"


def test_joined_tables_hold_the_rows_of_both() -> None:
    first = Table({"name": Texts.of(["a", None]), "value": np.array([1.0, 2.0])})
    second = Table({"name": Texts.of(["b", "a"]), "value": np.array([3.0, np.nan])})
    assert concatenate([first, second]).rows() == first.rows() + second.rows()


def test_rows_are_picked_by_their_texts() -> None:
    assert TABLE.at(TABLE.texts("run").among({"a"})).values("count") == [1, 2**62]
    assert not TABLE.texts("nobody").among({"a"}).any()


def test_the_schema_that_files_share_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (Table({"second": np.arange(rows), "tps": np.arange(rows) / 3}) for rows in (3, 5))
    assert read_parquet(parquet_bytes(first), most_rows=MOST).rows() == first.rows()
    monkeypatch.setattr(_parquet_footer, "_stored_column", None)
    assert read_parquet(parquet_bytes(second), most_rows=MOST).rows() == second.rows()


def test_a_footer_whose_fields_are_in_another_order_is_read() -> None:
    content = parquet_bytes(TABLE, WHOLE)
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    fields, _ = read_struct(content, begin)
    fields[1], elements = I32(fields[1]), fields.pop(2)
    for element in elements:
        element.update({key: I32(element[key]) for key in (1, 3, 5, 6) if key in element})
    footer = struct_bytes({3: fields[3], 4: fields[4], 2: elements, 1: fields[1]})
    reordered = content[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    for _ in range(2):
        assert read_parquet(reordered, most_rows=MOST).rows() == read_parquet(content, most_rows=MOST).rows()

"""Holds tables of numpy columns and reads and writes them as Parquet; the reader knows what the columns mean.

>>> import numpy as np
>>> from dbdyno.tables import Table, Texts, parquet_bytes, read_parquet
>>> table = Table({"second": np.arange(2), "phase": Texts.repeated("window", 2), "tps": np.array([5.0, np.nan])})
>>> table.rows()
[{'second': 0, 'phase': 'window', 'tps': 5.0}, {'second': 1, 'phase': 'window', 'tps': None}]
>>> read_parquet(parquet_bytes(table), most_rows=2).values("tps")
[5.0, None]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.tables._parquet_reader import read_parquet
    from dbdyno.tables._parquet_writer import parquet_bytes
    from dbdyno.tables._table import Column, Table, Texts, concatenate, holds_nan
else:
    __getattr__ = late_names(
        __name__,
        {
            "_parquet_reader": "read_parquet",
            "_parquet_writer": "parquet_bytes",
            "_table": "Column Table Texts concatenate holds_nan",
        },
    )

__all__ = ["Column", "Table", "Texts", "concatenate", "holds_nan", "parquet_bytes", "read_parquet"]

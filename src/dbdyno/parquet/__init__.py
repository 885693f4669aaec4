"""Tables of numpy columns, and Parquet files of them; what the columns mean is their reader's business.

>>> import numpy as np
>>> table = Table({"second": np.arange(2), "phase": Texts.repeated("window", 2), "tps": np.array([5.0, np.nan])})
>>> table.rows()
[{'second': 0, 'phase': 'window', 'tps': 5.0}, {'second': 1, 'phase': 'window', 'tps': None}]
>>> read_parquet(parquet_bytes(table), most_rows=2).values("tps")
[5.0, None]
"""

from dbdyno.parquet._read import read_parquet
from dbdyno.parquet._table import Column, Table, Texts, joined
from dbdyno.parquet._write import parquet_bytes

__all__ = ["Column", "Table", "Texts", "joined", "parquet_bytes", "read_parquet"]

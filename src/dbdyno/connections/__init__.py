"""Connects dbdyno itself to a server: encrypted as the study says, with a limit on every wait.

>>> from dbdyno.connections import TlsPolicy, connect  # connection = connect(user="app", password="…", socket="/s")

The load's connections are the load generator's business; a study's policy of encryption means the same there.
"""

from dbdyno.connections._connection import ServerConnection, UnansweredError, connect
from dbdyno.connections._path import PATH_S, PathLostError, TlsPolicy, TlsWord, tls_ca_path
from dbdyno.connections._rows import number_of, rows_of

__all__ = [
    "PATH_S",
    "PathLostError",
    "ServerConnection",
    "TlsPolicy",
    "TlsWord",
    "UnansweredError",
    "connect",
    "number_of",
    "rows_of",
    "tls_ca_path",
]

"""The one way in which dbdyno itself connects to a server."""

from __future__ import annotations

from dbdyno.connections._connection import ServerConnection
from dbdyno.connections._path import PATH_S
from dbdyno.connections._tls import TlsPolicy
from dbdyno.hosts import ProcessWatch

LOGIN_S = 10.0
ANSWER_S = 60.0
_OFF = TlsPolicy("off")


def connect(
    *,
    user: str,
    password: str,
    socket: str | None = None,
    host: str | None = None,
    port: int | None = None,
    database: str | None = None,
    tls: TlsPolicy = _OFF,
    title: str = "",
    login_s: float = LOGIN_S,
    answer_s: float = ANSWER_S,
    path_s: float = PATH_S,
    watch: ProcessWatch | None = None,
) -> ServerConnection:
    """A connection with autocommit and utf8mb4.

    Parameters
    ----------
    title : what messages call the server; its address without one
    login_s, answer_s, path_s, watch : see `ServerConnection`

    Raises
    ------
    pymysql.MySQLError : the server does not let us in, does not answer, or does not keep to the policy of encryption
    """
    connection = ServerConnection(
        where=title or socket or f"{host or 'localhost'}:{port or 3306}",
        tls=tls,
        login_s=login_s,
        answer_s=answer_s,
        path_s=path_s,
        watch=watch,
        user=user,
        password=password.encode(),  # the driver takes text for Latin-1
        socket=socket,
        host=host or "localhost",
        port=port or 3306,
        database=database,
    )
    connection.connect()
    return connection

"""A server of one archive by https, with a certificate of the test's own authority, which may stall or break off.

The archive holds a program that says the version of a server, compiled here.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from certificates import make_authority
from words_host import build, pack

_SERVER = """
#include <stdio.h>
int main(void) { return puts("mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)") < 0; }
"""


class Shop(http.server.ThreadingHTTPServer):
    """One archive, by https.

    Attributes
    ----------
    stalls_at : bytes after which nothing more is sent, until `goes_on` is set; None: it never stalls
    is_stalled : whether a client waits for the rest
    begins : the byte from which each request asked
    """

    daemon_threads = True

    def __init__(self, archive: Path, certificate: Path, key: Path, authority: Path) -> None:
        super().__init__(("127.0.0.1", 0), ShopHandler)
        self.content, self.requests, self.authority = archive.read_bytes(), list[str](), authority
        self.stalls_at: int | None = None
        self.begins, self.breaks_off = list[int](), False
        self.is_stalled, self.goes_on = threading.Event(), threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def engine(self) -> str:
        """Name of the engine in the archive."""
        return f"mysql:8.0@archive:https://127.0.0.1:{self.server_address[1]}/server.tar.gz"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    def environment(self, home: Path, *, is_trusted: bool = True) -> Mapping[str, str]:
        """What a program needs that trusts it."""
        environ = {**os.environ, "DBDYNO_HOME": str(home)}
        environ.pop("SSL_CERT_DIR", None)
        if is_trusted:
            environ["SSL_CERT_FILE"] = str(self.authority)
        return environ

    def break_off(self) -> None:
        """Close the connection of the client that waits; further requests are answered whole."""
        self.breaks_off = True
        self.goes_on.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not trust the certificate ends the handshake."""


class ShopHandler(http.server.BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        shop = self.server
        shop.requests.append(self.path)
        begin = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        shop.begins.append(begin)
        self.send_response(206 if begin else 200)
        self.send_header("ETag", '"one"')
        self.send_header("Content-Length", str(len(shop.content) - begin))
        self.end_headers()
        if shop.stalls_at is not None and begin < shop.stalls_at and not shop.goes_on.is_set():
            self.wfile.write(shop.content[begin : shop.stalls_at])
            self.wfile.flush()
            shop.is_stalled.set()
            shop.goes_on.wait()
            if shop.breaks_off:
                self.close_connection = True
                return
            begin = shop.stalls_at
        self.wfile.write(shop.content[begin:])

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def open_shop(folder: Path, ballast: bytes = b"") -> Iterator[Shop]:
    """Serve an archive made in a folder; `ballast` makes it larger."""
    base = build(folder / "base")
    (folder / "server.c").write_text(_SERVER)
    subprocess.run(["cc", "-o", base / "bin/mysqld", folder / "server.c"], check=True)
    if ballast:
        (base / "share/ballast").write_bytes(ballast)
    archive = pack(base, folder / "packed.tar.gz", "mysql-8.0.31")
    authority = make_authority(folder, "of this test")
    certificate, key = authority.server(folder, "127.0.0.1")
    with Shop(archive, certificate, key, authority.certificate) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.goes_on.set()
            server.shutdown()
            thread.join()

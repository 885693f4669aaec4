"""An archive at an https address that no catalogue lists: fetched by the program from a server of this test.

The server's certificate is signed by an authority of the test, which only those commands trust that are told to. The
archive holds a program that says the version of a server, compiled here.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from certificates import make_authority
from running_study import PROGRAM
from words_host import build, pack

pytestmark = [pytest.mark.server, pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")]
SERVER = """
#include <stdio.h>
int main(void) { return puts("mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)") < 0; }
"""


class Shop(http.server.ThreadingHTTPServer):
    """One archive, by https."""

    def __init__(self, archive: Path, certificate: Path, key: Path) -> None:
        super().__init__(("127.0.0.1", 0), ShopHandler)
        self.content, self.requests = archive.read_bytes(), list[str]()
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

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not trust the certificate ends the handshake."""


class ShopHandler(http.server.BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        self.send_response(200)
        self.send_header("ETag", '"one"')
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def folder(laboratory: Any) -> Path:
    return Path(laboratory.folder())


@pytest.fixture
def shop(folder: Path) -> Iterator[Shop]:
    base = build(folder / "base")
    (folder / "server.c").write_text(SERVER)
    subprocess.run(["cc", "-o", base / "bin/mysqld", folder / "server.c"], check=True)
    archive = pack(base, folder / "packed.tar.gz", "mysql-8.0.31")
    certificate, key = make_authority(folder, "of this test").server(folder, "127.0.0.1")
    with Shop(archive, certificate, key) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def get(folder: Path, engine: str, *options: str, is_trusted: bool = True) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "DBDYNO_HOME": str(folder / "home")}
    environ.pop("SSL_CERT_DIR", None)
    if is_trusted:
        environ["SSL_CERT_FILE"] = str(folder / "ca.pem")
    argv = [*PROGRAM, "engines", "get", engine, *options]
    return subprocess.run(argv, capture_output=True, text=True, env=environ, timeout=120, check=False)


def engines_in(folder: Path) -> list[Path]:
    return list((folder / "home/engines").glob("*")) if (folder / "home/engines").exists() else []


def test_without_a_digest_it_is_refused_before_the_server_is_asked(shop: Shop, folder: Path) -> None:
    done = get(folder, shop.engine)
    assert done.returncode == 2, done.stderr
    assert "has no sha256" in done.stderr and "dbdyno engines get --without-digest" in done.stderr
    assert shop.requests == [] and engines_in(folder) == []


def test_without_a_digest_it_is_fetched_once_by_hand_and_its_digest_is_printed_and_recorded(
    shop: Shop, folder: Path
) -> None:
    done = get(folder, shop.engine, "--without-digest", "--json")
    assert done.returncode == 0, done.stderr
    assert f"not checked: its SHA-256 is {shop.digest}" in done.stderr
    (installation,) = json.loads(done.stdout)
    assert shop.digest in json.dumps(installation)
    assert shop.requests == ["/server.tar.gz"]
    named = get(folder, f"{shop.engine}#sha256={shop.digest}")
    assert named.returncode == 0, named.stderr
    assert shop.requests == ["/server.tar.gz"], "the study that names the digest finds the engine here"


def test_the_digest_of_the_name_is_held_against_what_came(shop: Shop, folder: Path) -> None:
    wrong = get(folder, f"{shop.engine}#sha256={'0' * 64}")
    assert wrong.returncode == 3, wrong.stderr
    assert f"its SHA-256 is {shop.digest}" in wrong.stderr
    assert engines_in(folder) == [] and not list((folder / "home").rglob("*server.tar.gz*"))
    right = get(folder, f"{shop.engine}#sha256={shop.digest}", "--json")
    assert right.returncode == 0, right.stderr
    assert shop.digest in right.stdout


def test_a_server_whose_certificate_nobody_vouches_for_is_not_believed_even_with_a_digest(
    shop: Shop, folder: Path
) -> None:
    done = get(folder, f"{shop.engine}#sha256={shop.digest}", is_trusted=False)
    assert done.returncode == 3, done.stderr
    assert "CERTIFICATE_VERIFY_FAILED" in done.stderr
    assert shop.requests == [] and engines_in(folder) == []

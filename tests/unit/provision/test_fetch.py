"""Downloads from a server of this test that breaks off, changes its file, or refuses."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dbdyno.core import ProvisionError
from dbdyno.provision._fetch import download
from error_codes import raises_code

CONTENT = bytes(range(256)) * 4096


class Shop(ThreadingHTTPServer):
    """One file; `break_after` bytes the connection ends."""

    content = CONTENT
    etag = '"one"'
    break_after: int | None = None
    length: int | None = len(CONTENT)
    is_endless = False
    asked: list[str]


class Handler(BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        shop = self.server
        wanted = self.headers.get("Range", "")
        shop.asked.append(wanted)
        if self.path != "/file":
            self.send_error(404)
            return
        start = int(wanted[6:-1]) if wanted and self.headers.get("If-Range") == shop.etag else 0
        self.send_response(206 if start else 200)
        self.send_header("ETag", shop.etag)
        if shop.length is not None:
            self.send_header("Content-Length", str(shop.length - start))
        self.end_headers()
        self.wfile.write(shop.content[start : shop.break_after])
        with contextlib.suppress(ConnectionError):
            while shop.is_endless:
                self.wfile.write(shop.content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _address(shop: Shop, path: str = "/file") -> str:
    return f"http://127.0.0.1:{shop.server_address[1]}{path}"


def test_a_download_that_broke_off_goes_on_where_it_stopped(shop: Shop, tmp_path: Path) -> None:
    shop.break_after = 300_000
    with raises_code(ProvisionError, "download-incomplete") as caught:
        download(_address(shop), tmp_path / "f", lambda _: None)
    assert "300,000 of 1,048,576" in caught.value.why
    shop.break_after = None
    said: list[str] = []
    download(_address(shop), tmp_path / "f", said.append)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert shop.asked == ["", "bytes=300000-"]
    assert "KiB" in said[0]
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_file_that_changed_meanwhile_is_fetched_anew(shop: Shop, tmp_path: Path) -> None:
    shop.break_after = 300_000
    with pytest.raises(ProvisionError):
        download(_address(shop), tmp_path / "f", lambda _: None)
    shop.break_after, shop.etag, shop.content = None, '"two"', CONTENT[::-1]
    download(_address(shop), tmp_path / "f", lambda _: None)
    assert (tmp_path / "f").read_bytes() == CONTENT[::-1]


def test_what_is_not_there_is_an_error_with_the_answer(shop: Shop, tmp_path: Path) -> None:
    with raises_code(ProvisionError, "not-fetched", "/other") as caught:
        download(_address(shop, "/other"), tmp_path / "f", lambda _: None)
    assert "404" in caught.value.why
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("length", [None, 100 << 40])
def test_a_file_that_would_fill_the_disk_is_refused_and_nothing_of_it_stays(
    length: int | None, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of 100 TiB before its first byte; one without an end before a disk with 128 MiB free is full."""
    shop.is_endless, shop.length = True, length
    real = shutil.disk_usage

    def small(folder: Path) -> object:
        return real(folder)._replace(total=8 << 30, free=(128 << 20) - (tmp_path / "f.part").stat().st_size)

    if length is None:
        (tmp_path / "f.part").touch()
        monkeypatch.setattr(shutil, "disk_usage", small)
    said: list[str] = []
    with raises_code(ProvisionError, "not-fetched", _address(shop)) as caught:
        download(_address(shop), tmp_path / "f", said.append)
    assert " free" in caught.value.why and "free space" in caught.value.remedy
    assert not (tmp_path / "f.part").exists()

"""Reads requests, asks the site, writes replies. Knows two methods, and never writes to a study."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import threading
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dbdyno.core import DbdynoError, HostError
from dbdyno.serve._connections import ConnectionLimits, OpenConnections
from dbdyno.serve._reports import ReportCache
from dbdyno.serve._site import Reply, Site, own_names, text_reply
from dbdyno.serve._studies import Studies
from dbdyno.store import QUICK_CHECK, FolderCheck

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_IDLE_S = 30
_LIMITS = ConnectionLimits()
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "dbdyno", ""
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    error_content_type, error_message_format = "text/plain; charset=utf-8", "%(code)d %(message)s\n"
    site: Site
    server: _Server

    def do_GET(self) -> None:
        self._send_answer(with_body=True)

    def do_HEAD(self) -> None:
        self._send_answer(with_body=False)

    def _refuse(self) -> None:
        self._send(text_reply(405, "nothing can be changed here"), with_body=True, Allow="GET, HEAD")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _refuse

    def _send_answer(self, *, with_body: bool) -> None:
        self.server.connections.answering(self.connection)
        if not self.site.is_called(self.headers.get("Host")):
            words = "requests for this host name are refused; --allow-host NAME accepts one"
            self._send(text_reply(421, words), with_body=with_body)
            return
        try:
            reply = self.site.reply(self.path.partition("?")[0])
        except DbdynoError as error:
            reply = text_reply(503, str(error))
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            reply = text_reply(500, f"dbdyno failed: {type(error).__name__}")
        self._send(reply, with_body=with_body)

    def _send(self, reply: Reply, *, with_body: bool, **more: str) -> None:
        self.server.connections.replying(self.connection)
        self.send_response(reply.status)
        # One request per connection: further bytes are not read, and a server that ends closes the connection.
        headers = {"Content-Type": reply.kind, "Content-Length": str(len(reply.body)), "Connection": "close"}
        for name, value in (headers | _HEADERS | {"Content-Security-Policy": reply.policy} | more).items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:
        """Log no requests: a page that looks every second would fill the terminal."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128
    connections: OpenConnections

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as its base has it
        """Give a connection a thread, unless as many as there may be are being answered."""
        if self.connections.admit(request):
            super().process_request(request, client_address)
            return
        with contextlib.suppress(OSError):
            request.setblocking(False)
            request.sendall(_BUSY)
        self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as its base has it
        """End a request, for any reason."""
        self.connections.drop(request)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End overdue connections, twice a second."""
        self.connections.end_overdue()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore the error of a visitor who goes away in the middle of a reply."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            traceback.print_exc(file=sys.stderr)


@contextmanager
def serving(
    top: Path,
    host: str,
    port: int,
    allowed: Collection[str] = (),
    check: FolderCheck = QUICK_CHECK,
    limits: ConnectionLimits = _LIMITS,
) -> Iterator[tuple[str, int]]:
    """Serve the studies below a folder until the block is left; address and port are those that were got.

    Parameters
    ----------
    port : 0 for any that is free
    allowed : names, in addition to this machine's own, that requests may call the server by
    check : how each folder is looked at
    limits : how many connections, and how long each has for its request and its reply

    Raises
    ------
    HostError : address or port can't be had
    """
    with tempfile.TemporaryDirectory(prefix="dbdyno-serve-") as reports_folder:
        names = frozenset(name.lower() for name in allowed) | own_names()
        site = Site(Studies(top, check), ReportCache(Path(reports_folder)), names)
        handler = type("_SiteHandler", (_Handler,), {"site": site})
        server = _open_server(host, port, handler)
        server.connections = OpenConnections(limits)
        thread = threading.Thread(target=server.serve_forever, name="dbdyno-serve", daemon=True)
        thread.start()
        try:
            yield str(server.server_address[0]), int(server.server_address[1])
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _open_server(host: str, port: int, handler: type[_Handler]) -> _Server:
    kind = type("_Server6", (_Server,), {"address_family": 10}) if ":" in host else _Server
    try:
        server: _Server = kind((host, port), handler)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        remedy = "give another --port, or 0 for any; or another --host"
        raise HostError(f"{host}:{port} can't be served", why, remedy, code="address-unusable") from error
    return server

"""A byte-exact proxy between a MySQL client and a server that writes down what the client asks.

One line a command, as the shared reference describes it: ``Q<TAB>text`` for COM_QUERY, ``P<TAB>text`` for
COM_STMT_PREPARE, ``E<TAB>text<TAB>[parameters]`` for COM_STMT_EXECUTE. Only two bits are changed on the way: TLS and
compression are cleared in the server's greeting, so that packets can be read.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

_COM_QUERY, _COM_STMT_PREPARE, _COM_STMT_EXECUTE = 0x03, 0x16, 0x17
_CLIENT_COMPRESS, _CLIENT_SSL = 0x20, 0x800
_LONGLONG, _VAR_STRING = 8, 253


@dataclass
class Recording:
    """What one connection asked, in order."""

    lines: list[str] = field(default_factory=list)
    statements: dict[int, tuple[str, int]] = field(default_factory=dict)
    preparing: str | None = None
    types: dict[int, list[int]] = field(default_factory=dict)

    def client_packet(self, sequence: int, payload: bytes) -> None:
        if sequence != 0 or not payload:
            return
        command, body = payload[0], payload[1:]
        if command == _COM_QUERY:
            self.lines.append("Q\t" + body.decode())
        elif command == _COM_STMT_PREPARE:
            self.preparing = body.decode()
            self.lines.append("P\t" + self.preparing)
        elif command == _COM_STMT_EXECUTE:
            self._execute(body)

    def server_packet(self, payload: bytes) -> None:
        """The first packet after a COM_STMT_PREPARE tells the statement's number."""
        if self.preparing is not None:
            if payload[0] == 0:
                number, _columns, parameters = struct.unpack_from("<IHH", payload, 1)
                self.statements[number] = (self.preparing, parameters)
            self.preparing = None

    def _execute(self, body: bytes) -> None:
        (number,) = struct.unpack_from("<I", body)
        text, count = self.statements[number]
        values: list[int | str | None] = []
        if count:
            nulls, rest = body[9 : 9 + (count + 7) // 8], body[9 + (count + 7) // 8 :]
            if rest[0]:
                self.types[number] = [rest[1 + 2 * index] for index in range(count)]
                rest = rest[2 * count :]
            rest = rest[1:]
            for index, kind in enumerate(self.types[number]):
                if nulls[index // 8] >> (index % 8) & 1:
                    values.append(None)
                elif kind == _LONGLONG:
                    values.append(struct.unpack_from("<q", rest)[0])
                    rest = rest[8:]
                elif kind == _VAR_STRING:
                    length = rest[0]
                    assert length < 251, "longer strings do not occur in the sysbench family"
                    values.append(rest[1 : 1 + length].decode())
                    rest = rest[1 + length :]
                else:
                    raise AssertionError(f"parameter type {kind}")
        self.lines.append(f"E\t{text}\t{json.dumps(values, separators=(',', ':'), ensure_ascii=False)}")


class RecordingProxy:
    """Listens on loopback and forwards to `server`, a socket path or (host, port)."""

    def __init__(self, server: str | tuple[str, int]) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.recordings: list[Recording] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> RecordingProxy:
        self._spawn(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(timeout=10)

    def reply_to(self, payload: bytes, recording: Recording) -> bytes:
        """Return the packet that answers a client's in the server's place; empty: it is forwarded."""
        return b""

    def _spawn(self, target: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._spawn(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        family = socket.AF_UNIX if isinstance(self._server, str) else socket.AF_INET
        with client, socket.socket(family) as server:
            self._relay(client, server)

    def _relay(self, client: socket.socket, server: socket.socket) -> None:
        server.connect(self._server)
        if server.family == socket.AF_INET:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        recording = Recording()
        self.recordings.append(recording)
        backward = self._spawn(self._forward, server, client, recording, False)
        self._forward(client, server, recording, True)
        backward.join(timeout=10)

    def _forward(self, source: socket.socket, sink: socket.socket, recording: Recording, from_client: bool) -> None:
        greeting = not from_client
        with contextlib.suppress(OSError), source.makefile("rb") as stream:
            while header := stream.read(4):
                length = int.from_bytes(header[:3], "little")
                payload = stream.read(length)
                if greeting:
                    payload, greeting = _without_tls_and_compression(payload), False
                elif from_client:
                    recording.client_packet(header[3], payload)
                    if reply := self.reply_to(payload, recording):
                        source.sendall(struct.pack("<I", len(reply))[:3] + b"\x01" + reply)
                        continue
                else:
                    recording.server_packet(payload)
                sink.sendall(header + payload)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _without_tls_and_compression(greeting: bytes) -> bytes:
    """Clear the two bits in the lower half of the capability flags, which follow the version, id and scramble."""
    if greeting[0] == 0xFF:
        return greeting
    at = greeting.index(b"\0", 1) + 1 + 4 + 8 + 1
    flags = int.from_bytes(greeting[at : at + 2], "little") & ~(_CLIENT_SSL | _CLIENT_COMPRESS)
    return greeting[:at] + flags.to_bytes(2, "little") + greeting[at + 2 :]

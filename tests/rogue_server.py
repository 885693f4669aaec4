"""A server that misbehaves on purpose: it falls silent, lies, or attacks its client. Every byte received is kept.

It speaks enough of the client/server protocol to let a client in and to answer any statement; a `Behaviour` says where
it departs from that. It listens on loopback or on a Unix socket, and ends with its ``with`` block.
"""

from __future__ import annotations

import re
import socket
import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

_PROTOCOL_41, _PLUGIN_AUTH, _SECURE_CONNECTION, _SSL = 0x200, 0x80000, 0x8000, 0x800
_CAPABILITIES = 0x1 | 0x8 | _PROTOCOL_41 | 0x2000 | _SECURE_CONNECTION | 0x10000 | 0x20000 | _PLUGIN_AUTH | 0x80
_QUIT, _QUERY, _PREPARE, _EXECUTE, _CLOSE_STATEMENT = 0x01, 0x03, 0x16, 0x17, 0x19
_OK = b"\x00\x00\x00\x02\x00\x00\x00"
_EOF = b"\xfe\x00\x00\x02\x00"


@dataclass(frozen=True)
class Behaviour:
    """Where the server departs from a well-behaved one. The default does not.

    Parameters
    ----------
    version : as the greeting gives it; may hold control sequences
    silent_at : "greeting", "login", "execute" (of a prepared statement), or a pattern of the statement after which
        nothing is sent any more
    freezes : once silent on one connection, silent on all, new ones included, as a process that was stopped
    asks_clear_password : asks for the password in clear by an authentication switch
    answers : by pattern of the statement (first match wins): the packets' payloads that answer it
    endless : pattern of statements whose result set never ends
    row_bytes : size of each row of an endless result set
    floods : by pattern of the statement: payloads sent without an end, after those of `answers`
    raw : by pattern of the statement: bytes that are sent as they are, headers included, and then silence
    executes_by_ok : prepared SELECTs are answered by an OK packet; else by a result set without rows
    """

    version: str = "8.0.99-rogue"
    silent_at: str = ""
    freezes: bool = False
    asks_clear_password: bool = False
    answers: dict[str, list[bytes]] = field(default_factory=dict)
    endless: str = ""
    row_bytes: int = 1000
    floods: dict[str, list[bytes]] = field(default_factory=dict)
    raw: dict[str, bytes] = field(default_factory=dict)
    executes_by_ok: bool = False


class RogueServer:
    """Listens from construction on; `received` holds all bytes that clients sent, `statements` what they asked."""

    def __init__(self, behaviour: Behaviour | None = None, socket_path: Path | None = None) -> None:
        self.behaviour = behaviour or Behaviour()
        self.received = bytearray()
        self.statements: list[str] = []
        self.is_silent = threading.Event()
        self._ended = threading.Event()
        self._connections: list[socket.socket] = []
        if socket_path is None:
            self._listener = socket.create_server(("127.0.0.1", 0))
        else:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(socket_path))
            self._listener.listen(64)
        self.socket_path = socket_path
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> RogueServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        for opened in [self._listener, *self._connections]:
            try:
                opened.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the client was faster
            opened.close()

    @property
    def port(self) -> int:
        """TCP port on 127.0.0.1."""
        port: int = self._listener.getsockname()[1]
        return port

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            _Conversation(self, connection).run()
        except (OSError, EOFError, struct.error):
            connection.close()


class _Conversation:
    """One connection, from greeting to end."""

    def __init__(self, server: RogueServer, connection: socket.socket) -> None:
        self.server, self.behaviour, self.connection = server, server.behaviour, connection
        self.sequence = 0
        self.prepared: list[str] = []

    def run(self) -> None:
        if self.behaviour.silent_at == "greeting" or self._is_frozen():
            self._fall_silent()
        self._send(_greeting(self.behaviour.version))
        self._receive()  # the handshake response
        if self.behaviour.silent_at == "login":
            self._fall_silent()
        if self.behaviour.asks_clear_password:
            self._send(b"\xfemysql_clear_password\x00")
            self._receive()
        self._send(_OK)
        while True:
            command = self._receive()
            if not command or command[0] == _QUIT:
                return
            if self._is_frozen():
                self._fall_silent()
            self._answer(command)

    def _answer(self, command: bytes) -> None:
        code, statement = command[0], command[1:].decode("utf-8", "replace")
        if code == _CLOSE_STATEMENT:
            return
        if code in (_QUERY, _PREPARE):
            self.server.statements.append(statement)
        if self._falls_silent_at(code, statement):
            self._fall_silent()
        if self.behaviour.endless and re.search(self.behaviour.endless, statement):
            self._send_endless()
        for pattern, data in self.behaviour.raw.items():
            if re.search(pattern, statement):
                self.connection.sendall(data)
                self._fall_silent()
        for pattern, payloads in self.behaviour.answers.items():
            if re.search(pattern, statement):
                for payload in payloads:
                    self._send(payload)
                self._flood(statement)
                return
        self._flood(statement)
        if code == _PREPARE:
            self.prepared.append(statement)
            self._send(b"\x00" + struct.pack("<IHHBH", len(self.prepared), 0, statement.count("?"), 0, 0))
            for _ in range(statement.count("?")):
                self._send(column("?"))
            if "?" in statement:
                self._send(_EOF)
        elif code == _QUERY and re.match(r"\s*(SELECT|SHOW)", statement, re.IGNORECASE):
            for payload in result_set([["1"]]):
                self._send(payload)
        elif code == _EXECUTE and not self.behaviour.executes_by_ok and self._executed(command).startswith("SELECT"):
            for payload in empty_set(1):
                self._send(payload)
        else:
            self._send(_OK)

    def _executed(self, command: bytes) -> str:
        """Return the text of the prepared statement that a command executes."""
        number = int.from_bytes(command[1:5], "little")
        return self.prepared[number - 1] if 0 < number <= len(self.prepared) else ""

    def _falls_silent_at(self, code: int, statement: str) -> bool:
        moment = self.behaviour.silent_at
        if moment == "execute":
            return code == _EXECUTE
        return moment not in ("", "greeting", "login") and code != _EXECUTE and bool(re.search(moment, statement))

    def _is_frozen(self) -> bool:
        return self.behaviour.freezes and self.server.is_silent.is_set()

    def _flood(self, statement: str) -> None:
        for pattern, payloads in self.behaviour.floods.items():
            while re.search(pattern, statement) and not self.server._ended.is_set():
                for payload in payloads:
                    self._send(payload)

    def _send_endless(self) -> None:
        for payload in result_set([["1"]])[:3]:
            self._send(payload)
        row = length_encoded(b"x" * self.behaviour.row_bytes)
        while not self.server._ended.is_set():
            self._send(row)

    def _fall_silent(self) -> None:
        """Keep the connection open and read nothing more, as a stopped process does."""
        self.server.is_silent.set()
        self.server._ended.wait()
        raise EOFError

    def _send(self, payload: bytes) -> None:
        self.connection.sendall(struct.pack("<I", len(payload))[:3] + bytes([self.sequence]) + payload)
        self.sequence = (self.sequence + 1) % 256

    def _receive(self) -> bytes:
        head = self._read(4)
        self.sequence = (head[3] + 1) % 256
        return self._read(int.from_bytes(head[:3], "little"))

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            if not part:
                raise EOFError
            self.server.received += part
            data += part
        return data


def length_encoded(data: bytes) -> bytes:
    """A length-encoded string of the protocol."""
    size = len(data)
    if size < 251:
        return bytes([size]) + data
    return (b"\xfc" + struct.pack("<H", size) if size < 1 << 16 else b"\xfd" + struct.pack("<I", size)[:3]) + data


def column(name: str) -> bytes:
    """Definition of a column of text."""
    names = b"".join(length_encoded(part) for part in (b"def", b"", b"", b"", name.encode(), b""))
    return names + b"\x0c" + struct.pack("<HIBHBH", 45, 1024, 0xFD, 0, 0, 0)


def result_set(rows: list[list[str]]) -> list[bytes]:
    """Payloads of a text result set; at least one row, each with as many values as the first."""
    columns = [column(f"c{index}") for index in range(len(rows[0]))]
    values = [b"".join(length_encoded(value.encode()) for value in row) for row in rows]
    return [bytes([len(columns)]), *columns, _EOF, *values, _EOF]


def empty_set(columns: int) -> list[bytes]:
    """Payloads of a text result set without rows."""
    return [bytes([columns]), *(column(f"c{index}") for index in range(columns)), _EOF, _EOF]


def error(code: int, message: str) -> bytes:
    """Payload of an error packet; the message may hold control sequences."""
    return b"\xff" + struct.pack("<H", code) + b"#HY000" + message.encode()


def local_infile(path: str) -> bytes:
    """Payload that asks the client for one of its files."""
    return b"\xfb" + path.encode()


OK_PACKET = _OK


def _greeting(version: str) -> bytes:
    """No server here offers TLS."""
    assert not _CAPABILITIES & _SSL
    low, high = struct.pack("<I", _CAPABILITIES)[:2], struct.pack("<I", _CAPABILITIES)[2:]
    head = b"\x0a" + version.encode() + b"\x00" + struct.pack("<I", 7) + b"abcdefgh\x00"
    return head + low + b"\x2d\x02\x00" + high + b"\x15" + bytes(10) + b"ijklmnopqrst\x00mysql_native_password\x00"

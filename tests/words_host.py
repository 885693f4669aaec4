"""A host on which a program of this machine stands for a server, and says what it is told to."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dbdyno.core import Home, HostError, parse_engine_name
from dbdyno.hosts import Completed, LocalHost
from dbdyno.provision import Installation, provision


class WordsHost(LocalHost):
    """Real files; a server says what it is told to, and the loader finds what it is told to."""

    def __init__(self, words: str = "mysqld  Ver 8.0.31 for Linux on x86_64 (MySQL Community Server - GPL)") -> None:
        super().__init__()
        self.words = words
        self.missing: set[str] = set()
        self.host_libraries = ""
        self.clients: dict[str, str] = {}

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        if argv[-1] == "--version" and argv[-2] == "--no-defaults":
            return Completed(tuple(argv), 0, self.words, "")
        if argv[0] == "ldd":
            path = more.get("env", {}).get("LD_LIBRARY_PATH", "").split(":")
            lost = [n for n in sorted(self.missing) if not any((Path(p) / n).exists() for p in path if p)]
            return Completed(tuple(argv), 0, "".join(f"\t{name} => not found\n" for name in lost), "")
        if argv[0] == "/sbin/ldconfig":
            return Completed(tuple(argv), 0, self.host_libraries, "")
        if argv[0] in ("mvn", "npm"):
            return self._client(argv)
        return super().run(argv, **{**more, "as_server_user": False})

    def ensure_reachable(self, path: Path) -> None:
        pass

    def _client(self, argv: Sequence[str]) -> Completed:
        if argv[0] not in self.clients:
            raise HostError(f"the command '{argv[0]}' is not on this host", "", code="command-missing")
        if "--version" not in argv:
            folder = next((a.partition("=")[2] for a in argv if a.startswith("-DoutputDirectory")), argv[-1])
            Path(folder).mkdir(exist_ok=True)
            shutil.copy(self.clients[argv[0]], folder)
        return Completed(tuple(argv), 0, "", "")


def build(folder: Path, server: str = "bin/mysqld", share: str = "share", plugin: str = "") -> Path:
    """A base directory in the given layout."""
    for name in (server, f"{share}/english/errmsg.sys", f"{share}/charsets/Index.xml", *([plugin] if plugin else [])):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    shutil.copy("/bin/true", folder / server)
    return folder


def pack(folder: Path, archive: Path, top: str = ".") -> Path:
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, top)
    return archive


def obtain(text: str, host: LocalHost, tmp_path: Path) -> Installation:
    return provision(parse_engine_name(text), host, Home(tmp_path / "home"))

"""Reaches files of a remote host; every method is one request, or one for each piece of a large file."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from dbdyno.core import HostError
from dbdyno.hosts._files import FileFacts, Files, Space
from dbdyno.hosts._private import TEMPORARY
from dbdyno.hosts._system import ServerUser
from dbdyno.hosts.remote._link import Link, Refused

PIECE_BYTES = 1 << 20
"""Of a file that goes over in pieces: small enough for the heartbeat to come through on a slow line."""
_GROUPS = Path("/sys/fs/cgroup")
_NOTHING = (errno.ENOENT, errno.ENOTDIR)


class RemoteFiles(Files):
    """Offers the files of a host.

    Parameters
    ----------
    runs : folder of the sessions' data directories: what is made in it is removed with the session
    runtime_directory : ``$XDG_RUNTIME_DIR`` there; empty where it is not set
    """

    is_remote = True

    def __init__(self, link: Link, runs: Path, server_user: ServerUser | None, runtime_directory: str = "") -> None:
        self._link, self._runs, self._server_user = link, runs, server_user
        self._private_roots = (TEMPORARY, Path(runtime_directory or TEMPORARY))

    def ask(self, what: str, body: bytes = b"", /, **arguments: object) -> tuple[dict[str, Any], bytes]:
        """Ask the agent; OSError as the system call there had it."""
        try:
            return self._link.ask(what, body, **arguments)
        except Refused as refused:
            raise _refusal_error(refused) from None

    def read_bytes(
        self, path: Path, *, offset: int = 0, limit_bytes: int | None = None, owners: Collection[int] | None = None
    ) -> bytes:
        """See `Files`. A large file comes in pieces; one that changes meanwhile is not as it was at one instant."""
        content = b""
        while limit_bytes is None or len(content) < limit_bytes:
            piece_limit = PIECE_BYTES if limit_bytes is None else min(PIECE_BYTES, limit_bytes - len(content))
            piece = self._read_piece(path, offset, piece_limit, owners)
            content += piece
            if len(piece) < piece_limit:
                break
            if offset < 0:
                facts = self.stat(path)
                offset = max((0 if facts is None else facts.size_bytes) + offset, 0)
            offset += len(piece)
        return content

    def _read_piece(self, path: Path, offset: int, limit_bytes: int, owners: Collection[int] | None) -> bytes:
        users = None if owners is None else sorted(owners)
        value, body = self.ask("read", paths=[str(path)], offset=offset, limit=limit_bytes, owners=users)
        refusal = value["files"][0].get("error")
        if refusal is not None:
            raise _refusal_error(Refused(**refusal))
        return body

    def read_many(self, paths: Sequence[Path]) -> list[bytes | None]:
        """See `Files`."""
        if not paths:
            return []
        value, body = self.ask("read", paths=[str(path) for path in paths])
        contents: list[bytes | None] = []
        offset = 0
        for path, file in zip(paths, value["files"], strict=True):
            if "bytes" in file:
                contents.append(body[offset : offset + file["bytes"]])
                offset += file["bytes"]
            else:
                is_large = file["error"]["code"] == "too-large"
                contents.append(self.read_bytes(path) if is_large else None)
        return contents

    def write(self, path: Path, content: bytes, *, mode: int | None = None, for_server: bool = False) -> None:
        """See `Files`."""
        if mode is None:
            self.ask("write", content[:PIECE_BYTES], path=str(path), how="in-place")
            self._append(path, content)
            return
        new_path = path if len(content) <= PIECE_BYTES else path.with_name(f".{path.name}.unfinished")
        self.ask(
            "write", content[:PIECE_BYTES], path=str(new_path), how="replace", mode=mode, **self._owner(for_server)
        )
        if new_path != path:
            self._append(new_path, content)
            self.rename(new_path, path)

    def _append(self, path: Path, content: bytes) -> None:
        for offset in range(PIECE_BYTES, len(content), PIECE_BYTES):
            self.ask("write", content[offset : offset + PIECE_BYTES], path=str(path), how="append")

    def stat(self, path: Path, *, follow: bool = True) -> FileFacts | None:
        """See `Files`."""
        description = self._describe(path, follow)
        return None if description is None else _file_facts(path, description)

    def can_write(self, path: Path) -> bool:
        """See `Files`."""
        description = self._describe(path, follow=True)
        return description is not None and bool(description["is_writable"])

    def _describe(self, path: Path, follow: bool) -> dict[str, Any] | None:
        value, _ = self.ask("stat", paths=[str(path)], follow=follow)
        description: dict[str, Any] = value["files"][0]
        refusal = description.get("error")
        if refusal is None:
            return description
        if refusal["errno"] in _NOTHING:
            return None
        raise _refusal_error(Refused(**refusal))

    def entries(self, folder: Path, *, recursive: bool = False) -> list[FileFacts]:
        """See `Files`."""
        _, body = self.ask("list", path=str(folder), recursive=recursive)
        return sorted(
            (_file_facts(folder / row["path"], row) for row in json.loads(body)), key=lambda facts: facts.path
        )

    def resolve(self, path: Path) -> Path:
        """See `Files`."""
        return Path(self.ask("resolve", path=str(path))[0]["path"])

    def digest(self, path: Path) -> str:
        """See `Files`."""
        return str(self.ask("digest", path=str(path))[0]["sha256"])

    def space(self, path: Path) -> Space:
        """See `Files`."""
        value, _ = self.ask("space", path=str(path))
        return Space(int(value["size_bytes"]), int(value["free_bytes"]))

    def make_directory(
        self, path: Path, *, mode: int | None = None, for_server: bool = False, is_new: bool = False
    ) -> None:
        """See `Files`. What belongs to the session is noted there first, so that it goes with it."""
        temporary = self._temporary_root(path)
        self.ask(
            "make",
            path=str(path),
            mode=mode,
            is_new=is_new,
            temporary=None if temporary is None else str(temporary),
            **self._owner(for_server),
        )

    def _temporary_root(self, path: Path) -> Path | None:
        """Return the folder to remove when the session ends: of a run, a control group, a socket; None: it stays."""
        for folder in (path, *path.parents):
            is_private = folder.parent in self._private_roots and folder.name.startswith("dbdyno-")
            if folder.parent == self._runs or is_private:
                return folder
        return path if path.is_relative_to(_GROUPS) else None

    def rename(self, source: Path, destination: Path) -> None:
        """See `Files`."""
        self.ask("move", **{"from": str(source), "to": str(destination)})

    def remove(self, path: Path) -> None:
        """See `Files`."""
        try:
            self.ask("remove", path=str(path))
        except FileNotFoundError:
            return

    def push(self, source: Path, destination: Path, sha256: str, *, mode: int = 0o644) -> int:
        """Put a file of this machine there by its content; resumed where an earlier push ended.

        Returns
        -------
        Bytes that had to be sent

        Raises
        ------
        HostError : what arrived is not what was sent
        """
        push_state, _ = self.ask("push-begin", sha256=sha256, path=str(destination))
        if push_state["is_there"]:
            return 0
        size = source.stat().st_size
        first_offset = int(push_state["bytes"]) if int(push_state["bytes"]) <= size else 0
        with source.open("rb") as file:
            file.seek(offset := first_offset)
            while piece := file.read(PIECE_BYTES):
                self.ask("push-chunk", piece, sha256=sha256, offset=offset)
                offset += len(piece)
        self.ask("push-finish", sha256=sha256, path=str(destination), mode=mode)
        return size - first_offset

    def _owner(self, for_server: bool) -> dict[str, int]:
        user = self._server_user
        return {"uid": user.user_id, "gid": user.group_id} if for_server and user is not None else {}


def _file_facts(path: Path, row: dict[str, Any]) -> FileFacts:
    device = int(row["device"])
    return FileFacts(
        path,
        row["kind"],
        int(row["bytes"]),
        int(row["disk_bytes"]),
        int(row["mode"]),
        int(row["uid"]),
        f"{os.major(device)}:{os.minor(device)}",
        int(row["inode"]),
        int(row["modified_ns"]),
    )


def _refusal_error(refused: Refused) -> Exception:
    if refused.errno:
        return OSError(refused.errno, refused.text, refused.path)
    return HostError(f"the agent refused a request ({refused.code})", f"{refused.path}: {refused.text}")

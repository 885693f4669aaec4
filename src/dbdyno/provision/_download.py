"""One file over https, in pieces if need be: what an interrupted download has brought is kept and gone on with."""

from __future__ import annotations

import contextlib
import http.client
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO

from dbdyno.core import ProvisionError, format_bytes
from dbdyno.provision._installation import Progress

_TIMEOUT_S = 60
_BLOCK_BYTES = 1 << 20
_TELL_EVERY_BYTES = 32 << 20
_RANGE_NOT_SATISFIABLE = 416


def download(address: str, file: Path, progress: Progress) -> None:
    """Fetch `address` into `file`, going on with ``FILE.part`` of an earlier attempt.

    The file counts as complete when it has as many bytes as the server says; whether they are the right ones is for
    the caller to check. Where the server's file has changed since (its ETag or date says so), it begins anew.

    Raises
    ------
    ProvisionError : it can't be had, or the connection broke: then the next call goes on from there
    """
    part, mark = file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.mark")
    have = part.stat().st_size if part.exists() and mark.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "dbdyno"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        request.add_header("If-Range", mark.read_text())
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:
            goes_on = reply.status == 206
            have = have if goes_on else 0
            total = have + int(reply.headers.get("Content-Length") or 0)
            _note_identity(reply.headers.get("ETag") or reply.headers.get("Last-Modified"), mark)
            progress(
                f"download {address}: {format_bytes(total)}" + (f", {format_bytes(have)} are here" if have else "")
            )
            with part.open("ab" if goes_on else "wb") as target:
                _copy(reply, target, have, total, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _RANGE_NOT_SATISFIABLE:
            part.unlink()
            return download(address, file, progress)
        raise ProvisionError(f"{address} can't be fetched", f"the server answers {error.code}", "") from error
    except (OSError, http.client.HTTPException) as error:
        raise ProvisionError(
            f"{address} can't be fetched", str(error), "check the network and run again: what is here is kept"
        ) from error
    got = part.stat().st_size
    if total > have and got != total:
        raise ProvisionError(
            f"the download of {address} broke off",
            f"{got:,} of {total:,} bytes are here",
            "run again: it goes on from there",
        )
    part.rename(file)
    mark.unlink(missing_ok=True)


def forget(file: Path) -> None:
    """Remove a download and what is left of its attempts."""
    for path in (file, file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.mark")):
        path.unlink(missing_ok=True)


def _note_identity(identity: str | None, mark: Path) -> None:
    """Without an ETag or date nothing tells whether the rest belongs to the beginning: then it can't go on later."""
    if identity and not identity.startswith("W/"):
        mark.write_text(identity)
    else:
        mark.unlink(missing_ok=True)


def _copy(reply: http.client.HTTPResponse, target: IO[bytes], have: int, total: int, progress: Progress) -> None:
    done, told = have, have
    with contextlib.suppress(http.client.IncompleteRead):  # told by the number of bytes, as a closed connection is
        while block := reply.read(_BLOCK_BYTES):
            target.write(block)
            done += len(block)
            if done - told >= _TELL_EVERY_BYTES:
                told = done
                progress(f"download: {format_bytes(done)} of {format_bytes(total)}")

"""A file system of its own with little space, which can be filled to the last block and emptied again."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class SmallDisk:
    """A mounted file system."""

    place: Path

    @property
    def _ballast(self) -> Path:
        return self.place / "ballast"

    def fill(self) -> None:
        """Take all space that is left."""
        with self._ballast.open("wb") as ballast:
            step = 1 << 28
            while step >= 1 << 12:
                try:
                    os.posix_fallocate(ballast.fileno(), ballast.seek(0, os.SEEK_END), step)
                except OSError:
                    step >>= 1

    def free(self) -> None:
        """Give it back."""
        self._ballast.unlink()


@contextlib.contextmanager
def small_disk(size_bytes: int) -> Iterator[SmallDisk]:
    """Blocks are taken as they are written, so it may be larger than it is full. Skips where it can't be mounted."""
    if os.geteuid() != 0:
        pytest.skip("a file system of its own needs root")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        image, place = Path(name) / "image", Path(name) / "disk"
        Path(name).chmod(0o755)
        place.mkdir()
        with image.open("wb") as file:
            file.truncate(size_bytes)
        try:
            _run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
            _run("mount", "-o", "loop", str(image), str(place))
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no file system can be mounted here: {error}")
        place.chmod(0o755)
        try:
            yield SmallDisk(place)
        finally:
            _run("umount", "--lazy", str(place))


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True, timeout=120)

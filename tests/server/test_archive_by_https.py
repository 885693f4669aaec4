"""An archive at an https address that no catalogue lists: fetched by the program from a server of this test.

The server's certificate is signed by an authority of the test, which only those commands trust that are to. See
`archive_shop`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from archive_shop import Shop, open_shop
from running_study import PROGRAM

pytestmark = [pytest.mark.server, pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")]


@pytest.fixture
def folder(laboratory: Any) -> Path:
    return Path(laboratory.folder())


@pytest.fixture
def shop(folder: Path) -> Iterator[Shop]:
    with open_shop(folder) as shop:
        yield shop


def get(
    shop: Shop, folder: Path, engine: str, *options: str, is_trusted: bool = True
) -> subprocess.CompletedProcess[str]:
    environ = shop.environment(folder / "home", is_trusted=is_trusted)
    argv = [*PROGRAM, "engines", "get", engine, *options]
    return subprocess.run(argv, capture_output=True, text=True, env=environ, timeout=120, check=False)


def engines_in(folder: Path) -> list[Path]:
    return list((folder / "home/engines").glob("*")) if (folder / "home/engines").exists() else []


def test_without_a_digest_it_is_refused_before_the_server_is_asked(shop: Shop, folder: Path) -> None:
    done = get(shop, folder, shop.engine)
    assert done.returncode == 2, done.stderr
    assert "has no sha256" in done.stderr and "dbdyno engines get --without-digest" in done.stderr
    assert shop.requests == [] and engines_in(folder) == []


def test_without_a_digest_it_is_fetched_once_by_hand_and_its_digest_is_printed_and_recorded(
    shop: Shop, folder: Path
) -> None:
    done = get(shop, folder, shop.engine, "--without-digest", "--json")
    assert done.returncode == 0, done.stderr
    assert f"not checked: its SHA-256 is {shop.digest}" in done.stderr
    (installation,) = json.loads(done.stdout)
    assert shop.digest in json.dumps(installation)
    assert shop.requests == ["/server.tar.gz"]
    named = get(shop, folder, f"{shop.engine}#sha256={shop.digest}")
    assert named.returncode == 0, named.stderr
    assert shop.requests == ["/server.tar.gz"], "the study that names the digest finds the engine here"


def test_the_digest_of_the_name_is_held_against_what_came(shop: Shop, folder: Path) -> None:
    wrong = get(shop, folder, f"{shop.engine}#sha256={'0' * 64}")
    assert wrong.returncode == 3, wrong.stderr
    assert f"its SHA-256 is {shop.digest}" in wrong.stderr
    assert engines_in(folder) == [] and not list((folder / "home").rglob("*server.tar.gz*"))
    right = get(shop, folder, f"{shop.engine}#sha256={shop.digest}", "--json")
    assert right.returncode == 0, right.stderr
    assert shop.digest in right.stdout


def test_a_server_whose_certificate_nobody_vouches_for_is_not_believed_even_with_a_digest(
    shop: Shop, folder: Path
) -> None:
    done = get(shop, folder, f"{shop.engine}#sha256={shop.digest}", is_trusted=False)
    assert done.returncode == 3, done.stderr
    assert "CERTIFICATE_VERIFY_FAILED" in done.stderr
    assert shop.requests == [] and engines_in(folder) == []

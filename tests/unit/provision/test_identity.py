"""A server that is another than the one asked for: what to write instead."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError, parse_engine_name
from dbdyno.engines import ServerIdentity
from dbdyno.provision._identity import check_is


def test_the_name_to_write_keeps_storage_engine_and_digest() -> None:
    source = f"archive:https://mirror.example/mariadb.tar.gz#sha256={'0' * 64}"
    name = parse_engine_name(f"mariadb:10.2+rocksdb@{source}")
    identity = ServerIdentity("mariadb", "10.11.16", certain=True)
    with pytest.raises(StudyError) as caught:
        check_is(name, identity, "10.11.16-MariaDB", "the server of the archive")
    assert caught.value.remedy == f"write mariadb:10.11.16+rocksdb@{source}"

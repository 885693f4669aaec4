"""A study's policy of encryption against real servers: dbdyno's own connections and those of the load, alike."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pymysql
import pytest
from pymysql.constants import CR

from certificates import make_authority
from dbdyno.configure import Server, attach_server
from dbdyno.connections import TlsPolicy, connect
from dbdyno.core import ConfigureError, ProvisionError, parse_engine_name
from dbdyno.lab import find_generator
from dbdyno.provision import provision
from dbdyno.study import ServerAddress
from error_codes import load_codes, raises_code
from laboratory import Laboratory
from rogue_server import Behaviour, RogueServer

pytestmark = pytest.mark.server
ENGINES = ("mariadb:11.8", "mysql:9.7")
VERSIONS = {"mariadb:11.8": "mariadb", "mysql:9.7": "mysql"}


@dataclass(frozen=True)
class TlsServer:
    """A server that offers TLS on loopback, by a certificate for other names than its address where that is asked."""

    server: Server
    authority: Path
    wrong_authority: Path

    def policy(self, word: str, *, wrong: bool = False) -> TlsPolicy:
        file = self.wrong_authority if wrong else self.authority
        return TlsPolicy.of(word, str(file) if word.startswith("verify") else None)

    def cipher(self, policy: TlsPolicy) -> str:
        """Of a connection of dbdyno's own; empty: not encrypted."""
        endpoint = self.server.endpoint
        assert endpoint.password_file is not None
        password = endpoint.password_file.read_text().strip()
        with (
            connect(user=endpoint.user, password=password, host="127.0.0.1", port=endpoint.port, tls=policy) as own,
            own.cursor() as cursor,
        ):
            cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
            row = cursor.fetchone()
            assert row is not None
            return str(row[1])

    def load_is_let_in(self, policy: TlsPolicy) -> bool:
        """Whether a connection of the load generator is; without its tables that is as far as it gets."""
        endpoint = self.server.endpoint
        words = ["--host=127.0.0.1", f"--port={endpoint.port}", f"--user={endpoint.user}", f"--tls={policy.word}"]
        words += [f"--password-file={endpoint.password_file}", "--database=dbdyno_none"]
        words += [f"--tls-ca-file={policy.ca_file}"] if policy.ca_file else []
        done = subprocess.run(
            [find_generator(), "run", "sysbench/oltp_point_select", "--time=1s", "--concurrency=1", *words],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode != 0
        if "1049" in done.stderr:
            return True
        assert load_codes(done.stderr) == ["tls-failed"], done.stderr
        return False


@contextmanager
def raises_certificate_refusal() -> Iterator[None]:
    """Hold that the handshake of the block fails, and by the check of the certificate."""
    with pytest.raises(pymysql.MySQLError) as refused:
        yield
    assert refused.value.args[0] == CR.CR_SSL_CONNECTION_ERROR
    assert "certificate" in refused.value.args[1]


@pytest.fixture
def tls_server(laboratory: Laboratory, start: Callable[..., Server]) -> Callable[..., TlsServer]:
    def started(engine: str, *names: str) -> TlsServer:
        folder = laboratory.folder()
        other = laboratory.folder()
        authority, wrong = make_authority(folder, "dbdyno test"), make_authority(other, "dbdyno test")
        certificate, key = authority.server(folder, *names)
        owner = laboratory.host.run(["id", "-u"], timeout_s=10, as_server_user=True).stdout.strip()
        for file in (certificate, key, authority.certificate):
            file.chmod(0o644)
            if os.geteuid() == 0:
                os.chown(file, int(owner), -1)
        key.chmod(0o600)
        raw = {"ssl_ca": str(authority.certificate), "ssl_cert": str(certificate), "ssl_key": str(key)}
        is_mysql = engine.startswith("mysql")
        raw |= {"tls_version": "TLSv1.2,TLSv1.3"} if is_mysql else {}
        server = start(engine, route="loopback", raw=raw, without=() if is_mysql else ("tls.available",))
        return TlsServer(server, authority.certificate, wrong.certificate)

    return started


@pytest.mark.parametrize("engine", ENGINES)
def test_each_policy_is_kept_by_dbdyno_and_by_its_load_alike(engine: str, tls_server: Callable[..., TlsServer]) -> None:
    there = tls_server(engine, "127.0.0.1", "localhost")
    assert there.cipher(TlsPolicy("off")) == ""
    for word in ("preferred", "required", "verify-ca", "verify-identity"):
        policy = there.policy(word)
        assert there.cipher(policy) != "", word
        assert there.load_is_let_in(policy), word
    for word in ("verify-ca", "verify-identity"):
        policy = there.policy(word, wrong=True)
        with raises_certificate_refusal():
            there.cipher(policy)
        assert not there.load_is_let_in(policy), word


def test_files_of_certificates_that_may_never_end_are_refused_before_a_handshake(
    tls_server: Callable[..., TlsServer], tmp_path: Path
) -> None:
    there = tls_server("mariadb:11.8", "127.0.0.1")
    os.mkfifo(tmp_path / "pipe.pem")
    for path, words in (("/dev/zero", "it is a device"), (str(tmp_path / "pipe.pem"), "it is a named pipe")):
        with pytest.raises(pymysql.MySQLError, match=words):
            there.cipher(TlsPolicy("verify-ca", path))
        for options in (["verify-ca", f"--tls-ca-file={path}"], ["required", f"--tls-cert-file={path}"]):
            options += [f"--tls-key-file={path}"] if options[0] == "required" else []
            server = ["--host=127.0.0.1", f"--port={there.server.endpoint.port}", "--tls", *options]
            done = subprocess.run(
                [find_generator(), "run", "sysbench/oltp_point_select", "--time=1s", *server],
                capture_output=True,
                text=True,
                timeout=20,
            )
            assert words in done.stderr, done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_a_certificate_of_another_host_passes_verify_ca_and_not_verify_identity(
    engine: str, tls_server: Callable[..., TlsServer]
) -> None:
    there = tls_server(engine, "elsewhere.example")
    assert there.cipher(there.policy("verify-ca")) != ""
    assert there.load_is_let_in(there.policy("verify-ca"))
    with raises_certificate_refusal():
        there.cipher(there.policy("verify-identity"))
    assert not there.load_is_let_in(there.policy("verify-identity"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_without_tls_is_refused_where_it_is_required(
    engine: str, laboratory: Laboratory, start: Callable[..., Server]
) -> None:
    server = start(engine, route="loopback")
    endpoint = server.endpoint
    address = ServerAddress(
        "plain",
        endpoint.user,
        host="127.0.0.1",
        port=endpoint.port,
        password_file=str(endpoint.password_file),
        tls="required",
    )
    name = parse_engine_name(f"{VERSIONS[engine]}@server:plain")
    with raises_code(ProvisionError, "connection-failed", 'tls = "required"'):
        provision(name, laboratory.host, laboratory.home, servers={"plain": address})


@pytest.mark.parametrize("is_clear", [True, False])
def test_nothing_of_the_password_reaches_a_rogue_server(laboratory: Laboratory, tmp_path: Path, is_clear: bool) -> None:
    """Provisioning, attaching and the load itself: whoever asks for a password in clear does not get it."""
    secret = tmp_path / "password"
    secret.write_text("secret-canary\n")
    secret.chmod(0o600)
    for word in ("off", "preferred", "required"):
        with RogueServer(Behaviour(version="8.0.36", asks_clear_password=is_clear)) as server:
            address = ServerAddress(
                "rogue", "app", host="127.0.0.1", port=server.port, password_file=str(secret), tls=word
            )
            servers = {"rogue": address}
            installation = laboratory.installation("mariadb:11.8")
            if is_clear or word == "required":
                with pytest.raises(ProvisionError):
                    provision(
                        parse_engine_name("mysql@server:rogue"), laboratory.host, laboratory.home, servers=servers
                    )
                object.__setattr__(installation, "address", address)
                with pytest.raises(ConfigureError):
                    attach_server(installation, laboratory.host)
            codes = _load_codes_of_a_run(server.port, secret, word)
            if word == "required":
                assert codes == ["tls-failed"]
            elif is_clear:
                assert codes == ["log-in-failed"]
            else:
                assert server.statements, "the load is let in, by a scrambled password"
        assert b"secret-canary" not in server.received
        if word == "required":
            assert server.received == b""


def _load_codes_of_a_run(port: int, password: Path, word: str) -> list[str]:
    """Return the codes of the error that ends a short run of the load generator."""
    words = ["--host=127.0.0.1", f"--port={port}", "--user=app", f"--password-file={password}", f"--tls={word}"]
    done = subprocess.run(
        [find_generator(), "run", "sysbench/oltp_point_select", "--time=1s", "--concurrency=1", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return load_codes(done.stderr)


@pytest.mark.parametrize("word", ["verify-ca", "verify-identity"])
def test_the_loads_target_names_policy_and_authority(
    word: str, laboratory: Laboratory, tls_server: Callable[..., TlsServer]
) -> None:
    there = tls_server("mariadb:11.8", "127.0.0.1")
    endpoint = there.server.endpoint
    address = ServerAddress(
        "safe",
        endpoint.user,
        host="127.0.0.1",
        port=endpoint.port,
        password_file=str(endpoint.password_file),
        tls=word,
        tls_ca=str(there.authority),
    )
    name = parse_engine_name("mariadb@server:safe")
    found = provision(name, laboratory.host, laboratory.home, servers={"safe": address})
    target = attach_server(found, laboratory.host).endpoint.order_target("dbdyno_t")
    assert (target["tls"], target["tls_ca_file"]) == (word, str(there.authority))

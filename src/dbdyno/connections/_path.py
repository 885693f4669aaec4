"""Reaches a server on another host: looks its name up, tries its addresses, notices silence, applies TLS.

A server that is slow or stopped has a kernel that acknowledges what arrives; a host without power or a cable that is
out acknowledges nothing. `TCP_USER_TIMEOUT` and keepalive have this side's kernel tell the two apart.
"""

from __future__ import annotations

import errno
import ipaddress
import queue
import socket as sockets
import ssl
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from pymysql.constants import CR
from pymysql.err import OperationalError

from dbdyno.core import read_input

PATH_S = 10.0
_PATH_ERRORS = frozenset({errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_CA_MOST_BYTES = 64 << 20
_LONGEST_IDLE_S = 32_767  # of the kernel
_Addresses: TypeAlias = list[tuple[sockets.AddressFamily, tuple[Any, ...]]]


class PathLostError(OperationalError):
    """Nobody at the other end acknowledged anything: this says nothing of the server."""


def is_path_error(error: OSError) -> bool:
    """Return whether the kernel says that nobody is there, not that somebody has closed or refused.

    >>> is_path_error(OSError(errno.EHOSTUNREACH, "")), is_path_error(ConnectionRefusedError(errno.ECONNREFUSED, ""))
    (True, False)
    """
    return error.errno in _PATH_ERRORS


def open_path(host: str, port: int, limit_s: float, path_s: float) -> sockets.socket:
    """Return a connected socket.

    Parameters
    ----------
    limit_s : for the look-up of the name and all attempts together
    path_s : how long the way may be silent from then on

    Raises
    ------
    PathLostError : the resolver gave no answer, or nobody at the other end did
    OSError : the name is unknown, or the host refuses
    """
    deadline = time.monotonic() + limit_s
    failure: OSError = OSError(errno.EADDRNOTAVAIL, f"{host} has no address")
    for family, address in _resolve_host(host, port, limit_s):
        tcp_socket = sockets.socket(family, sockets.SOCK_STREAM)
        try:
            tcp_socket.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
            _limit_silence(tcp_socket, path_s)
            tcp_socket.settimeout(max(deadline - time.monotonic(), 0.001))
            tcp_socket.connect(address)
        except OSError as error:
            tcp_socket.close()
            failure = error
        except BaseException:
            tcp_socket.close()
            raise
        else:
            return tcp_socket
    if isinstance(failure, TimeoutError) or is_path_error(failure):
        words = "no answer" if isinstance(failure, TimeoutError) else failure.strerror
        raise PathLostError(CR.CR_CONN_HOST_ERROR, f"no connection within {limit_s:g} s: {words}")
    raise failure


def _resolve_host(host: str, port: int, limit_s: float) -> _Addresses:
    """Resolve a host. The resolver knows no deadline, so a thread asks it, and is abandoned in the end."""
    try:
        is_v6 = ipaddress.ip_address(host).version == 6
    except ValueError:
        pass
    else:
        return [(sockets.AF_INET6 if is_v6 else sockets.AF_INET, (host, port))]
    answers: queue.Queue[_Addresses | OSError] = queue.Queue()

    def ask() -> None:
        try:
            addresses = sockets.getaddrinfo(host, port, type=sockets.SOCK_STREAM)
            answers.put([(family, address) for family, _, _, _, address in addresses])
        except OSError as error:
            answers.put(error)
        except UnicodeError:  # not a name at all
            answers.put(OSError(errno.EINVAL, f"{host!r} is not a host name"))

    threading.Thread(target=ask, daemon=True, name="name-look-up").start()
    try:
        answer = answers.get(timeout=limit_s)
    except queue.Empty:
        words = f"the resolver (DNS) gave no address of {host} within {limit_s:g} s"
        raise PathLostError(CR.CR_UNKNOWN_HOST, words) from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def _limit_silence(tcp_socket: sockets.socket, path_s: float) -> None:
    """Limit silence by a user timeout: Linux then counts no probes, and ends the connection when it is over."""
    tcp_socket.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_USER_TIMEOUT, max(int(path_s * 1000), 1))
    tcp_socket.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_KEEPIDLE, _idle_s(path_s / 2))
    tcp_socket.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_KEEPINTVL, _idle_s(path_s / 10))
    tcp_socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_KEEPALIVE, 1)


def _idle_s(seconds: float) -> int:
    return min(max(int(seconds), 1), _LONGEST_IDLE_S)


TlsWord: TypeAlias = Literal["off", "preferred", "required", "verify-ca", "verify-identity"]


@dataclass(frozen=True, slots=True)
class TlsPolicy:
    """Describes whether a connection is encrypted, and what the server must prove.

    Parameters
    ----------
    word : ``off``: never; ``preferred``: over TCP, if the server offers it; ``required``: or there is no connection;
        ``verify-ca``: and its certificate is signed by `ca_file`; ``verify-identity``: and names the host
    ca_file : PEM file of the authority
    """

    word: TlsWord = "preferred"
    ca_file: str | None = None

    @classmethod
    def of(cls, word: str, ca_file: str | None = None) -> TlsPolicy:
        """Return the policy of a study's keys, which were checked when they were read."""
        return cls(cast("TlsWord", word), ca_file)

    @property
    def is_required(self) -> bool:
        """Return whether there is no connection without encryption."""
        return self.word in ("required", "verify-ca", "verify-identity")

    def wants_tls(self, *, is_local: bool) -> bool:
        """Return whether encryption is asked for; over a Unix socket only where it is required.

        >>> TlsPolicy("preferred").wants_tls(is_local=True), TlsPolicy("required").wants_tls(is_local=True)
        (False, True)
        """
        return self.is_required or (self.word == "preferred" and not is_local)

    def context(self) -> ssl.SSLContext:
        """Return the rules of a handshake.

        Raises
        ------
        OperationalError : the authority's file is not given, can't be read, or holds no certificate
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = self.word == "verify-identity"
        context.hostname_checks_common_name = False  # nor does the load generator: names stand in subjectAltName
        if self.word not in ("verify-ca", "verify-identity"):
            context.verify_mode = ssl.CERT_NONE
            return context
        context.verify_mode = ssl.CERT_REQUIRED
        # Certificates that servers make for themselves lack what Python 3.13 demands of new ones.
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", ssl.VerifyFlags(0))
        if self.ca_file is None:
            raise OperationalError(CR.CR_SSL_CONNECTION_ERROR, f'tls = "{self.word}" needs tls_ca, a PEM file')
        try:
            # OpenSSL would wait for a pipe, and read a device for good.
            read_input(Path(self.ca_file), _CA_MOST_BYTES, is_fixed=True)
            context.load_verify_locations(cafile=self.ca_file)
        except (OSError, ssl.SSLError) as error:
            words = error.strerror or "it contains no certificate"
            raise OperationalError(CR.CR_SSL_CONNECTION_ERROR, f"tls_ca {self.ca_file}: {words}") from None
        return context


def tls_ca_path(named: str | None) -> str | None:
    """Return the authority's file as a study names it, for a caller that may run elsewhere.

    >>> tls_ca_path("/etc/ca.pem")
    '/etc/ca.pem'
    """
    return None if named is None else str(Path(named).expanduser().absolute())

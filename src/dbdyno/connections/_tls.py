"""A study's policy of encryption, as the ``mysql`` client's ``--ssl-mode``, made into rules of a connection."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast

from pymysql.constants import CR
from pymysql.err import OperationalError

TlsWord: TypeAlias = Literal["off", "preferred", "required", "verify-ca", "verify-identity"]


@dataclass(frozen=True, slots=True)
class TlsPolicy:
    """Whether a connection is encrypted, and what the server must prove.

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
        """The policy of a study's keys, which were checked when they were read."""
        return cls(cast("TlsWord", word), ca_file)

    @property
    def is_required(self) -> bool:
        """Whether there is no connection without encryption."""
        return self.word in ("required", "verify-ca", "verify-identity")

    def wants_tls(self, *, is_local: bool) -> bool:
        """Whether encryption is asked for; over a Unix socket only where it is required.

        >>> TlsPolicy("preferred").wants_tls(is_local=True), TlsPolicy("required").wants_tls(is_local=True)
        (False, True)
        """
        return self.is_required or (self.word == "preferred" and not is_local)

    def context(self) -> ssl.SSLContext:
        """The rules of a handshake.

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
            context.load_verify_locations(cafile=self.ca_file)
        except (OSError, ssl.SSLError) as error:
            words = error.strerror or "no certificate in it"
            raise OperationalError(CR.CR_SSL_CONNECTION_ERROR, f"tls_ca {self.ca_file}: {words}") from None
        return context


def tls_ca_path(named: str | None) -> str | None:
    """The authority's file as a study names it, for whoever may run elsewhere.

    >>> tls_ca_path("/etc/ca.pem")
    '/etc/ca.pem'
    """
    return None if named is None else str(Path(named).expanduser().absolute())

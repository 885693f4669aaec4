"""Passwords encrypted with a server's key, as another implementation decrypts them."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from dbdyno.connections._rsa_password import encrypt_password

_PEM = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
_OAEP = padding.OAEP(mgf=padding.MGF1(algorithm=hashes.SHA1()), algorithm=hashes.SHA1(), label=None)
_SALT = bytes(range(1, 21))


@pytest.mark.parametrize("bits", [1024, 2048, 3072])
@pytest.mark.parametrize("password", [b"", b"secret", "пароль-ü".encode(), bytes(range(1, 85))])
def test_what_is_encrypted_is_decrypted_by_the_servers_private_key(bits: int, password: bytes) -> None:
    private = rsa.generate_private_key(65537, bits)
    public = private.public_key().public_bytes(*_PEM)
    packets = [encrypt_password(password, _SALT, public + b"\0") for _ in range(2)]
    assert packets[0] != packets[1]
    for packet in packets:
        assert len(packet) == bits // 8
        message = private.decrypt(packet, _OAEP)
        assert bytes(byte ^ _SALT[index % 20] for index, byte in enumerate(message)) == password + b"\0"


def test_a_password_that_the_key_is_too_short_for_is_refused() -> None:
    public = rsa.generate_private_key(65537, 1024).public_key().public_bytes(*_PEM)
    assert encrypt_password(bytes(85), _SALT, public)
    with pytest.raises(ValueError, match="86 bytes is too long for a key of 1024 bits"):
        encrypt_password(bytes(86), _SALT, public)


def test_what_is_no_rsa_key_is_refused() -> None:
    whole = rsa.generate_private_key(65537, 1024).public_key().public_bytes(*_PEM)
    first, *lines, last = whole.splitlines()
    curve = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(*_PEM)
    for damaged in (
        b"",
        b"\0",
        b"none",
        lines[0],
        b"\n".join([first, lines[0], last]),
        b"\n".join([first, b"?", last]),
        curve,
    ):
        with pytest.raises(ValueError, match=r"key|base64|Incorrect padding|alphabet"):
            encrypt_password(b"secret", _SALT, damaged)

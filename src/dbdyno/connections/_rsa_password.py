"""Encrypts a password for a server that has no TLS, with the server's own RSA key.

MySQL's ``caching_sha2_password`` and ``sha256_password`` ask for it: the password and a zero byte, combined with the
greeting's random bytes, then RSA with OAEP (RFC 8017, section 7.1.1) over SHA-1. The driver leaves this to a package of
16 MB, which also signs, decrypts and reads certificates. To encrypt is one power with the server's public numbers; no
secret number takes part, so none can leak through the time that it takes.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import secrets

_SEQUENCE, _INTEGER, _BIT_STRING = 0x30, 0x02, 0x03
_HASH_BYTES = hashlib.sha1(usedforsecurity=False).digest_size


def encrypt_password(password: bytes, salt: bytes, public_key: bytes) -> bytes:
    """Return what proves the password to the server.

    Parameters
    ----------
    salt : the server's 20 random bytes, without the zero byte at their end
    public_key : the server's, in PEM

    Raises
    ------
    ValueError : the key is none of RSA in PEM, or too short for the password
    """
    modulus, exponent = _public_numbers(public_key)
    length = (modulus.bit_length() + 7) // 8
    message = bytes(byte ^ other for byte, other in zip(password + b"\0", itertools.cycle(salt), strict=False))
    padded = int.from_bytes(_padded(message, length, secrets.token_bytes(_HASH_BYTES)))
    return pow(padded, exponent, modulus).to_bytes(length)


def _padded(message: bytes, length: int, seed: bytes) -> bytes:
    room = length - len(message) - 2 * _HASH_BYTES - 2
    if room < 0:
        raise ValueError(f"a password of {len(message) - 1} bytes is too long for a key of {8 * length} bits")
    block = _hash(b"") + bytes(room) + b"\1" + message
    masked_block = _xor(block, _mask(seed, len(block)))
    return b"\0" + _xor(seed, _mask(masked_block, _HASH_BYTES)) + masked_block


def _mask(seed: bytes, length: int) -> bytes:
    hashes = (_hash(seed + number.to_bytes(4)) for number in range(-(-length // _HASH_BYTES)))
    return b"".join(hashes)[:length]


def _hash(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _public_numbers(public_key: bytes) -> tuple[int, int]:
    """Return modulus and exponent of a key: SubjectPublicKeyInfo (RFC 5280) around RSAPublicKey (RFC 8017, A.1.1)."""
    lines = public_key.strip(b"\0 \r\n").splitlines()
    if len(lines) < 3 or b"BEGIN PUBLIC KEY" not in lines[0]:
        raise ValueError("the server's public key is not in PEM")
    info, _ = _element(base64.b64decode(b"".join(lines[1:-1]), validate=True), _SEQUENCE)
    _, rest = _element(info, _SEQUENCE)  # the algorithm
    bits, _ = _element(rest, _BIT_STRING)
    numbers, _ = _element(bits[1:], _SEQUENCE)  # after how many bits of the last byte are unused: none
    modulus, rest = _element(numbers, _INTEGER)
    exponent, _ = _element(rest, _INTEGER)
    return int.from_bytes(modulus), int.from_bytes(exponent)


def _element(content: bytes, tag: int) -> tuple[bytes, bytes]:
    """Return the content of the first DER element, which has this tag, and what follows it."""
    if len(content) < 2 or content[0] != tag:
        raise ValueError("the server's public key is no key of RSA")
    begin, length = 2, content[1]
    if length >= 0x80:
        begin += length - 0x80
        length = int.from_bytes(content[2:begin])
    end = begin + length
    if end > len(content):
        raise ValueError("the server's public key is truncated")
    return content[begin:end], content[end:]

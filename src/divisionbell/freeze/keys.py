"""Ed25519 keys from files: OpenSSH and PEM. No message ever holds anything that stands in a private key."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from divisionbell.bank.frozen_file import FrozenFileProblem, read_given_file
from divisionbell.diagnostics import UsageProblem, shown_path

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_pem_private_key,
        load_pem_public_key,
        load_ssh_private_key,
        load_ssh_public_key,
    )
except ImportError:
    raise UsageProblem(
        "signatures need the package cryptography, which is not installed", "pip install 'divisionbell[signing]'"
    ) from None

KEY_TYPE = b"ssh-ed25519"
_MAX_KEY_BYTES = 65_536
_MAKE_ONE = "ssh-keygen -t ed25519 makes one"


def packed(*parts: bytes) -> bytes:
    """Byte strings as SSH writes them: each after its length in four bytes."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


@dataclass(frozen=True)
class PublicKey:
    """A public key, known by its 32 bytes."""

    raw: bytes

    @property
    def blob(self) -> bytes:
        """The key as SSH sends it."""
        return packed(KEY_TYPE, self.raw)

    @property
    def fingerprint(self) -> str:
        """What ssh-keygen -l prints: SHA256: and the base64 digest of the blob."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")

    def holds(self, signature: bytes, message: bytes) -> bool:
        """Whether a signature of a message is by this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, repr=False)
class Signer:
    """A private key that is ready to sign."""

    _key: Ed25519PrivateKey
    public: PublicKey

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def load_public_key(path: Path) -> PublicKey:
    """The Ed25519 public key in a file: a line as ssh-keygen writes it, or PEM. Raises UsageProblem where it is not."""
    data = _read(path)
    if b"PRIVATE KEY" in data:
        raise UsageProblem(
            f"{shown_path(path)} is a private key", "name the public one (KEY.pub); keep this one to yourself"
        )
    try:
        pem = data.lstrip().startswith(b"-----BEGIN")
        key = load_pem_public_key(data) if pem else load_ssh_public_key(data.strip())
    except (ValueError, UnsupportedAlgorithm):
        raise UsageProblem(f"{shown_path(path)} is no public key", "name an Ed25519 key as OpenSSH or PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageProblem(f"{shown_path(path)} is no Ed25519 key", _MAKE_ONE)
    return _public(key)


def load_signer(path: Path, passphrase: Callable[[], bytes]) -> Signer:
    """The Ed25519 private key in a file; `passphrase` is called only where the key is encrypted.

    Raises UsageProblem where the file is no such key or the passphrase does not open it.
    """
    data = _read(path)
    if b"PRIVATE KEY-----" not in data:
        public = data.startswith((b"ssh-", b"-----BEGIN PUBLIC KEY-----"))
        fix = "it is the public one; name the other, without .pub" if public else _MAKE_ONE
        raise UsageProblem(f"{shown_path(path)} is no private key", fix)
    load = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in data else load_pem_private_key
    key: object
    try:
        try:
            key = load(data, None)
        except TypeError:  # it is encrypted
            key = load(data, passphrase())
    # Nothing of what the library says is repeated: it has seen the key.
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise UsageProblem(
            f"{shown_path(path)} cannot be opened: it is damaged, or the passphrase is another", "check both"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageProblem(f"{shown_path(path)} is no Ed25519 key", _MAKE_ONE)
    return Signer(key, _public(key.public_key()))


def _public(key: Ed25519PublicKey) -> PublicKey:
    return PublicKey(key.public_bytes(Encoding.Raw, PublicFormat.Raw))


def _read(path: Path) -> bytes:
    try:
        return read_given_file(path, _MAX_KEY_BYTES)
    except FrozenFileProblem as problem:
        raise UsageProblem(f"{shown_path(path)} {problem.message}", "name the file of a key") from None

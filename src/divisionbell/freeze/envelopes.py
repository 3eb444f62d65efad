"""The two forms of a signature of a statement: a DSSE envelope, and an SSH signature as ssh-keygen makes and checks it.

DSSE: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md. SSH: PROTOCOL.sshsig of OpenSSH.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
from dataclasses import dataclass
from typing import Any

import orjson

from divisionbell.freeze.keys import KEY_TYPE, PublicKey, Signer, packed

PAYLOAD_TYPE = "application/vnd.in-toto+json"
NAMESPACE = "divisionbell-freeze"
_MAGIC = b"SSHSIG"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_ARMOUR = re.compile(rf"{_BEGIN}\r?\n([A-Za-z0-9+/=\r\n]+)\r?\n{_END}\s*")


class NoSignature(ValueError):
    """A file is not a signature in the form that its name promises."""


@dataclass(frozen=True)
class Envelope:
    """A DSSE envelope: what was signed, and the signatures with the names of their keys."""

    payload: bytes
    signatures: tuple[tuple[str, bytes], ...]

    def signed_by(self, key: PublicKey) -> bool:
        """Whether one of the signatures is by this key."""
        message = _pre_authentication(self.payload)
        return any(key.holds(signature, message) for _, signature in self.signatures)

    def claims(self, key: PublicKey) -> bool:
        """Whether one of the signatures says that it is by this key, true or not."""
        return any(name == key.fingerprint for name, _ in self.signatures)

    def with_signature(self, signer: Signer) -> Envelope:
        """The envelope with one more signature."""
        made = signer.sign(_pre_authentication(self.payload))
        return Envelope(self.payload, (*self.signatures, (signer.public.fingerprint, made)))

    def written(self) -> bytes:
        """The envelope as one line of JSON."""
        told = {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [{"keyid": name, "sig": base64.b64encode(sig).decode()} for name, sig in self.signatures],
        }
        return orjson.dumps(told) + b"\n"


def read_envelope(data: bytes) -> Envelope:
    """Read a DSSE envelope. Raises NoSignature where it is none of an in-toto statement."""
    try:
        told: Any = orjson.loads(data)
        if told["payloadType"] != PAYLOAD_TYPE:
            raise NoSignature(f"is an envelope of {told['payloadType']!r:.80}, not of {PAYLOAD_TYPE}")
        signatures = tuple((str(entry.get("keyid", "")), _decoded(entry["sig"])) for entry in told["signatures"])
        return Envelope(_decoded(told["payload"]), signatures)
    except NoSignature:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NoSignature("is no DSSE envelope") from None


def _decoded(text: str) -> bytes:
    # The protocol admits both alphabets.
    return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)


def _pre_authentication(payload: bytes) -> bytes:
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def ssh_signature(message: bytes, signer: Signer) -> bytes:
    """An SSH signature of a message under the namespace of freezes, armoured as ssh-keygen -Y sign writes it."""
    made = signer.sign(_to_be_signed(message, b"sha512"))
    inner = packed(signer.public.blob, NAMESPACE.encode(), b"", b"sha512", packed(KEY_TYPE, made))
    text = base64.b64encode(_MAGIC + struct.pack(">I", 1) + inner).decode()
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join([_BEGIN, *lines, _END, ""]).encode()


def ssh_signer(data: bytes, message: bytes) -> tuple[PublicKey, bool]:
    """The key that an SSH signature names, and whether it is that key's signature of this message.

    Raises NoSignature where it is no Ed25519 signature under the namespace of freezes.
    """
    armoured = _ARMOUR.fullmatch(data.decode("ascii", errors="replace"))
    try:
        if armoured is None:
            raise NoSignature("is no SSH signature")
        blob = base64.b64decode("".join(armoured.group(1).split()), validate=True)
        if blob[:6] != _MAGIC or blob[6:10] != struct.pack(">I", 1):
            raise NoSignature("is no SSH signature of version 1")
        public, namespace, reserved, algorithm, signature = _unpacked(blob[10:], 5)
        kind, raw = _unpacked(public, 2)
        signature_kind, signature_raw = _unpacked(signature, 2)
    except (binascii.Error, struct.error):
        raise NoSignature("is no SSH signature") from None
    if kind != KEY_TYPE or signature_kind != KEY_TYPE or len(raw) != 32:
        raise NoSignature(f"is a signature by a key of type {kind.decode('ascii', 'replace'):.40}, not ssh-ed25519")
    if namespace != NAMESPACE.encode():
        raise NoSignature(f"was made for {namespace.decode('utf-8', 'replace'):.40}, not for {NAMESPACE}")
    if reserved or algorithm not in {b"sha512", b"sha256"}:
        raise NoSignature("uses a digest that SSH signatures do not have")
    key = PublicKey(raw)
    return key, key.holds(signature_raw, _to_be_signed(message, algorithm))


def _to_be_signed(message: bytes, algorithm: bytes) -> bytes:
    digest = hashlib.new(algorithm.decode(), message).digest()
    return _MAGIC + packed(NAMESPACE.encode(), b"", algorithm, digest)


def _unpacked(data: bytes, count: int) -> list[bytes]:
    """`count` byte strings that are all there is. Raises struct.error where they are not."""
    parts = []
    for _ in range(count):
        (length,) = struct.unpack_from(">I", data)
        part, data = data[4 : 4 + length], data[4 + length :]
        if len(part) != length:
            raise struct.error
        parts.append(part)
    if data:
        raise struct.error
    return parts

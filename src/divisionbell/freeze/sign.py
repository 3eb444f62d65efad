"""Sign the statement of a frozen version, and hold signatures to a key."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import orjson

from divisionbell.bank.frozen_file import FrozenFileProblem, read_frozen_file
from divisionbell.bank.manifest import statement_file
from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.freeze.envelopes import Envelope, NoSignature, read_envelope, ssh_signature, ssh_signer
from divisionbell.freeze.frozen_bank import read_frozen
from divisionbell.freeze.keys import PublicKey, Signer
from divisionbell.freeze.signature_files import MOST_BYTES, signature_paths
from divisionbell.freeze.whole_file import alone, write_whole

_REMOVE = "find out where it comes from; remove it, then sign again"


@dataclass(frozen=True)
class Checked:
    """What became of one signature file: by whom it is, or what is wrong with it."""

    path: Path
    by: tuple[str, ...] = ()
    problem: str | None = None


def sign(folder: Path, version: str, signer: Signer) -> list[str]:
    """Sign a frozen version, which must be whole, and say in a line each what was written.

    An envelope takes the signatures of several keys, an SSH signature file is of one. Raises UsageProblem where a file
    there is something else or the folder cannot be written, and as `read_frozen` does.
    """
    told = statement_file(dict(read_frozen(folder, version).statement))
    envelope_path, ssh_path = signature_paths(folder, version)
    key = signer.public
    lines = []
    try:
        with alone(folder.parent):
            for path, new in (
                (envelope_path, _enveloped(envelope_path, told, signer)),
                (ssh_path, _ssh(ssh_path, told, signer)),
            ):
                if isinstance(new, str):
                    lines.append(f"left {shown_path(path)} as it is: {new}")
                else:
                    write_whole(path, new)
                    lines.append(f"wrote {shown_path(path)}, signed by {key.fingerprint}")
    except OSError as error:
        raise UsageProblem(f"{shown_path(folder)} cannot be written: {error.strerror}", "make it writable") from None
    return lines


def _enveloped(path: Path, told: bytes, signer: Signer) -> bytes | str:
    """The envelope with one more signature, or why it stays as it is."""
    envelope = Envelope(told, ())
    if os.path.lexists(path):
        try:
            envelope = read_envelope(read_frozen_file(path, MOST_BYTES))
        except (NoSignature, FrozenFileProblem) as problem:
            raise UsageProblem(f"{shown_path(path)} {problem}", _REMOVE) from None
        if envelope.payload != told:
            raise UsageProblem(f"{shown_path(path)} is of {_about(envelope.payload)}", _REMOVE)
        if envelope.signed_by(signer.public):
            return f"signed by {signer.public.fingerprint} already"
    return envelope.with_signature(signer).written()


def _ssh(path: Path, told: bytes, signer: Signer) -> bytes | str:
    """The SSH signature, or why the one there stays as it is."""
    if os.path.lexists(path):
        try:
            key, holds = ssh_signer(read_frozen_file(path, MOST_BYTES), told)
        except (NoSignature, FrozenFileProblem) as problem:
            raise UsageProblem(f"{shown_path(path)} {problem}", _REMOVE) from None
        if not holds:
            raise UsageProblem(f"{shown_path(path)} is a signature of something else by {key.fingerprint}", _REMOVE)
        return f"signed by {key.fingerprint}" + (" already" if key == signer.public else ", and it takes one signature")
    return ssh_signature(told, signer)


def check_signatures(folder: Path, version: str, told: bytes, key: PublicKey) -> list[Checked]:
    """What the signature files of a version come to, one result a file; `told` are the bytes of its statement.

    A file that holds a signature by `key` names it among `by`.
    """
    envelope_path, ssh_path = signature_paths(folder, version)
    found = []
    for path, check in ((envelope_path, _check_envelope), (ssh_path, _check_ssh)):
        if os.path.lexists(path):
            try:
                found.append(check(path, read_frozen_file(path, MOST_BYTES), told, key))
            except (NoSignature, FrozenFileProblem) as problem:
                found.append(Checked(path, problem=str(problem)))
    return found


def _check_envelope(path: Path, data: bytes, told: bytes, key: PublicKey) -> Checked:
    envelope = read_envelope(data)
    if envelope.payload != told:
        return Checked(path, problem=f"is of {_about(envelope.payload)}")
    if envelope.signed_by(key):
        return Checked(path, (key.fingerprint,))
    if envelope.claims(key):
        return Checked(path, problem=f"names {key.fingerprint}, whose signature it does not hold")
    return Checked(path, tuple(name[:80] or "a key without name" for name, _ in envelope.signatures) or ("nobody",))


def _check_ssh(path: Path, data: bytes, told: bytes, key: PublicKey) -> Checked:
    signer, holds = ssh_signer(data, told)
    if not holds:
        return Checked(path, problem=f"is no signature of this statement, though it names {signer.fingerprint}")
    return Checked(path, (signer.fingerprint,))


def _about(payload: bytes) -> str:
    """What a signed payload is, in words."""
    try:
        return f"another statement, about version {orjson.loads(payload)['predicate']['frozen_version']!s:.40}"
    except (ValueError, KeyError, TypeError):
        return "something that is no freeze statement"

"""Signatures of a freeze: made offline, checked by verify, by ssh-keygen and by the in-toto project's own library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import forked

pytest.importorskip("cryptography", reason="signatures need the extra signing")
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from divisionbell.__main__ import main
from divisionbell.bank.load import load
from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.freeze import keys as keys_module
from divisionbell.freeze.envelopes import NAMESPACE, NoSignature, read_envelope, ssh_signature, ssh_signer
from divisionbell.freeze.keys import load_public_key, load_signer
from divisionbell.freeze.sign import sign
from divisionbell.freeze.signature_files import signature_paths
from divisionbell.freeze.verify import lines, verify
from divisionbell.validate.engine import check

VERSION = "0.1.0"
# Fixed keys, so that what is written can be compared; they sign nothing else.
SECRET = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
PASSPHRASE = b"a b\xc3\xa9"


def no_passphrase() -> bytes:
    raise AssertionError("no passphrase was to be asked for")


def write_keys(folder: Path, name: str, key: Ed25519PrivateKey) -> None:
    private = {
        "ssh": (PrivateFormat.OpenSSH, NoEncryption()),
        "ssh-locked": (PrivateFormat.OpenSSH, BestAvailableEncryption(PASSPHRASE)),
        "pem": (PrivateFormat.PKCS8, NoEncryption()),
        "pem-locked": (PrivateFormat.PKCS8, BestAvailableEncryption(PASSPHRASE)),
    }
    for kind, (form, encryption) in private.items():
        path = folder / f"{name}.{kind}"
        path.write_bytes(key.private_bytes(Encoding.PEM, form, encryption))
        path.chmod(0o600)
    line = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    (folder / f"{name}.pub").write_bytes(line + b" somebody@somewhere\n")
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / f"{name}.pub.pem").write_bytes(pem)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir()
    write_keys(folder, "mine", SECRET)
    write_keys(folder, "theirs", OTHER)
    return folder


def signed(folder: Path, keys: Path, name: str = "mine") -> tuple[Path, Path]:
    sign(folder / "freeze", VERSION, load_signer(keys / f"{name}.ssh", no_passphrase))
    return signature_paths(folder / "freeze", VERSION)


def found(folder: Path, keys: Path, name: str = "mine") -> list[str]:
    result = verify(load(folder), VERSION, load_public_key(keys / f"{name}.pub"))
    return [d.message for d in result.all_findings]


def statement(folder: Path) -> Path:
    return folder / "freeze" / f"{VERSION}.json"


def test_sign_writes_two_files_and_changes_none(frozen_bank: Path, keys: Path) -> None:
    before = {path: path.read_bytes() for path in frozen_bank.rglob("*") if path.is_file()}
    written = signed(frozen_bank, keys)
    after = {path: path.read_bytes() for path in frozen_bank.rglob("*") if path.is_file()}
    assert set(after) - set(before) == set(written)
    assert {path: after[path] for path in before} == before
    # They are no part of the bank: nothing that reads it is disturbed.
    assert check(load(frozen_bank)).clean
    assert found(frozen_bank, keys) == []
    plain = verify(load(frozen_bank), None)
    assert plain.all_findings == []
    assert sum("no --key was given" in line for line in lines(plain)) == 2
    told = lines(verify(load(frozen_bank), None, load_public_key(keys / "mine.pub.pem")))
    assert [line for line in told if "signed:" in line] == [f"  signed: {path.as_posix()}" for path in written]
    assert not any("when and by which program" in line for line in told)


def test_every_form_of_a_key_is_the_same_key(keys: Path) -> None:
    public = load_public_key(keys / "mine.pub")
    assert load_public_key(keys / "mine.pub.pem") == public
    asked = []

    def passphrase() -> bytes:
        asked.append(1)
        return PASSPHRASE

    made = set()
    for kind in ("ssh", "pem", "ssh-locked", "pem-locked"):
        signer = load_signer(keys / f"mine.{kind}", passphrase)
        assert signer.public == public
        made.add(signer.sign(b"x"))
        assert len(asked) == {"ssh": 0, "pem": 0, "ssh-locked": 1, "pem-locked": 2}[kind]
    (signature,) = made
    assert public.holds(signature, b"x")
    assert not public.holds(signature, b"y")


needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def keygen(*arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["ssh-keygen", *arguments], input=given, capture_output=True, check=False)


def ssh_verify(folder: Path, keys: Path, name: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    allowed = keys / "allowed"
    allowed.write_bytes(b'me namespaces="divisionbell-freeze" ' + (keys / f"{name}.pub").read_bytes())
    file = str(signature_paths(folder / "freeze", VERSION)[1])
    return keygen("-Y", "verify", "-f", str(allowed), "-I", "me", "-n", NAMESPACE, "-s", file, given=data)


@needs_ssh_keygen
def test_ssh_keygen_accepts_the_signature_and_refuses_others(frozen_bank: Path, keys: Path) -> None:
    signed(frozen_bank, keys)
    data = statement(frozen_bank).read_bytes()
    done = ssh_verify(frozen_bank, keys, "mine", data)
    assert done.returncode == 0, done.stderr
    assert b'Good "divisionbell-freeze" signature for me' in done.stdout
    assert load_public_key(keys / "mine.pub").fingerprint.encode() in done.stdout
    assert ssh_verify(frozen_bank, keys, "mine", data[:-1]).returncode != 0
    assert ssh_verify(frozen_bank, keys, "theirs", data).returncode != 0


@needs_ssh_keygen
def test_the_fingerprint_is_that_of_ssh_keygen(keys: Path) -> None:
    told = keygen("-l", "-f", str(keys / "mine.pub")).stdout.decode()
    assert load_public_key(keys / "mine.pub").fingerprint in told.split()


@needs_ssh_keygen
def test_a_signature_that_ssh_keygen_made_is_accepted(frozen_bank: Path, keys: Path) -> None:
    """So a key on a token or in an agent can sign as well."""
    file = statement(frozen_bank)
    done = keygen("-Y", "sign", "-f", str(keys / "mine.ssh"), "-n", NAMESPACE, str(file))
    assert done.returncode == 0, done.stderr
    assert found(frozen_bank, keys) == []
    # Ed25519 signs the same text always alike: ours is theirs, byte for byte.
    assert signature_paths(frozen_bank / "freeze", VERSION)[1].read_bytes() == ssh_signature(
        file.read_bytes(), load_signer(keys / "mine.ssh", no_passphrase)
    )
    assert found(frozen_bank, keys, "theirs")


@needs_ssh_keygen
@pytest.mark.parametrize(("namespace", "told"), [("file", "was made for file, not for divisionbell-freeze")])
def test_a_signature_for_another_purpose_is_none(frozen_bank: Path, keys: Path, namespace: str, told: str) -> None:
    keygen("-Y", "sign", "-f", str(keys / "mine.ssh"), "-n", namespace, str(statement(frozen_bank)))
    assert found(frozen_bank, keys) == [told]


def test_the_envelope_holds_by_the_library_of_the_in_toto_project(frozen_bank: Path, keys: Path) -> None:
    signers = pytest.importorskip("securesystemslib.signer")
    dsse = pytest.importorskip("securesystemslib.dsse")
    from securesystemslib.exceptions import VerificationError

    envelope_path, _ = signed(frozen_bank, keys)
    told = json.loads(envelope_path.read_bytes())
    assert set(told) == {"payloadType", "payload", "signatures"}
    assert told["payloadType"] == "application/vnd.in-toto+json"
    assert base64.b64decode(told["payload"]) == statement(frozen_bank).read_bytes()
    envelope = dsse.Envelope.from_dict(told)
    name = load_public_key(keys / "mine.pub").fingerprint
    for key, holds in ((SECRET, True), (OTHER, False)):
        raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        public = signers.SSlibKey(name, "ed25519", "ed25519", {"public": raw})
        if holds:
            assert list(envelope.verify([public], 1)) == [name]
        else:
            with pytest.raises(VerificationError):
                envelope.verify([public], 1)


def test_several_signers(frozen_bank: Path, keys: Path) -> None:
    envelope_path, ssh_path = signed(frozen_bank, keys)
    first = ssh_path.read_bytes()
    again = sign(frozen_bank / "freeze", VERSION, load_signer(keys / "mine.ssh", no_passphrase))
    assert all("left" in line and "already" in line for line in again)
    told = sign(frozen_bank / "freeze", VERSION, load_signer(keys / "theirs.ssh", no_passphrase))
    assert "wrote" in told[0]
    assert "takes one signature" in told[1]
    assert ssh_path.read_bytes() == first
    assert len(read_envelope(envelope_path.read_bytes()).signatures) == 2
    assert found(frozen_bank, keys) == []
    assert found(frozen_bank, keys, "theirs") == []


def edit_statement(folder: Path) -> None:
    """The time, which nothing else binds."""
    file = statement(folder)
    file.write_bytes(file.read_bytes().replace(b"2026-01-02T03", b"2026-01-02T04"))


def edit_envelope(old: bytes, new: bytes) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = signature_paths(folder / "freeze", VERSION)[0]
        data = path.read_bytes()
        assert old in data
        path.write_bytes(data.replace(old, new, 1))

    return edit


def edit_ssh(folder: Path) -> None:
    path = signature_paths(folder / "freeze", VERSION)[1]
    text = path.read_text().splitlines()
    text[-2] = text[-2][:-3] + ("AAB" if text[-2][-3:] != "AAB" else "BAA")
    path.write_text("\n".join(text) + "\n")


def envelope_of_another(folder: Path) -> None:
    path = signature_paths(folder / "freeze", VERSION)[0]
    told = json.loads(path.read_bytes())
    payload = base64.b64decode(told["payload"]).replace(b'"0.1.0"', b'"0.0.9"')
    told["payload"] = base64.b64encode(payload).decode()
    path.write_text(json.dumps(told))


def write(which: int, data: bytes) -> Callable[[Path], None]:
    return lambda folder: signature_paths(folder / "freeze", VERSION)[which].write_bytes(data) and None


def link(which: int) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = signature_paths(folder / "freeze", VERSION)[which]
        outside = folder / "elsewhere"
        path.rename(outside)
        path.symlink_to(outside.resolve())

    return edit


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (edit_statement, "is not the statement that was signed: predicate.frozen_at is "),
        (edit_envelope(b'"sig":"', b'"sig":"AA'), "names SHA256:"),
        (edit_envelope(b'"payloadType":"', b'"payloadType":"x'), "is an envelope of 'xapplication"),
        (edit_envelope(b'"signatures"', b'"signature"'), "is no DSSE envelope"),
        (envelope_of_another, "is of another statement, about version 0.0.9"),
        (write(0, b"{}"), "is no DSSE envelope"),
        (write(0, b"["), "is no DSSE envelope"),
        (write(0, b"[" * 100_000), "is no DSSE envelope"),
        (
            write(0, b'{"payloadType":"application/vnd.in-toto+json","payload":1,"signatures":[]}'),
            "is no DSSE envelope",
        ),
        (write(0, b'{"payloadType":"application/vnd.in-toto+json","payload":"","signatures":[1]}'), "is no DSSE"),
        (edit_ssh, "is no"),
        (write(1, b""), "is no SSH signature"),
        (write(1, b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"), "is no SSH signature"),
        (write(1, b"-----BEGIN SSH SIGNATURE-----\n!!!!\n-----END SSH SIGNATURE-----\n"), "is no SSH signature"),
        (write(1, bytes(range(256))), "is no SSH signature"),
        (link(0), "leads out of the folder"),
        (link(1), "leads out of the folder"),
    ],
)
def test_what_is_no_signature_of_this_statement_is_found(
    frozen_bank: Path, keys: Path, edit: Callable[[Path], None], told: str
) -> None:
    signed(frozen_bank, keys)
    edit(frozen_bank)
    messages = found(frozen_bank, keys)
    assert any(told in message for message in messages), messages
    assert all(message.isprintable() for message in messages)


def test_any_byte_of_an_ssh_signature(frozen_bank: Path, keys: Path) -> None:
    data = statement(frozen_bank).read_bytes()
    mine = load_public_key(keys / "mine.pub")
    text = ssh_signature(data, load_signer(keys / "mine.ssh", no_passphrase))
    blob = base64.b64decode(b"".join(text.splitlines()[1:-1]))
    for index in range(len(blob)):
        for bit in (1, 128):
            changed = blob[:index] + bytes([blob[index] ^ bit]) + blob[index + 1 :]
            armoured = b"-----BEGIN SSH SIGNATURE-----\n%b\n-----END SSH SIGNATURE-----\n" % base64.b64encode(changed)
            try:
                key, holds = ssh_signer(armoured, data)
            except NoSignature:
                continue
            assert not (holds and key == mine), index
    assert ssh_signer(text, data) == (mine, True)


def test_missing_and_foreign_signatures(frozen_bank: Path, keys: Path) -> None:
    (message,) = found(frozen_bank, keys)
    assert message.startswith("is not signed by SHA256:")
    assert message.endswith("there is no signature")
    signed(frozen_bank, keys, "theirs")
    (message,) = found(frozen_bank, keys)
    assert load_public_key(keys / "theirs.pub").fingerprint in message
    # A signature of another version under this one's name.
    for path in signature_paths(frozen_bank / "freeze", VERSION):
        path.rename(path.with_name(path.name.replace(VERSION, "0.0.9")))
    assert len(found(frozen_bank, keys, "theirs")) == 1


def test_a_version_that_is_not_whole_is_not_signed(frozen_bank: Path, keys: Path) -> None:
    path = frozen_bank / "freeze" / f"{VERSION}.records.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Veldrassow", b"Veldrassov"))
    with pytest.raises(Findings):
        signed(frozen_bank, keys)
    assert not any(file.exists() for file in signature_paths(frozen_bank / "freeze", VERSION))


@pytest.mark.parametrize("which", [0, 1])
def test_a_strange_file_in_its_place_is_not_overwritten(frozen_bank: Path, keys: Path, which: int) -> None:
    path = signature_paths(frozen_bank / "freeze", VERSION)[which]
    path.write_bytes(b"notes")
    with pytest.raises(UsageProblem, match="is no"):
        signed(frozen_bank, keys)
    assert path.read_bytes() == b"notes"
    assert not signature_paths(frozen_bank / "freeze", VERSION)[1 - which].exists()


def test_keys_that_cannot_be_used(keys: Path) -> None:
    curve = generate_private_key(SECP256R1())
    (keys / "curve").write_bytes(curve.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    (keys / "curve.pub").write_bytes(curve.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    (keys / "empty").write_bytes(b"")
    (keys / "large").write_bytes(b"x" * 100_000)
    secret = (keys / "mine.ssh").read_bytes()
    (keys / "damaged").write_bytes(secret.replace(secret.splitlines()[2], b"A" * 70))
    cases = [
        ("curve", "is no Ed25519 key"),
        ("empty", "is no private key"),
        ("large", "is larger than"),
        ("damaged", "cannot be opened: it is damaged, or the passphrase is another"),
        ("mine.pub", "is no private key"),
        ("nothing", "cannot be read: No such file"),
        (".", "is no file"),
    ]
    for name, told in cases:
        with pytest.raises(UsageProblem, match=told):
            load_signer(keys / name, no_passphrase)
    for name in ("ssh-locked", "pem-locked"):
        for wrong in (b"wrong", b""):
            with pytest.raises(UsageProblem, match="cannot be opened"):
                load_signer(keys / f"mine.{name}", lambda wrong=wrong: wrong)  # type: ignore[misc]
    public = [
        ("curve.pub", "is no Ed25519 key"),
        ("empty", "is no public key"),
        ("large", "is larger than"),
        ("mine.ssh", "is a private key"),
        ("mine.pem-locked", "is a private key"),
        ("nothing", "cannot be read: No such file"),
    ]
    for name, told in public:
        with pytest.raises(UsageProblem, match=told):
            load_public_key(keys / name)


def divisionbell(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return forked.run(*arguments, env={**os.environ, **variables})


def test_the_verbs(copied_bank: Path, keys: Path) -> None:
    key = str(keys / "mine.ssh-locked")
    done = divisionbell("freeze", VERSION, "--sign", key)
    assert done.returncode == 2
    assert "set DIVISIONBELL_KEY_PASSPHRASE, or sign at a terminal" in done.stderr
    assert not (copied_bank / "freeze").exists()  # the key comes first
    done = divisionbell("freeze", VERSION, "--sign", key, DIVISIONBELL_KEY_PASSPHRASE="wrong")
    assert done.returncode == 2
    assert not (copied_bank / "freeze").exists()
    done = divisionbell("freeze", VERSION, "--sign", key, DIVISIONBELL_KEY_PASSPHRASE=PASSPHRASE.decode())
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote ") == 4
    assert divisionbell("verify", VERSION, "--key", str(keys / "mine.pub")).returncode == 0
    assert divisionbell("verify", VERSION, "--key", str(keys / "theirs.pub")).returncode == 1
    told = json.loads(divisionbell("verify", "--key", str(keys / "mine.pub"), "--format", "json").stdout)
    assert told["key"] == load_public_key(keys / "mine.pub").fingerprint
    assert len(told["versions"][0]["signed"]) == 2
    assert divisionbell("freeze", VERSION, "--sign", str(keys / "theirs.pem")).returncode == 0
    assert divisionbell("verify", VERSION, "--key", str(keys / "theirs.pub")).returncode == 0
    assert divisionbell("freeze", VERSION).returncode == 2
    assert divisionbell("freeze", "9.9.9", "--sign", str(keys / "mine.ssh")).returncode == 2


def test_nothing_of_a_private_key_is_ever_said(
    copied_bank: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets = {PASSPHRASE.decode(), bytes(range(32)).hex(), base64.b64encode(bytes(range(32))).decode()[:20]}
    for file in keys.iterdir():
        if "pub" not in file.name:
            secrets |= {line for line in file.read_text().splitlines() if not line.startswith("-")}
    damaged = keys / "damaged"
    damaged.write_bytes((keys / "mine.ssh").read_bytes().replace(b"AAAA", b"AAAB", 2))
    files = [*keys.iterdir(), copied_bank / "bank.yaml"]
    for file in files:
        for arguments in (("freeze", VERSION, "--sign", str(file)), ("verify", "--key", str(file))):
            for passphrase in (PASSPHRASE.decode(), "wrong"):
                monkeypatch.setenv("DIVISIONBELL_KEY_PASSPHRASE", passphrase)
                monkeypatch.setattr(sys, "argv", ["divisionbell", *arguments])
                with pytest.raises(SystemExit) as ended:
                    main()
                assert ended.value.code in {0, 1, 2}
                said = "".join(capsys.readouterr())
                assert not any(secret in said for secret in secrets if len(secret) > 3)
    for file in copied_bank.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            assert not any(secret.encode() in data for secret in secrets if len(secret) > 10)
    assert "Signer" in repr(load_signer(keys / "mine.ssh", no_passphrase))
    assert bytes(range(32)).hex() not in repr(vars(load_signer(keys / "mine.ssh", no_passphrase)))


def test_without_the_library_it_says_what_to_install(frozen_bank: Path, keys: Path) -> None:
    code = """
import sys
sys.modules["cryptography"] = None
sys.argv = ["divisionbell", *sys.argv[1:]]
from divisionbell.__main__ import main
main()
"""
    for arguments in (
        ("freeze", VERSION, "--sign", str(keys / "mine.ssh")),
        ("verify", "--key", str(keys / "mine.pub")),
        ("verify",),
    ):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        if arguments == ("verify",):
            assert done.returncode == 0, done.stderr
        else:
            assert done.returncode == 2
            assert "pip install 'divisionbell[signing]'" in done.stderr
    assert keys_module.KEY_TYPE == b"ssh-ed25519"


def test_a_changed_statement_is_told_as_that_with_a_key_or_without(frozen_bank: Path, keys: Path) -> None:
    """The signatures are good: it is the statement that is not what was signed."""
    signed(frozen_bank, keys)
    edit_statement(frozen_bank)
    for key in (None, load_public_key(keys / "mine.pub")):
        (finding,) = verify(load(frozen_bank), VERSION, key).all_findings
        assert finding.location.path.endswith(f"{VERSION}.json")
        assert finding.message.startswith("is not the statement that was signed: predicate.frozen_at is 2026-01-02T04")
        assert finding.related[0].location.path.endswith(f"{VERSION}.intoto.jsonl")
        assert "sign nothing" in finding.fix

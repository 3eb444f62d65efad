"""divisionbell freeze"""

from __future__ import annotations

from pathlib import Path

import click

from divisionbell.bank.load import Bank, find_bank, load
from divisionbell.cli.options import bank_option, ches_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import Findings, shown_path
from divisionbell.validate.engine import ValidBank, closing_line, validate


@click.command("freeze", short_help="Write the working bank out as a frozen version.")
@click.argument("version")
@click.option(
    "--sign",
    "key",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="KEY",
    help="Sign the statement with this Ed25519 private key (OpenSSH or PEM); also for a version frozen before.",
)
@bank_option
@ches_option
def command(version: str, key: Path | None, bank_folder: str | None, ches: Path | None) -> None:
    """Write the working bank out as frozen VERSION: freeze/VERSION.records.jsonl and freeze/VERSION.json.

    The bank must be valid and bank.yaml must name VERSION. No other file is changed. A frozen version never changes:
    later changes need a new version. A freeze that was killed half way is finished by the same command.

    With --sign two more files are written, and for a version that is frozen already only those: VERSION.intoto.jsonl
    (a DSSE envelope) and VERSION.json.sig (an SSH signature). The passphrase of a key is taken from
    DIVISIONBELL_KEY_PASSPHRASE, else asked for.
    """
    bank = load(find_bank(bank_folder))
    if key is None:
        _freeze(bank, version, ches)
        return
    from divisionbell.cli.signing import signing_key
    from divisionbell.freeze.sign import sign
    from divisionbell.freeze.signature_files import is_frozen

    signer = signing_key(key)  # before anything is written
    if not is_frozen(bank.freeze_folder, version):
        _freeze(bank, version, ches)
    for line in sign(bank.freeze_folder, version, signer):
        say(line)


def _freeze(bank: Bank, version: str, ches: Path | None) -> None:
    from divisionbell.freeze.freeze import freeze, interrupted_freeze_set_aside, must_be_new

    must_be_new(bank.freeze_folder, version, finishing=True)
    with interrupted_freeze_set_aside(bank, version) as interrupted:
        valid = validate(bank, ches)
        if not isinstance(valid, ValidBank):
            must_be_new(bank.freeze_folder, version, finishing=True)  # its files may have appeared while it validated
            raise Findings(f"nothing was frozen: {closing_line(valid)}", valid.diagnostics, "mend the findings first")
        written = freeze(valid, version)
    if interrupted:
        say(f"an interrupted freeze of {version} was finished")
    for path in written:
        say(f"wrote {shown_path(path)}")

"""divisionbell mirror"""

from __future__ import annotations

from datetime import date

import click

from divisionbell.bank.load import find_bank, item_ids, load
from divisionbell.cli.options import bank_option
from divisionbell.cli.stdout import say
from divisionbell.diagnostics import UsageProblem


@click.command("mirror", short_help="Scaffold the mirror of an item.")
@click.argument("item")
@click.option("--agent", help="The agent who writes it; otherwise the one who wrote the original.")
@bank_option
def command(item: str, agent: str | None, bank_folder: str | None) -> None:
    """Scaffold the mirror of ITEM (its id): a new random id, the key and the status quo reversed, the texts left empty.

    The mirror tells the same contrast from the other side in other words; both reviews then list it as covered.
    """
    from divisionbell.author.propose_mirror import propose
    from divisionbell.author.write_back import as_read, rewrite_checked
    from divisionbell.validate.shape import validator

    bank = load(find_bank(bank_folder))
    if bank.settings.problems or not validator("Bank").is_valid(bank.settings.value):
        raise UsageProblem(f"{bank.settings.shown} does not fit the schema", "divisionbell validate says why")
    taken = item_ids(bank)
    for document in bank.dossiers:
        if document.problems or not validator("Dossier").is_valid(document.value):
            continue
        for entry in document.value["items"]:
            if entry["item_id"] == item:
                as_read(document)
                writer = agent or entry["transformation"]["made_by"]
                seed = bank.settings.value["response_seed"]
                text, made = propose(document, item, seed, taken, writer, date.today())
                rewrite_checked(document, text)
                say(f"added {made} to {document.shown}; write its texts, then: divisionbell hash")
                return
    if item in taken:
        raise UsageProblem(f"the dossier of {item} does not fit the schema", "divisionbell validate says why")
    raise UsageProblem(f"there is no item {item}", "name an item by its id, for example q4k7m2xa")

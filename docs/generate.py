"""Write the generated pages: rules.md from the rules, reference/cli.md from the help, the counts of the data card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import data_card

from divisionbell.cli import VERBS, root
from divisionbell.validate.rules import RULES

HERE = Path(__file__).resolve().parent


def rules() -> str:
    """One section a rule."""
    lines = [
        "# Rules",
        "",
        "Generated from the table in `src/divisionbell/validate/rules/` by `make docs`. Every finding is an error;",
        "`divisionbell explain ID` prints the same. An example of each, with the exact words, lies in `tests/rules/`.",
    ]
    for rule in RULES:
        lines += ["", f"## {rule.id}: {rule.name}", "", rule.protects, "", f"How to mend it: {rule.fix}."]
    return "\n".join(lines) + "\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every verb, and the verbs below it."""
    context = click.Context(root)
    for name in VERBS:
        command = root.get_command(context, name)
        if command is None:
            raise LookupError(name)
        yield name, command
        if isinstance(command, click.Group):
            for below, inner in command.commands.items():
                yield f"{name} {below}", inner


def cli() -> str:
    """The help of every verb."""
    lines = ["# The command line", "", "Generated from the commands' own help by `make docs`."]
    for name, command in commands():
        context = click.Context(command, info_name=f"divisionbell {name}", terminal_width=100, max_content_width=100)
        lines += ["", f"## divisionbell {name}", "", "```", command.get_help(context), "```"]
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n")) + "\n"


def main() -> None:
    (HERE / "rules.md").write_text(rules(), encoding="utf-8", newline="\n")
    (HERE / "reference" / "cli.md").write_text(cli(), encoding="utf-8", newline="\n")
    print("wrote docs/rules.md and docs/reference/cli.md")
    data_card.main()


if __name__ == "__main__":
    main()

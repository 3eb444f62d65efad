"""The command line: a group that imports a verb only when it is called. Each verb has a file of its own."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# verb -> (module, one line for --help). A test holds each line to the verb's own help.
VERBS: dict[str, tuple[str, str]] = {
    "validate": ("validate", "Check a bank: shape, reviews, keys, mirrors, hashes, freeze."),
    "explain": ("explain", "Say what a rule protects and how to mend what it finds."),
    "freeze": ("freeze", "Write the working bank out as a frozen version."),
    "verify": ("verify", "Check that frozen versions are what they were."),
    "diff": ("diff", "Say what changed between two versions of the bank."),
    "run": ("run", "Ask a respondent the items of a frozen bank, in both orders."),
    "models": ("models", "Say which respondents are usable here, and why not."),
    "merge": ("merge", "Put shards, or parts of a run, together."),
    "batch": ("batch", "Ask by a provider's batch files: write them, read their results."),
    "runs": ("runs", "List, show, check and register runs."),
    "score": ("score", "Compute every estimate of a run from its stored replies."),
    "compare": ("compare", "Test the differences between the respondents of two or more runs."),
    "trace": ("trace", "Walk from a figure to its replies, items, reviews and divisions."),
    "report": ("report", "Write one self-contained page for one or more runs."),
    "selftest": ("selftest", "Make the certificates: arithmetic and wording, or planted models."),
    "power": ("power", "Say how many families and repeats find a given difference."),
    "parties": ("parties", "Audit the keys with the parties' real votes."),
    "parse": ("parse", "Read replies strictly, JSON lines in and out."),
    "export": ("export", "Write the bank or runs in other formats, or for other harnesses."),
    "new": ("new", "Scaffold a dossier from the figures of a division."),
    "mirror": ("mirror", "Scaffold the mirror of an item."),
    "hash": ("hash", "Fill in the digests that the bank's records must carry."),
    "fmt": ("fmt", "Rewrite bank files in their canonical form."),
    "review": ("review", "Compute cross-checks, and gather blind codings."),
}


class LazyGroup(click.Group):
    """Lists verbs from the table above and imports the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"divisionbell.cli.{VERBS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is asked for; where there is none, the error names the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Verbs from the table, so that a press of the Tab key imports none of them; then the group's own options."""
        from click.shell_completion import CompletionItem

        verbs = [CompletionItem(name, help=line) for name, (_, line) in VERBS.items() if name.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in VERBS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="divisionbell", prog_name="divisionbell")
def root() -> None:
    """Division Bell: a frozen bank of forced-choice items, and the tools around it.

    \b
    A first look:
      divisionbell validate                    check the bank in this folder
      divisionbell run scripted:always-a       ask a scripted respondent
      divisionbell score runs/…                every estimate by name
      divisionbell report runs/… --out r.html  a page to read

    Exit codes: 0 clean or complete, 1 findings or incomplete, 2 wrong usage or no bank, 3 a fault of this program,
    130 interrupted.
    """

"""The help of a group says what each verb below it does, in a whole line."""

from __future__ import annotations

import click
import pytest

from divisionbell.cli import VERBS, root

GROUPS = [name for name in VERBS if isinstance(root.get_command(click.Context(root), name), click.Group)]
WIDTH = 80


def test_the_groups_are_known() -> None:
    assert GROUPS == ["batch", "runs", "export", "review"]


@pytest.mark.parametrize("name", GROUPS)
def test_each_verb_of_a_group_has_one_whole_line(name: str) -> None:
    group = root.get_command(click.Context(root), name)
    assert isinstance(group, click.Group)
    context = click.Context(group, info_name=f"divisionbell {name}", terminal_width=WIDTH, max_content_width=WIDTH)
    shown = group.get_help(context).partition("Commands:\n")[2].splitlines()
    assert len(shown) == len(group.commands)
    for line, (verb, command) in zip(shown, sorted(group.commands.items()), strict=True):
        assert line.split(maxsplit=1) == [verb, command.short_help]
        assert line.endswith(".") and not line.endswith("..")

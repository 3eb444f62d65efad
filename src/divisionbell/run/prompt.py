"""The prompt as a model sees it: one template and one system message for all items and all respondents."""

from __future__ import annotations

import re
from typing import Literal

from divisionbell.freeze.frozen_bank import Asked, FrozenBank
from divisionbell.run.respondents.respondent import Message

Order = Literal["negative_at_a", "positive_at_a"]
ORDERS: tuple[Order, Order] = ("negative_at_a", "positive_at_a")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SLOT = re.compile(r"\{(stem|option_a|option_b|item_id)\}")


def stored_order(asked: Asked) -> Order:
    """The stored order of an item, by the pole that stands at A in it."""
    return "negative_at_a" if asked.pole_at_a == "negative" else "positive_at_a"


def first_turns(bank: FrozenBank, asked: Asked, order: Order) -> tuple[Message, ...]:
    """System message and prompt of one item in one order; slots are filled in one pass: no text fills another."""
    at_a, at_b = ("negative", "positive") if order == "negative_at_a" else ("positive", "negative")
    return turns_of(bank, asked.item.stem, asked.text(at_a), asked.text(at_b), asked.item.item_id)


def turns_of(bank: FrozenBank, stem: str, option_a: str, option_b: str, item_id: str) -> tuple[Message, ...]:
    """System message and prompt around any texts, as the template has them."""
    filled = {"stem": stem, "option_a": option_a, "option_b": option_b, "item_id": item_id}
    prompt = _SLOT.sub(lambda found: filled[found.group(1)], bank.settings.prompt_template)
    return Message("system", bank.settings.system_message), Message("user", prompt)


def retry_turns(bank: FrozenBank, turns: tuple[Message, ...], reply: str | None) -> tuple[Message, ...]:
    """The same conversation with the malformed reply and the one reminder as a further turn.

    A lone surrogate has no UTF-8, and servers refuse it: in the conversation the replacement character stands for it.
    """
    said = _LONE_SURROGATE.sub("\ufffd", reply or "")
    return (*turns, Message("assistant", said), Message("user", bank.settings.reminder))

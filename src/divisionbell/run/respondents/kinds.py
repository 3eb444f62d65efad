"""Every kind of respondent and every plug-in: can it be used here, or why not and what to do."""

from __future__ import annotations

import asyncio
import importlib.util
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.respondents import anthropic, llm_bridge, openai, plugins
from divisionbell.run.respondents.api_key import read_key
from divisionbell.run.respondents.base_url import checked_base_url
from divisionbell.run.respondents.choose import BUILT_IN
from divisionbell.run.respondents.embedded import INSTALL, RUNTIME_PACKAGE, weights_path
from divisionbell.run.respondents.respondent import RespondentRefused
from divisionbell.run.respondents.scripted import SCRIPTS
from divisionbell.run.respondents.served_models import Served, served_models

# Anthropic lists 20 models a page where nothing is said, and 1,000 at most.
LONGEST_PAGE = "?limit=1000"


@dataclass(frozen=True)
class Kind:
    """One row: how it is typed, whether it can be used, what is to be said of it, what to do, and what can stand for
    the part in capitals."""

    name: str
    usable: bool
    says: str
    fix: str = ""
    choices: tuple[str, ...] = ()


def kinds(bank: FrozenBank | None, base_url: str | None, key_file: Path | None) -> list[Kind]:
    """All rows. Asks the servers that can be asked, at the same time. No key stands in any of it.

    Raises RespondentRefused where the address or the key file cannot be used.
    """
    openai_key = read_key(key_file, openai.KEY_VARIABLE)
    anthropic_key = read_key(None, anthropic.KEY_VARIABLE)
    root = checked_base_url(base_url or openai.DEFAULT_BASE_URL)

    async def asked() -> list[Kind]:
        found = await asyncio.gather(
            _completions(root, openai_key, given=base_url is not None), _messages(anthropic_key)
        )
        return list(found)

    return [
        *asyncio.run(asked()),
        _embedded(),
        *map(_plugin, plugins.found_plugins()),
        Kind("scripted:NAME", True, "answers by a rule, in this process", choices=tuple(SCRIPTS)),
        _party(bank),
        _llm(),  # last: its list is long
    ]


def _party(bank: FrozenBank | None) -> Kind:
    if bank is None:
        return Kind("party:NAME", False, "there is no frozen bank here to take votes from", "name one with --bank")
    parties = sorted({row.party for dossier in bank.dossiers for row in dossier.source.party_counts})
    return Kind("party:NAME", True, f"answers by its votes in bank {bank.version}", choices=tuple(parties))


def _embedded() -> Kind:
    if importlib.util.find_spec(RUNTIME_PACKAGE) is None:
        return Kind("embedded", False, f"the package {RUNTIME_PACKAGE} is missing", INSTALL)
    try:
        weights = weights_path()
    except RespondentRefused:
        return Kind("embedded", False, "the weights (98 MB) are missing", INSTALL)
    return Kind("embedded", True, f"constrained decoding, in this process; the weights are there ({weights.name})")


async def _completions(root: str, key: str | None, *, given: bool) -> Kind:
    if key is None and not given:
        fix = f"set {openai.KEY_VARIABLE}, or name a server with --base-url"
        return Kind("openai:MODEL", False, "there is no key", fix)
    served = await served_models(root, {"Authorization": f"Bearer {key}"} if key else {}, key)
    fix = "check the address, that the server runs, and the key" if given else "check the network and the key"
    return _server("openai:MODEL", root, served, fix)


async def _messages(key: str | None) -> Kind:
    if key is None:
        return Kind("anthropic:MODEL", False, "there is no key", f"set {anthropic.KEY_VARIABLE}")
    root = anthropic.messages_root(anthropic.DEFAULT_BASE_URL)
    served = await served_models(root, anthropic.headers(key), key, LONGEST_PAGE)
    return _server("anthropic:MODEL", root, served, "check the network and the key")


def _server(name: str, root: str, served: Served, fix: str) -> Kind:
    if served.problem is not None:
        return Kind(name, False, f"{root}: {served.problem}", fix)
    many = f"{len(served.names)} model{'' if len(served.names) == 1 else 's'}"
    return Kind(name, True, f"{root} lists {many}", choices=served.names)


def _llm() -> Kind:
    try:
        names = llm_bridge.model_names()
    except RespondentRefused as refused:
        return Kind("llm:MODEL", False, refused.message, refused.fix)
    return Kind(
        "llm:MODEL", True, "models of the llm package and its plugins; their keys are not checked", choices=names
    )


def _plugin(point: EntryPoint) -> Kind:
    package = plugins.package_of(point)
    if point.name in BUILT_IN:
        return Kind(
            point.name, False, f"{package} takes a name that is built in; the built-in one holds", "rename the plug-in"
        )
    if sum(other.name == point.name for other in plugins.found_plugins()) > 1:
        return Kind(point.name, False, f"{package} is not alone in registering this name", "uninstall all but one")
    try:
        plugins.load(point)
    except RespondentRefused as refused:
        return Kind(point.name, False, refused.message, refused.fix)
    return Kind(point.name, True, f"plug-in of {package}")

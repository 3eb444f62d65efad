"""Respondents of other packages: found by entry point, loaded when asked for, and held to the protocol."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from divisionbell.diagnostics import DivisionBellError
from divisionbell.run.respondents.http_reply import one_line
from divisionbell.run.respondents.plugin import GROUP, Wanted
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent, RespondentRefused, RespondentStopped
from divisionbell.run.respondents.sound_reply import unsound


def found_plugins() -> list[EntryPoint]:
    """Every entry point of the group, by name; nothing is loaded."""
    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))


def package_of(point: EntryPoint) -> str:
    """The package that registered an entry point, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def plugged_in(wanted: Wanted, kinds: str) -> Respondent:
    """The respondent that a plug-in makes. Raises RespondentRefused where there is none or it is broken."""
    points = {point.value: point for point in found_plugins() if point.name == wanted.kind}
    if not points:
        raise RespondentRefused(
            f"there is no respondent {wanted.typed}", f"the respondents are: {kinds}; `divisionbell models` lists them"
        )
    if len(points) > 1:
        raise RespondentRefused(
            f"{wanted.kind} is registered by {' and by '.join(map(package_of, points.values()))}",
            "uninstall all but one",
        )
    (point,) = points.values()
    factory = load(point)
    try:
        made = factory(wanted)
    except DivisionBellError:
        raise
    except (Exception, SystemExit) as error:
        raise _broken(point, "failed", error) from None
    respondent = PluggedIn(wanted.typed, made, point)
    for name in wanted.sampling.given():
        if name != "reasoning_tags" and name not in respondent.settings:
            raise RespondentRefused(
                f"--{name.replace('_', '-')} does not go with {wanted.typed}: it is not among the plug-in's settings",
                "leave it out",
            )
    return respondent


def load(point: EntryPoint) -> Any:
    """The factory behind an entry point. Raises RespondentRefused where it cannot be imported or called."""
    try:
        factory = point.load()
    except (Exception, SystemExit) as error:
        raise _broken(point, "cannot be loaded", error) from None
    if not callable(factory):
        raise RespondentRefused(f"the plug-in {package_of(point)} is broken: {point.value} cannot be called")
    return factory


def _broken(point: EntryPoint, what: str, error: BaseException) -> RespondentRefused:
    why = one_line(_told(error), None)
    return RespondentRefused(
        f"the plug-in {package_of(point)} {what}: {why}",
        "this is a fault of that package: report it there, or remove it",
    )


def _told(error: BaseException) -> str:
    """What was raised, and where: its author is the one who reads it."""
    place, trace = "", error.__traceback__
    while trace is not None:
        place = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"  # noqa: PTH119
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"


def _tags(tags: Any) -> tuple[str, str] | None:
    """Raises TypeError where they are neither None nor two texts with something in them."""
    if tags is None:
        return None
    if (
        not isinstance(tags, tuple | list)
        or len(tags) != 2
        or not all(type(tag) is str and tag.strip() for tag in tags)
    ):
        raise TypeError("reasoning_tags is neither None nor two texts")
    return tags[0], tags[1]


class PluggedIn(Respondent):
    """A plug-in's respondent under the name that was typed, with package and version among its settings.

    It is asked every item. What it raises while asked ends the run with a line that names the package.
    """

    def __init__(self, typed: str, made: Any, point: EntryPoint) -> None:
        """Read its members once. Raises RespondentRefused where one does not hold to the protocol."""
        self._typed, self._made, self._point = typed, made, point
        try:
            # As they will be read from the run's header: a tuple is a list there.
            settings = json.loads(json.dumps(dict(made.settings), allow_nan=False))
            self._tags = _tags(getattr(made, "reasoning_tags", None))
            self._constrained = bool(getattr(made, "constrained", False))
            self._concurrency = max(1, int(getattr(made, "max_concurrency", 1)))
            self._remote = bool(getattr(made, "remote", False))
            if not inspect.iscoroutinefunction(made.answer):
                raise TypeError("answer is no coroutine function")
        except Exception as error:
            raise _broken(point, "is no respondent", error) from None
        dist = point.dist
        plugin = {"package": dist.name, "version": dist.version} if dist is not None else {"package": point.value}
        self._settings = {**settings, "plugin": plugin}

    @property
    def name(self) -> str:
        """As typed on the command line."""
        return self._typed

    @property
    def settings(self) -> Mapping[str, object]:
        """The plug-in's own, with the package and its version as `plugin`."""
        return self._settings

    @property
    def constrained(self) -> bool:
        """As the plug-in says; False where it does not."""
        return self._constrained

    @property
    def reasoning_tags(self) -> tuple[str, str] | None:
        """As the plug-in says; None where it does not."""
        return self._tags

    @property
    def max_concurrency(self) -> int:
        """As the plug-in says; 1 where it does not."""
        return self._concurrency

    @property
    def remote(self) -> bool:
        """As the plug-in says; False where it does not."""
        return self._remote

    async def answer(self, ask: Ask) -> Reply:
        """The plug-in's reply. Raises RespondentStopped where it raises anything, or gives back what is no reply."""
        try:
            reply: Reply = await self._made.answer(ask)
        except DivisionBellError:
            raise
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise self._stopped(_told(error)) from None
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # what asks to end the program is no reason to leave a run without a word
            raise self._stopped(_told(error)) from None
        why = unsound(reply)
        if why is not None:
            raise self._stopped(why)
        return reply

    def _stopped(self, why: str) -> RespondentStopped:
        return RespondentStopped(
            f"{self._typed}: the plug-in {package_of(self._point)} failed: {one_line(why, None)}",
            "this is a fault of that package: report it there",
        )

    async def close(self) -> None:
        """Close the plug-in's respondent, where it can be closed."""
        close = getattr(self._made, "close", None)
        if close is not None:
            try:
                await close()
            except (Exception, SystemExit) as error:
                raise self._stopped(_told(error)) from None


def _is_cancelled() -> bool:
    """Whether it is this program that ends the asking, and not the package that raises as if it did."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0

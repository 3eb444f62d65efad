"""Reading one HTTP reply: can it be used, is it worth another try, or does it end the run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, NoReturn

import orjson

from divisionbell.run.respondents.respondent import RespondentStopped

# Statuses on which every further call would fail the same way.
HOPELESS = {
    401: "the key is missing or refused",
    402: "no credit is left",
    403: "the key may not be used for this",
    404: "there is no such model or address",
}
FIXES = {
    401: "check the key: the variable it is taken from, or the file of --key-file",
    402: "see to the account",
    403: "check the key: the variable it is taken from, or the file of --key-file",
    404: "check the name, which `divisionbell models --base-url URL` lists, and the address, which mostly ends in /v1",
}
PASSING = {408, 409, 425, 429}  # worth another try, like every 5xx
OVERLOAD = {429, 503, 529}  # less at once would have come through
LONGEST_MESSAGE = 200  # characters of a server's own words that are repeated
SHORTEST_SECRET = 4  # characters; shorter keys are placeholders, and hiding them would garble every message


@dataclass(frozen=True)
class Received:
    """A complete reply that can be judged: the HTTP status (200, 400 or 422) and the parsed JSON.

    `body` is None where a refusal (400, 422) is not JSON. `summary` is one line about it, safe for messages.
    """

    status: int
    body: object
    summary: str


Again = Literal["never", "at once", "few times", "few times or stop", "within budget"]


@dataclass(frozen=True)
class Fault:
    """Why an attempt counts for nothing, and whether another one may help.

    "few times or stop" is for a server that was never reached: after a few attempts the whole run stops.
    `wait_seconds` is what the server asked for; `shared` makes every worker pause, not only this one; `overload` lowers
    the number of requests in flight.
    """

    text: str
    again: Again
    wait_seconds: float | None = None
    shared: bool = False
    overload: bool = False


def one_line(text: str, secret: str | None) -> str:
    """One printable line of bounded length with the secret blotted out: safe for messages and logs."""
    if secret and len(secret) >= SHORTEST_SECRET:
        text = text.replace(secret, "[key]")
    text = " ".join("".join(c if c.isprintable() else " " for c in text[: 10 * LONGEST_MESSAGE]).split())
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"


def server_message(body: object) -> str:
    """A server's own account of an error, from the usual places; empty where there is none."""
    while isinstance(body, Mapping):
        body = next((body[key] for key in ("error", "message", "detail") if body.get(key)), "")
    return body if isinstance(body, str) else ""


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The wait that Retry-After asks for, in seconds; None where it is absent or garbage, 0 where the date is past.

    A date is read against the server's own clock where the reply carries one.
    """
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", value):
        return float(value)
    until = _http_date(value)
    if until is None:
        return None
    now = _http_date(headers.get("Date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _http_date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def parsed(raw: bytes) -> object:
    """The JSON in a body; None where it is none. A lone surrogate, which a model can be cut to, is kept as it came."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_no_json)
    except (ValueError, RecursionError):
        return None


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def sort(status: int, headers: Mapping[str, str], raw: bytes, label: str, secret: str | None) -> Received | Fault:
    """Tell by its status what a reply is worth; `label` begins the stop messages.

    Raises RespondentStopped on 401, 402, 403, 404, on a redirect, and on a 429 that says the quota is used up.
    """
    body = parsed(raw)
    said = one_line(server_message(body) if body is not None else raw.decode("utf-8", "replace"), secret)
    summary = f"HTTP {status}" + (f": {said}" if said else "")
    hopeless, fix = HOPELESS.get(status), FIXES.get(status, "")
    if 300 <= status < 400:
        hopeless, said = "the address redirects, and redirects are not followed", ""
        fix = "name the address that it leads to, if you trust it"
    elif status == 429 and b'"insufficient_quota"' in raw:
        hopeless, fix = HOPELESS[402], FIXES[402]
    if hopeless:
        raise RespondentStopped(f"{label}: HTTP {status}, {hopeless}" + (f" ({said})" if said else ""), fix)
    if status in PASSING or status >= 500:
        wait = retry_after_seconds(headers)
        told = wait is not None
        return Fault(summary, "within budget", wait, shared=status == 429 or told, overload=status in OVERLOAD or told)
    if status == 200 and body is None:
        return Fault("the reply is not JSON in UTF-8", "few times")
    if status in (200, 400, 422):
        return Received(status, body, summary)
    return Fault(summary, "never")

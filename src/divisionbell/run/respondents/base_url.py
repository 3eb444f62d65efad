"""The address of a server, as it may stand in a run header."""

from __future__ import annotations

from urllib.parse import urlsplit

from divisionbell.run.respondents.respondent import RespondentRefused


def checked_base_url(base_url: str) -> str:
    """The address without a trailing slash. It goes into the run header, so it may carry no secret.

    Raises RespondentRefused unless it is http or https with a host, and without user, password, query or fragment.
    """
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not 0x21 <= ord(character) <= 0x7E for character in base_url):
        raise RespondentRefused("the base URL must be http://host/path or https://host/path")
    if parts.username is not None or parts.query or parts.fragment or base_url.endswith(("?", "#")):
        raise RespondentRefused("the base URL may hold no user, password, query or fragment: it goes into the run")
    return base_url.rstrip("/")

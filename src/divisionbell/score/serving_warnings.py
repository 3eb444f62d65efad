"""What must be said where a server did not serve, from first to last, what it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SHOWN = 5  # values of one kind


def serving_warnings(header: Mapping[str, Any], serving: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Sentences about names and fingerprints that changed, another name than that asked for, and parameters refused."""
    made = []
    for slot, what in (("served_model", "model names"), ("fingerprint", "serving fingerprints")):
        seen = serving[slot]
        if len(seen) > 1:
            made.append(
                f"Warning: the server gave {len(seen)} {what} within this run ({_some(seen)}): it is not certain "
                "that one model gave all answers."
            )
    asked, names = header["settings"].get("model"), serving["served_model"]
    if isinstance(asked, str) and len(names) == 1 and names[0] != asked:
        made.append(f"Warning: the model asked for is {asked}, and the server says that {names[0]} answered.")
    if serving["dropped_parameters"]:
        made.append(
            f"The server refuses {_some(serving['dropped_parameters'])}: there the provider's default held, whatever "
            "the settings say."
        )
    return made


def _some(values: tuple[str, ...]) -> str:
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return ", ".join(values[:SHOWN]) + more

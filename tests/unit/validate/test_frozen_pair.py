"""What is told of the lines of a record file beside a statement: every one, at its place, in one way through them."""

from __future__ import annotations

import json

from divisionbell.bank.canonical import sha256_hex
from divisionbell.validate.frozen_pair import _changed_records


def line(number: int) -> bytes:
    return json.dumps({"id": f"commons-{number:06}", "kind": "dossier", "value": {}}, separators=(",", ":")).encode()


def told(stated: dict[tuple[str, str], str], lines: list[bytes]) -> list[tuple[int, str]]:
    return list(_changed_records(stated, b"".join(one + b"\n" for one in lines)))


def test_as_many_as_a_file_may_hold() -> None:
    """Sixty thousand wrong digests, then more records missing: whoever compares each with all takes minutes."""
    count = 60_000
    lines = [line(number) for number in range(count)]
    wrong = told({("dossier", f"commons-{number:06}"): "0" * 64 for number in range(count)}, lines)
    assert [place for place, _ in wrong] == list(range(1, count + 1))
    assert all("is not the record that was frozen" in message for _, message in wrong)
    stated = {("dossier", f"commons-{number:06}"): sha256_hex(line(number)) for number in range(2 * count)}
    missing = told(stated, lines[::2])
    assert len(missing) == count // 2 - 1
    assert missing[0] == (2, "missing of what was frozen: dossier commons-000001")
    assert missing[-1][0] == count // 2
    assert "dossier commons-059997, dossier commons-059999, dossier commons-060000 and 59999 more" in missing[-1][1]


def test_where_a_missing_record_stood_and_what_stands_out_of_order() -> None:
    stated = {("dossier", f"commons-{number:06}"): sha256_hex(line(number)) for number in range(6)}
    assert told(stated, [line(number) for number in (0, 3, 1, 4, 5)]) == [
        (3, "dossier commons-000001 stands out of its order"),
        (3, "missing of what was frozen: dossier commons-000002"),
    ]

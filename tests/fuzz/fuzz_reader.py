"""A fuzzer over the reader and the rules: python tests/fuzz/fuzz_reader.py -max_total_time=600 [CORPUS…]

It needs atheris (the extra `fuzz`) and takes the options of libFuzzer. With --reading first it reads alone, fifty times
as fast: any bytes, whose findings must stand at places that exist. Else an input picks the way: a text that both ways
of reading must agree on; or a file of a small bank whose bytes, tokens or structure are spoiled, after which a check
must end with findings and nothing else. An input that does not is written to ./crash-…; run this with its name to see
the traceback, mend the kind of fault, and keep the change in test_fuzz_bank.py.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import atheris

# The folder is left for a temporary one, so that paths are short; what is found is written where this was started.
HERE, STARTED_IN = Path(__file__).resolve().parent, Path.cwd()
sys.path.insert(0, str(HERE))

with atheris.instrument_imports(include=["divisionbell"]):
    from mutations import TOKENS, spoiled_bytes, spoiled_text, spoiled_value, written
    from small_bank import SURVEY, SmallBank, must_be_sound
    from test_two_ways import DOCUMENTS, TEXTS, VALUES, must_agree, must_fit_alike

    from divisionbell.bank.load import Bank, load
    from divisionbell.bank.read import Document, read_bytes
    from divisionbell.bank.signs import split_lines
    from divisionbell.validate.engine import check


class FromBytes(Random):
    """Choices that the fuzzer makes: each takes bytes of its input, and the least where they have run out."""

    def __init__(self, provider: Any) -> None:
        super().__init__()
        self.provider = provider

    def getrandbits(self, k: int, /) -> int:
        found: int = self.provider.ConsumeIntInRange(0, (1 << k) - 1)
        return found

    def random(self) -> float:
        found: float = self.provider.ConsumeIntInRange(0, 2**32 - 1) / 2**32
        return found


class Target:
    """What is done with one input."""

    def __init__(self) -> None:
        self.bank = SmallBank(Path())
        self.yaml = sorted(self.bank.values)
        self.all = sorted(self.bank.files)
        self.loaded = load(self.bank.folder)

    def __call__(self, data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        way = provider.ConsumeIntInRange(0, 5)
        if way == 0:
            must_agree(provider.ConsumeUnicodeNoSurrogates(sys.maxsize))
        elif way == 1:
            root = provider.PickValueInList(sorted(DOCUMENTS))
            must_fit_alike(root, spoiled_value(FromBytes(provider), VALUES[root]))
        else:
            self.bank_with(way, provider)

    def bank_with(self, way: int, provider: Any) -> None:
        file = provider.PickValueInList(self.yaml if way < 5 else self.all)
        old, draw = self.bank.files[file], FromBytes(provider)
        if way == 2:
            new = written(spoiled_value(draw, self.bank.values[file])).encode("utf-8")
        elif way == 3:
            new = spoiled_text(draw, old.decode("utf-8")).encode("utf-8")
        elif way == 4:
            new = provider.ConsumeBytes(sys.maxsize)
        else:
            new = spoiled_bytes(draw, old)
        file.write_bytes(new)
        try:
            must_be_sound(check(self.with_file(file, new), SURVEY if len(new) % 4 == 0 else None))
        finally:
            file.write_bytes(old)

    def with_file(self, file: Path, data: bytes) -> Bank:
        """The bank with one file read anew; what is not of YAML is found on the disk."""
        if file not in self.bank.values:
            return load(self.bank.folder)
        new = read_bytes(data, Document(file))

        def instead(old: Any) -> Any:
            return new if isinstance(old, Document) and old.path.resolve() == file.resolve() else old

        held = {field.name: getattr(self.loaded, field.name) for field in fields(Bank)}
        return Bank(**{k: [*map(instead, v)] if isinstance(v, list) else instead(v) for k, v in held.items()})


def must_be_read(data: bytes) -> None:
    """Both ways agree on bytes, and what is found stands where something stands."""
    document = read_bytes(data, Document(Path("x.yaml")))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        assert len(document.problems) == 1
        return
    must_agree(text)
    lines = split_lines(text.removeprefix("\ufeff")) or [""]
    for problem in document.problems:
        for place in (problem.location, *(related.location for related in problem.related)):
            assert 1 <= place.line <= len(lines), (place, problem)
            assert 1 <= place.column <= len(lines[place.line - 1]) + 1, (place, problem)


def beginning(folder: Path) -> list[str]:
    """What a fuzzer begins with: the tokens of YAML, inputs long enough for every way, and the pilot's own texts."""
    words = "".join('"' + "".join(f"\\x{byte:02x}" for byte in token.encode()) + '"\n' for token in TOKENS)
    (folder / "tokens.dict").write_text(words, encoding="ascii")
    (folder / "seeds").mkdir()
    draw = Random(20260102)
    for number in range(120):
        (folder / "seeds" / str(number)).write_bytes(draw.randbytes(draw.choice((16, 64, 256, 1024))))
    for number, text in enumerate(TEXTS):
        (folder / "seeds" / f"text-{number}").write_bytes(text.encode("utf-8") + b"\0")
    return ["-len_control=0", "-max_len=8192", f"-dict={folder / 'tokens.dict'}"]


def main() -> None:
    """Fuzz until the time is over or something is found."""
    reading = sys.argv[1:2] == ["--reading"]
    given = [option if option.startswith("-") else str(STARTED_IN / option) for option in sys.argv[1 + reading :]]
    inputs = [option for option in given if not option.startswith("-")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = [*beginning(folder), f"-artifact_prefix={STARTED_IN}/"]
        os.chdir(folder)
        if not any(Path(one).is_file() for one in inputs):  # not an input to be run again
            (folder / "found").mkdir()
            given += [*([] if inputs else [str(folder / "found")]), str(folder / "seeds")]
        atheris.Setup([sys.argv[0], *options, *given], must_be_read if reading else Target())
        atheris.Fuzz()


if __name__ == "__main__":
    main()

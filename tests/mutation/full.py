"""Judge every mutant and write docs/reference/mutation.md. Run as `make mutants`; it takes about an hour on two
processors.

`--every N` takes only every Nth dossier and excluded dossier, and all else; the page says so.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from kill import Judge
from known import lies
from of_layout import sampled
from on_disk import copied, disagreement, drawn
from page import page
from proof import Part, Proof, together
from sample import Sample
from tally import Tally, lie

from divisionbell.bank.load import load

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "reference" / "mutation.md"
ON_DISK = 200
LAYOUT_SITES = 10


def chosen(proof: Proof, every: int) -> list[Part]:
    """The parts of the proof; of dossiers and excluded dossiers every so many."""

    def taken(part: Part) -> bool:
        name, number = part
        if name not in {"document", "file", "two files"} or every == 1:
            return True
        if name == "two files":
            return int(number) % every == 0
        root, _ = proof.documents[int(number)]
        return root not in {"Dossier", "ExcludedDossier"} or int(number) % every == 0

    return [part for part in proof.parts() if taken(part)]


def faults(whole: Tally, sample: Sample, every: int) -> list[str]:
    """What the figures must not say."""
    never, only = lies("never"), lies("only_the_freeze")
    told = [
        f"not found with the freeze in place: {whole.shown[key]}"
        for key in whole.survivors
        if (key[1], lie(key[0])) not in never
    ]
    told += [f"not found without the freeze, and not known: {key}" for key in sorted(set(whole.only_freeze) - only)]
    if every == 1:
        told += [f"known not to be found, but found: {key}" for key in sorted(only - set(whole.only_freeze))]
    told += [f"not found by the digest that covers it: {line}" for line in whole.undigested]
    tried = {(mutant.kind, mutant.slot) for mutant in sample.of_bank}
    asked = {key for key in whole.asked if not key[1].startswith(("frozen", "evaluations"))}
    told += [f"of this kind and slot the sample of the tests has none: {key}" for key in sorted(asked - tried)]
    return told


def layout_faults(proof: Proof, judge: Judge) -> tuple[int, list[str]]:
    """How many changes of layout were tried, and what they changed."""
    documents = [(root, document, proof.sites[id(document)]) for root, document in proof.documents]
    changes = list(sampled(documents, LAYOUT_SITES))
    return len(changes), [line for mutant in changes for line in judge.changes(mutant)]


def main() -> int:
    arguments = argparse.ArgumentParser(description="Judge every mutant of the shipped bank.")
    arguments.add_argument("--every", type=int, default=1, help="take every Nth dossier only")
    every = arguments.parse_args().every
    os.chdir(REPOSITORY)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        proof = Proof(load(Path("bank")), Path(folder))
        parts = chosen(proof, every)
        whole = Tally()
        for number, (_, tally) in enumerate(together(proof, parts, len(os.sched_getaffinity(0))), start=1):
            whole += tally
            if number % 20 == 0 or number == len(parts):
                spent = timedelta(seconds=round(time.monotonic() - start))
                told = f"{number} of {len(parts)} parts, {whole.total.total():,} mutants in {spent}"
                print(told, file=sys.stderr, flush=True)
        told = faults(whole, Sample(proof), every)
        layouts, changed = layout_faults(proof, proof.judge)
        copy = Proof(load(copied(REPOSITORY, Path(folder))), Path(folder) / "workshop")
        mutants = drawn(copy, ON_DISK, "full")
        told += changed + [line for mutant in mutants if (line := disagreement(copy, mutant)) is not None]
    took = timedelta(seconds=round(time.monotonic() - start))
    PAGE.write_text(page(whole, layouts, len(mutants), every), encoding="utf-8", newline="\n")
    print(*whole.lines(), sep="\n")
    print(f"{layouts:,} changes of layout, {len(mutants)} mutants held against the full validation, in {took}")
    print(*told, sep="\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())

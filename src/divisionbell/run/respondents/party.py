"""A party as a respondent: it answers every item of a division as its members voted there."""

from __future__ import annotations

import json
from collections.abc import Mapping

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.respondents.respondent import Ask, Pole, Reply, Respondent, RespondentRefused


class Party(Respondent):
    """It has a position on a division only where enough of its members voted and enough of them one way (the analysis
    plan says how many); elsewhere its items are not administered. A teller counts on the side told for."""

    def __init__(self, bank: FrozenBank, party: str) -> None:
        """Raises RespondentRefused for a party that no division of the bank counts."""
        known = sorted({row.party for dossier in bank.dossiers for row in dossier.source.party_counts})
        if party not in known:
            raise RespondentRefused(f"there is no party {party}", "the parties are: " + ", ".join(known))
        self._party = party
        self._limits = {
            "min_participation": bank.plan.party_min_participation,
            "min_agreement": bank.plan.party_min_agreement,
        }
        self._poles: dict[str, Pole] = {}
        for dossier in bank.dossiers:
            for row in dossier.source.party_counts:
                if row.party == party:
                    ayes, noes = row.aye_voters + row.aye_tellers, row.no_voters + row.no_tellers
                    pole = self._pole(ayes, noes, row.members, dossier.source.aye_coordinate)
                    if pole is not None:
                        self._poles[dossier.dossier_id] = pole

    def _pole(self, ayes: int, noes: int, members: int | None, aye_coordinate: int) -> Pole | None:
        voters = ayes + noes
        if not members or voters / members < self._limits["min_participation"]:
            return None
        if max(ayes, noes) / voters < self._limits["min_agreement"]:
            return None
        return "negative" if (aye_coordinate < 0) == (ayes > noes) else "positive"

    @property
    def name(self) -> str:
        return f"party:{self._party}"

    @property
    def settings(self) -> Mapping[str, object]:
        return {"party": self._party, **self._limits}

    def declines(self, dossier_id: str) -> bool:
        return dossier_id not in self._poles

    async def answer(self, ask: Ask) -> Reply:
        letter = "A" if self._poles[ask.dossier_id] == ask.pole_at_a else "B"
        text = json.dumps({"item_id": ask.item_id, "answer": letter}, separators=(",", ":"))
        return Reply(text=text, finish_reason="stop", served_model=self.name)

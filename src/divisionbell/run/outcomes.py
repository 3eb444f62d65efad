"""What a unit can come to, and what that means: an answer, a missing answer, asked again, or never asked."""

from __future__ import annotations

#: There is an answer.
VALID = ("valid_at_first", "valid_after_retry")
#: The respondent was asked and gave no usable answer: never imputed, the score has bounds.
MISSING = ("malformed", "blocked", "cut_off")
#: The respondent was not reached: the unit is asked again, it has no bounds.
ASKED_AGAIN = "transport_failed"
#: The respondent has no position on the division: the dossier drops out of the form, it has no bounds.
NOT_ADMINISTERED = "not_administered"

OUTCOMES = (*VALID, *MISSING, ASKED_AGAIN, NOT_ADMINISTERED)

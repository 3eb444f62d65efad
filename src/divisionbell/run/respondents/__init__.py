"""Whatever answers: one respondent a file, all behind the protocol in `respondent`."""

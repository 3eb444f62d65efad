"""Findings as JUnit XML. A test case is a rule: the same cases stand in every report, so that a history of them says
when a rule began to fail, and the rules that hold are seen to have been checked."""

from __future__ import annotations

from xml.etree import ElementTree

from divisionbell.cli.findings.outcome import NOTHING_CHECKED, Outcome
from divisionbell.diagnostics import visible
from divisionbell.validate.rules import RULES

NAME = "divisionbell validate"


def rendered(outcome: Outcome, quiet: bool = False) -> bytes:
    """One document, ended by a line feed. No time stands in it: the same bank gives the same bytes."""
    suite = ElementTree.Element("testsuite", name=NAME)
    checked = ElementTree.SubElement(suite, "testcase", classname=NAME, name="items were checked")
    failed = 0
    if outcome.nothing_checked:
        failed += 1
        _failure(checked, "NothingChecked", NOTHING_CHECKED, NOTHING_CHECKED)
    for rule in RULES:
        case = ElementTree.SubElement(suite, "testcase", classname=NAME, name=f"{rule.id}: {rule.name}")
        found = [diagnostic for diagnostic in outcome.found if diagnostic.rule == rule.id]
        if found:
            failed += 1
            count = "1 finding" if len(found) == 1 else f"{len(found)} findings"
            first = f"{found[0].location}: {found[0].message}"
            _failure(case, rule.id, f"{count}: {first}", "\n\n".join(diagnostic.text() for diagnostic in found))
    counts = {"tests": str(len(RULES) + 1), "failures": str(failed), "errors": "0"}
    suite.attrib.update(counts)
    ElementTree.SubElement(suite, "system-out").text = "\n".join(outcome.closing_lines())
    suites = ElementTree.Element("testsuites", {"name": NAME, **counts})
    suites.append(suite)
    ElementTree.indent(suites, " ")
    made: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _failure(case: ElementTree.Element, kind: str, message: str, told: str) -> None:
    """`visible` leaves no character that XML forbids, and `told` has been through it."""
    ElementTree.SubElement(case, "failure", type=kind, message=visible(message)).text = told

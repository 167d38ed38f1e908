"""Clauses as JUnit test cases: one a clause, failed where something is found of it."""

from __future__ import annotations

from xml.etree import ElementTree

from verifier.errors import escaped
from verifier.report.ci.findings import Report


def text(report: Report) -> str:
    """The JUnit file."""
    counts = {
        "tests": str(len(report.cases)),
        "failures": str(sum(case.state == "failed" for case in report.cases)),
        "errors": "0",
        "skipped": str(sum(case.state == "skipped" for case in report.cases)),
    }
    root = ElementTree.Element("testsuites", {"name": "gazette", **counts})
    name = escaped(f"{report.command} {report.about}")
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts})
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", {"name": "findings", "value": str(report.total)})
    for case in report.cases:
        element = ElementTree.SubElement(
            suite, "testcase", {"classname": escaped(report.about), "name": escaped(case.name), "time": "0"}
        )
        words = [escaped(line) for line in case.words]
        match case.state:
            case "failed":
                told = ElementTree.SubElement(
                    element, "failure", {"message": words[0] if words else "failed"}
                )
                told.text = "\n".join(words)
            case "skipped":
                ElementTree.SubElement(element, "skipped", {"message": "; ".join(words) or "not judged"})
            case "passed":
                pass
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"

"""What the JSON documents of all commands share: who made them, of what ruleset, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from verifier.check.result import RulesetResult

TOOL = "gazette-verifier"


def begun(key: str, version: int, tool_version: str, about: RulesetResult) -> dict[str, Any]:
    """How a document about one ruleset begins: its kind and version, `tool` and `ruleset`."""
    return {
        key: version,
        "tool": {"name": TOOL, "version": tool_version},
        "ruleset": {
            "name": about.name,
            "digest": about.digest,
            "law": about.law,
            "law_title": about.law_title,
            "law_digest": about.law_digest,
            "in_force": about.in_force,
        },
    }


def written(document: Mapping[str, Any] | list[Any]) -> str:
    """A document as text: indented, plain ASCII, with a newline at the end."""
    return json.dumps(document, indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"

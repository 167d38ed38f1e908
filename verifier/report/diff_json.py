"""Two rulesets side by side, as JSON.

The document (`"gazette-diff": 1`) is one object:

- `tool` {name, version}; `old` and `new` {name, digest, law, law_title, fragment};
- `exit_code`; `identical`: the files are the same; `unread`: they differ, and in nothing that is compared;
- `clauses` [{kind: one|split|joined|removed|added|beyond, old, new, moved, renumbered, reworded, words}]: `old` and
  `new` are addresses, `words` [{kind: same|changed, old, new}] both texts from the first word to the last;
- `options` [{name, fate: changed|old|new|beyond, old, new}], a side being {clause, range, provisos} or null;
- `statements` [{fate, old, new}], a side being {rule, clause, force: must|must not|may|decides|defines, about, says,
  when} or null. They are compared as written, nothing is proved.

Text is in JSON's own escapes, plain ASCII.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from verifier.diff.rules import RulesDiff
from verifier.exits import Exit
from verifier.law import Law
from verifier.model.ruleset import Ruleset
from verifier.version import VERSION as TOOL_VERSION

VERSION = 1
KEY = "gazette-diff"


def document(diff: RulesDiff, code: Exit) -> dict[str, Any]:
    """The comparison as a JSON object."""
    return {
        KEY: VERSION,
        "tool": {"name": "gazette", "version": TOOL_VERSION},
        "old": _ruleset(diff.old, diff.text.old),
        "new": _ruleset(diff.new, diff.text.new),
        "exit_code": int(code),
        "identical": diff.identical,
        "unread": diff.unread,
        "clauses": [
            {
                "kind": change.kind,
                "old": list(change.old),
                "new": list(change.new),
                "moved": change.moved,
                "renumbered": change.renumbered,
                "reworded": change.reworded,
                "words": [asdict(span) for span in change.spans],
            }
            for change in diff.text.changes
        ],
        "options": [asdict(change) for change in diff.options],
        "statements": [asdict(change) for change in diff.statements],
    }


def to_json(diff: RulesDiff, code: Exit) -> str:
    """The document as text, with a newline at the end."""
    return json.dumps(document(diff, code), indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def _ruleset(ruleset: Ruleset, law: Law) -> dict[str, Any]:
    return {
        "name": ruleset.name,
        "digest": ruleset.digest,
        "law": law.id,
        "law_title": law.title,
        "fragment": law.header.extent == "fragment",
    }

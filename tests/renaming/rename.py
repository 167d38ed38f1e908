"""Everything in rules, law and log that has a name or a number, named and numbered otherwise.

Renamed are: every name that rules declare (types, values of enumerations, records, entities, fields, states, lives,
events, parameters, actors, defines, decisions, options, variables), the labels of rules, the forms in which values
are written, the names of modules and of the law, the numbers of the law's clauses and the terms it defines; and of a
log its columns, events, actors, values and the names of persons. What stays: the words of the language, the words of
the law (a rule quotes them), numbers that are numbers, those of appendices, and the letters of a list, which are its
order; of a law without numbers the outermost letters are renamed.

Every new name is a string that occurs nowhere else, so that whatever a check says can be turned back word by word.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lark import Token

from verifier.resources import root
from verifier.syntax.grammar import tokens


@dataclass(frozen=True, slots=True)
class Subject:
    """What is renamed: the modules of a ruleset, the last of them its own, and its law."""

    rules: tuple[str, ...]
    law: str


NZ_1998 = Subject(
    ("std/cards", "std/blackjack", "std/blackjack-table", "nz/blackjack-1998"),
    "nz/gazette-1998-9-division-2",
)
NZ_1994 = Subject(
    ("std/cards", "std/blackjack", "std/blackjack-table", "nz/blackjack-1994"), "nz/gazette-1994-112-page"
)
UK_1994 = Subject(("std/cards", "std/bankers-table", "uk/blackjack-1994"), "uk/si-1994-2899-regulation-7")

BUILT_IN = frozenset({"house", "absent", "empty"})
"""Words of the language that its lexer takes for names."""

_LETTERS = "bcdfghjklmpqrtvwxz"
_NEW = re.compile(rf"[izIZ]q[{_LETTERS}]{{4}}|70\d{{3}}(?:\.\d+)?")
"""What new names and numbers look like."""

_REGULATION = re.compile(r"(\d+)\.—")
_SECTION = re.compile(r"# (\d+)\.0 ")
_RULE = re.compile(r"(\d+)\.([1-9]\d*) ")
_TERM = re.compile(r"“([^”]+)”")
_LETTER = re.compile(r"\(([a-z]+)\)")
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?(.*)")
_PIECE = re.compile(r"\{([a-z0-9_]+)\}|([^{}]+)")


@dataclass
class Renaming:
    """New names by kind and old name, made as they are asked for; `back` leads from the new ones to the old."""

    seed: int = 1
    rows: frozenset[str] = frozenset()
    """Labels that name rows of a table of the law by its words, which stay."""
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    back: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    # --------------------------------------------------------------------------------------------- names
    def new(self, kind: str, old: str) -> str:
        """The new name of `old`, which is a name of that kind. An article before it stays the same."""
        known = self.names.get((kind, old))
        if known is not None:
            return known
        first = "i" if old[:1].lower() in "aeiou" else "z"
        while True:
            made = first + "q" + "".join(self._random.choices(_LETTERS, k=4))
            if kind == "type":
                made = made.capitalize()
            if made not in self.back:
                break
        self.names[kind, old] = made
        self.back[made] = old
        return made

    def name(self, old: str) -> str:
        """A declared name; the plural of a name is the plural of its new one (`h has 1 card` means `cards`)."""
        if old in BUILT_IN:
            return old
        if old.endswith("s") and ("name", old[:-1]) in self.names:
            return self.name(old[:-1]) + "s"
        return self.new("name", old)

    def module(self, old: str) -> str:
        return "/".join(self.new("module", part) for part in old.split("/"))

    def label(self, old: str) -> str:
        if old[1:-1] in self.rows:
            return old
        return f"[{self.new('label', old[1:-1])}]"

    # ------------------------------------------------------------------------------------ clause numbers
    def number(self, section: str, rule: str | None) -> str:
        """Another number for a section or a rule: in the old order, with gaps, and long enough to be told."""
        made = str(70_000 + 13 * int(section))
        old = self.numbers[made] = section
        if rule == "0":
            made, old = f"{made}.0", f"{section}.0"
        elif rule is not None:
            made, old = f"{made}.{4 + 3 * int(rule)}", f"{section}.{rule}"
        self.numbers[made] = old
        return made

    def address(self, old: str) -> str:
        if old.startswith("appendix"):
            return old
        if letter := _LETTER.match(old):
            return f"({self.new('clause', letter[1])}){old[letter.end() :]}"
        found = _NUMBER.fullmatch(old)
        assert found is not None, old
        return self.number(found[1], found[2]) + found[3]

    # ---------------------------------------------------------------------------------------------- texts
    def plurals_of(self, texts: Mapping[str, str]) -> None:
        """Name the singulars first: which names are plurals must be known before any is renamed."""
        every = {str(t) for text in texts.values() for t in tokens(text) if t.type == "NAME"}
        for name in sorted(every):
            if name + "s" in every:
                self.name(name)

    def rules(self, text: str) -> str:
        """A rule module, token by token; what stands between tokens, comments too, is kept."""
        source = text.rstrip(" \r\n") + "\n"
        made: list[str] = []
        at = 0
        block, writing = "", False
        listed = tokens(source)
        for here, after in zip(listed, [*listed[1:], None], strict=True):
            if here.type in ("_NL", "_END"):
                block, writing = ("", False) if here.type == "_END" else (block, False)
                continue
            block = block or here.type
            writing = writing or here.type == "WRITTEN"
            assert here.start_pos is not None
            assert here.end_pos is not None
            made.append(source[at : here.start_pos])
            made.append(self._token(here, after, block == "ENUM", writing))
            at = here.end_pos
        return "".join(made) + source[at:]

    def _token(self, token: Token, after: Token | None, listing: bool, writing: bool) -> str:
        match token.type:
            case "NAME":
                return self.name(str(token))
            case "TYPENAME":
                return self.new("type", str(token))
            case "MODULE":
                return self.module(str(token))
            case "LABEL":
                return self.label(str(token))
            case "ADDRESS":
                return self.address(str(token))
            case "STRING" if listing:
                return f'"{self.new("written", str(token)[1:-1])}"'
            case "STRING" if writing:
                return f'"{self._form(str(token)[1:-1])}"'
            case "INT" if listing and (after is None or after.type != "STRING"):
                # A numeral stays the number it is; how a log writes it is another matter.
                return f'{token} "{self.new("written", str(token))}"'
            case _:
                return str(token)

    def _form(self, form: str) -> str:
        pieces = _PIECE.findall(form)
        return "".join(
            f"{{{self.name(name)}}}" if name else self.new("written", text) for name, text in pieces
        )

    def law(self, text: str) -> str:
        """A law file: sections, rules and defined terms; the notice and all words stay."""
        header, _, body = text.partition("\n---\n")
        made = [self._clause(line) for line in body.split("\n")]
        return header + "\n---\n" + "\n".join(made)

    def _clause(self, line: str) -> str:
        if section := _SECTION.match(line):
            return f"# {self.number(section[1], '0')} {line[section.end() :]}"
        if regulation := _REGULATION.match(line):
            return f"{self.number(regulation[1], None)}.—{line[regulation.end() :]}"
        if rule := _RULE.match(line):
            return f"{self.number(rule[1], rule[2])} {line[rule.end() :]}"
        if term := _TERM.match(line):
            return f"“{self.new('label', term[1])}”{line[term.end() :]}"
        return self.address(line) if _LETTER.match(line) else line

    # ----------------------------------------------------------------------------------------------- back
    def turned_back(self, text: str) -> str:
        """The text with every new name and number replaced by the old one."""
        return _NEW.sub(lambda found: self.back.get(found[0]) or self.numbers.get(found[0], found[0]), text)


def texts(modules: Sequence[str] = NZ_1998.rules) -> dict[str, str]:
    """The rule modules by name."""
    return {name: (root("rulesets") / f"{name}.rules").read_text("utf-8") for name in modules}


def write_renamed(
    renaming: Renaming, folder: Path, modules: Sequence[str] = NZ_1998.rules, *laws: str
) -> Path:
    """The modules and the laws, renamed, in a folder of their own; the path of the ruleset, the last of the modules.

    Without laws it is that of New Zealand's blackjack.
    """
    old = texts(modules)
    renaming.plurals_of(old)
    path = folder
    for name, text in old.items():
        path = folder / f"{renaming.module(name)}.rules"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(renaming.rules(text), "utf-8")
    for name in laws or (NZ_1998.law,):
        law = folder / f"{renaming.module(name)}.law"
        law.parent.mkdir(parents=True, exist_ok=True)
        law.write_text(renaming.law((root("spec") / "law" / f"{name}.law").read_text("utf-8")), "utf-8")
    return path

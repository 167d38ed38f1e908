"""What the decisions of two rulesets mean, in words: shared by the text and the Markdown of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, zip_longest

from verifier.diff.norm_words import NormChange
from verifier.diff.rules import Statement, StatementChange
from verifier.diff.sides import Example
from verifier.diff.told import Compared, Difference, Meaning, Spoken
from verifier.diff.unify import Which
from verifier.model.show import cite
from verifier.report.lines import listed
from verifier.run.facts import Fact

RANK_WORDS = {
    "open": "one side has no answer, or two",
    "sign": "who gains changes",
    "amount": "how much is paid changes",
    "unknown": "what it does to the money nobody can tell",
    "name": "the money stays the same",
}

SAME_ONE = "is written otherwise, or rests on what is, and is proved the same"

SAME_MANY = "are written otherwise, or rest on what is, and are proved the same"

FEW = 8
"""So many things that are not compared are named, and so many rules to which one is subject."""

FACTS = 14
"""So many values of an example are shown on a side at most."""

FEW_BROKEN = 4
"""So many invariants that an example does not keep are named."""

FOREIGN = {
    "only old": "the new knows no such value: what it says of such cases it says under others, not held against this",
    "only new": "the old knew no such value: what it said of such cases it said under others, not held against this",
}
"""What only one side answers where the other does not have the values that it is about."""

EVERYWHERE = "yes"
"""The formula of a region that is all there is where both sides owe an answer."""


@dataclass(frozen=True, slots=True)
class RegionTold:
    """A region in words, `number` among those of its decision. `example` says what it is of, `sides` what either side
    reads and says in it, `breaks` which invariants it does not keep, and that a ruleset lists among its own findings
    that there is no answer; they are empty, as are `money`, `often` and `kept_out`, where there is nothing to say."""

    number: int
    difference: Difference
    headline: str
    answers: tuple[tuple[str, str], ...]
    where: str
    kept_out: str
    proof: str
    money: str
    often: str
    example: tuple[str, ...]
    breaks: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def everywhere(self) -> bool:
        """Whether the region is all there is, where both sides owe an answer."""
        return self.difference.where == EVERYWHERE

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What the sides read and say, line beside line."""
        return tuple(zip_longest(*self.sides, fillvalue=""))


@dataclass(frozen=True, slots=True)
class MatterTold:
    """A decision in words: its verdict, when an answer is owed, its regions under headings."""

    compared: Compared
    line: str
    owed: str
    groups: tuple[tuple[str, tuple[RegionTold, ...]], ...]


def matters_told(meaning: Meaning, mark: Callable[[str], str] = str) -> list[MatterTold]:
    """The decisions that both answer and that are not simply the same (`same_told`), in words; `mark` marks formulas in
    what is said of when an answer is owed."""
    found: list[MatterTold] = []
    for compared in meaning.matters:
        if compared.verdict in ("only old", "only new") or _simply_same(compared):
            continue
        number = count(1)
        groups = tuple(
            (title, tuple(region_told(d, next(number), compared.verdict == "different") for d in those))
            for title, those in groups_of(compared)
        )
        found.append(MatterTold(compared, verdict_line(compared), owed(compared, mark), groups))
    return found


def _simply_same(compared: Compared) -> bool:
    return compared.verdict == "same" and compared.owed == "same" and not compared.uneven


def same_told(meaning: Meaning) -> list[str]:
    """The decisions that are proved the same: how many, then which, a line for each way in which that is proved."""
    by: dict[tuple[str, str], list[str]] = {}
    owed_by: dict[tuple[str, str], list[str]] = {}
    for compared in meaning.matters:
        if _simply_same(compared):
            closed = "".join(f" with {name} = {value}" for name, value in compared.closed)
            by.setdefault((listed(compared.by), compared.scope), []).append(compared.title + closed)
            if compared.owed_scope:
                how = listed(compared.owed_by), compared.owed_scope
                owed_by.setdefault(how, []).append(compared.title + closed)
    if not by:
        return []
    number = sum(map(len, by.values()))
    return [
        f"{number} {'decision is' if number == 1 else 'decisions are'} proved the same:",
        *(f"{'; '.join(titles)}: by {who} ({scope})" for (who, scope), titles in by.items()),
        *(
            f"that an answer is owed in the same cases, of {'; '.join(titles)}: by {who} ({scope})"
            for (who, scope), titles in owed_by.items()
        ),
    ]


def region_told(difference: Difference, number: int, complete: bool) -> RegionTold:
    """A region in words, of a list that is proved `complete` or is not."""
    head, old, new = example_columns(difference)
    return RegionTold(
        number,
        difference,
        headline(difference),
        tuple(answers_of(difference)),
        difference.where or "",
        kept_out(difference) if difference.kept_out else "",
        proof(difference, complete),
        money(difference) or "",
        often(difference) or "",
        tuple(head),
        "" if difference.example is None else "; ".join(_of_example(difference.example)),
        (tuple(old), tuple(new)),
    )


def one_sided(meaning: Meaning) -> list[str]:
    """What only one side answers or asks, a line each."""
    return [*alone(meaning), *apart(meaning)]


def rules_of(spoken: Spoken) -> str:
    """The rules that say it: `5.1(d); so do 11.4 with 5.1(d) and 12.5 with 5.1(d)`."""
    rules = listed(spoken.rules) or "no rule"
    return f"{rules} (also {listed(spoken.also)})" if spoken.also else rules


def answers_of(difference: Difference) -> list[tuple[str, str]]:
    """What both sides say, `value by rules`, one pair a line."""
    return [(f"{a.says}: {rules_of(a)}", f"{b.says}: {rules_of(b)}") for a, b in difference.answers]


def headline(difference: Difference) -> str:
    """`stand_off → lose`."""
    old = list(dict.fromkeys(a.says for a, _ in difference.answers))
    new = list(dict.fromkeys(b.says for _, b in difference.answers))
    return f"{' | '.join(old)} → {' | '.join(new)}"


def money(difference: Difference) -> str | None:
    """Who gains how much, of one unit staked."""
    if difference.gain is None or all(gain is None for gain in difference.gain):
        return None
    other = difference.example is not None and not difference.example.staked
    where = "in the example" if other or len(difference.answers) > 1 else "of 1 staked"
    change = difference.change
    if change is None:
        told = [
            f"the house {when} pays {signed(x)}"
            for when, x in zip(("then", "now"), difference.gain, strict=True)
            if x is not None
        ]
        return f"{where} {', '.join(told)}; what the other comes to the rules do not say"
    if change == 0:
        return f"{where} the house pays {signed(difference.gain[0])} under both"
    turn = "loses" if change > 0 else "gains"
    return (
        f"{where} the house then pays {signed(difference.gain[0])}, now {signed(difference.gain[1])}: "
        f"it {turn} {abs(change)}"
    )


def signed(value: Fraction | None) -> str:
    """`+1`, `-1`, `0`."""
    if value is None:
        return "what nobody can tell"
    return f"+{value}" if value > 0 else str(value)


def often(difference: Difference) -> str | None:
    """How often: exact counts, about one in how many, and of which model; or why nobody counts."""
    weight = difference.weight
    if weight is None:
        return f"not counted: {difference.uncounted}" if difference.uncounted else None
    if not weight.ways:
        return f"never, of {weight.of:,}: {weight.model}"
    one_in = Fraction(weight.of, weight.ways)
    near = f"1 in {one_in}" if one_in.denominator == 1 else f"about 1 in {round(one_in):,}"
    return f"{weight.ways:,} of {weight.of:,} ({near}): {weight.model}"


def proof(difference: Difference, complete: bool) -> str:
    """By whom the formula is proved, of which states; of a list that is proved `complete` or is not."""
    if difference.where is None:
        what = f"no short formula: {difference.unshort}"
        return (
            f"{what}; the list of regions is proved complete with the rules' own conditions"
            if complete
            else what
        )
    text = f"proved equal to the difference, both ways, by {listed(difference.proved_by)}: {difference.scope}"
    if difference.supposing:
        text += f"; supposing {listed(difference.supposing)}"
    return text


def kept_out(difference: Difference) -> str:
    """Which invariants leave nothing of a region, and by whom that is proved."""
    verb = "holds" if len(difference.kept_out) == 1 else "hold"
    return (
        f"No such case while {listed(difference.kept_out)} {verb}, as proved by {listed(difference.proved_by)}: "
        f"{difference.scope}"
    )


def example_columns(difference: Difference) -> tuple[list[str], list[str], list[str]]:
    """What an example is of, and what either side reads and says in it."""
    example = difference.example
    if example is None:
        return [], [], []
    head = [f"{name} = {value}" for name, value in (*example.values, *example.state, *example.options)]
    columns: list[list[str]] = []
    told = {name for name, _ in example.state}
    for said in (example.old, example.new):
        facts = facts_told(said.facts, told)
        value = said.value if said.value is not None else "; ".join(said.why) or "no value"
        columns.append([*facts, f"{listed(said.rules) or 'no rule'} → {value}"])
    return head, columns[0], columns[1]


def breaks(those: Sequence[tuple[Which, str]]) -> str:
    """Which invariants an example does not keep; empty where it keeps them all."""
    if not those:
        return ""
    first = [f"the invariant {name} ({which})" for which, name in those[:FEW_BROKEN]]
    if len(those) > FEW_BROKEN:
        first.append(f"{len(those) - FEW_BROKEN} more")
    return f"this example does not keep {listed(first)}: no lawful play may lead to it"


def _of_example(example: Example) -> list[str]:
    """What is to be said of an example besides: what it breaks, and what the rulesets themselves say of it that they
    have no answer."""
    broken = breaks(example.breaks)
    return [
        *([broken] if broken else []),
        *(
            f"the {which} ruleset lists among its own findings that there is no answer: {reason}"
            for which, said in (("old", example.old), ("new", example.new))
            for reason in said.known
        ),
    ]


def facts_told(facts: Sequence[Fact], told: Collection[str]) -> list[str]:
    """The values that an example's conditions read, but for those `told` already; so many, and how many more."""
    found = [f"{f.text} = {f.value}" for f in facts if f.text not in told]
    return found if len(found) <= FACTS else [*found[:FACTS], f"{len(found) - FACTS} more"]


def groups_of(compared: Compared) -> list[tuple[str, list[Difference]]]:
    """The differences under headings: those of the law, those beyond the page, those that lawful play keeps out."""
    told = [
        ("", [d for d in compared.differences if not d.beyond and not d.kept_out]),
        (
            "By clauses beyond the page: the other law is a fragment, and may have said the same",
            [d for d in compared.differences if d.beyond and not d.kept_out],
        ),
        (
            "Only where some invariant of lawful play does not hold (whether it is kept `gazette prove` says)",
            [d for d in compared.differences if d.kept_out],
        ),
    ]
    return [(title, those) for title, those in told if those]


def regions_counted(differences: Sequence[Difference]) -> list[str]:
    """How many regions there are of each kind that there is, each kind called by what it is."""
    kept = sum(bool(d.kept_out) for d in differences)
    beyond = sum(bool(d.beyond) and not d.kept_out for d in differences)
    main = len(differences) - kept - beyond
    counted = [
        (main, "of difference"),
        (beyond, "by rules whose counterparts may stand on what is lost of the other law"),
        (kept, "only where an invariant of lawful play does not hold"),
    ]
    return [f"{n} {'region' if n == 1 else 'regions'} {what}" for n, what in counted if n]


def alone(meaning: Meaning) -> list[str]:
    """What only one side answers, a line for each side and decision."""
    found: dict[tuple[str, str, bool, bool], list[str]] = {}
    for compared in meaning.matters:
        if compared.verdict in ("only old", "only new"):
            key = compared.verdict, compared.name, compared.beyond, compared.foreign
            about = " and ".join(f"{what} = {value}" for what, value in compared.about)
            found.setdefault(key, []).append(about)
    return [
        f"{name}: {verdict.replace('only', 'only the')} says"
        + (f" where {'; '.join(x for x in abouts if x)}" if any(abouts) else "")
        + (" (beyond the page)" if beyond else "")
        + (f"; {FOREIGN[verdict]}" if foreign else "")
        for (verdict, name, beyond, foreign), abouts in found.items()
    ]


def apart(meaning: Meaning) -> list[str]:
    """Decisions that only one side has, a line each."""
    return [
        f"{name}: only the {which} asks it"
        + (" (beyond the page)" if (which, name) in meaning.beyond else "")
        for which, name in meaning.apart
    ]


def verdict_line(compared: Compared) -> str:
    """One line on a matter: proved the same, in how many regions it differs, or what is open."""
    match compared.verdict:
        case "same":
            return f"{compared.title}: proved the same, by {listed(compared.by)} ({compared.scope}){_uneven(compared)}"
        case "different":
            what = listed(regions_counted(compared.differences)) or "no region of difference"
            return (
                f"{compared.title}: {what}; that there is no other is proved by {listed(compared.by)} "
                f"({compared.scope}){_uneven(compared)}"
            )
        case "undecided":
            if compared.differences:
                what = listed(regions_counted(compared.differences))
                return f"{compared.title}: {what}; whether there are others is open: {compared.why}"
            return f"{compared.title}: open: {compared.why}"
        case _:
            return f"{compared.title}: {compared.verdict}"


def _uneven(compared: Compared) -> str:
    """Where it is not compared, though it might be otherwise."""
    return (
        "; it is not compared where rules of one side alone read what is undefined" if compared.uneven else ""
    )


def not_compared(background: Sequence[str]) -> str:
    """What is not compared, the first of it by name; empty where all is."""
    if not background:
        return ""
    first = list(background[:FEW])
    if len(background) > FEW:
        first.append(f"{len(background) - FEW} more")
    return f"Not compared: {listed(first)}."


OWED = {
    "same": "",
    "wider": "now an answer is owed in more cases",
    "narrower": "now an answer is owed in fewer cases",
    "other": "now an answer is owed in other cases",
    "some wider": "now an answer is owed in cases in which none was; whether it still is in all others is open",
    "some narrower": "in some cases no answer is owed any more; whether one is in others is open",
    "unsure": "an answer is owed in the same cases, but in others it is open whether it is",
    "open": "whether an answer is owed in the same cases is open",
}


def owed(compared: Compared, mark: Callable[[str], str] = str) -> str:
    """When an answer is owed, and what became of that; empty where nothing is to be said. `mark` marks formulas."""
    then, now = (mark(asked) for asked in compared.asked)
    if compared.owed_scope and compared.differences:
        who = f"by {listed(compared.owed_by)} ({compared.owed_scope})"
        return f"An answer is owed then where {then}, now where {now}: proved to be the same cases, {who}"
    if compared.owed == "same" and then != now and compared.differences:
        return f"An answer is owed then where {then}, now where {now}: the same but for decisions told for themselves"
    if compared.owed == "same":
        return f"An answer is owed, then as now, where {then}" if compared.differences else ""
    return f"{OWED[compared.owed].capitalize()}: then where {then}, now where {now}"


def norm_line(norm: NormChange) -> str:
    """What became of a duty, a prohibition or a permission that is not the same."""
    if norm.quoted is not None:
        return (
            f"{norm.what} (all the words quoted for it stand in the other law's {norm.quoted} too: "
            "perhaps only one ruleset reads it so)"
        )
    return norm.what or "differs"


def norms_told(norms: Sequence[NormChange]) -> list[NormChange]:
    """Those to show one by one: not what is proved the same, nor what the other side has no act for."""
    return [norm for norm in norms if not norm.same and not norm.unknown]


def norms_same(norms: Sequence[NormChange]) -> list[str]:
    """The duties, prohibitions and permissions that are proved the same: how many, then which, a line for each way in
    which that is proved."""
    by: dict[tuple[str, str, str], list[str]] = {}
    for norm in norms:
        if norm.same:
            sides = [cite(s.unit) for s in (norm.change.old, norm.change.new) if s is not None]
            name = " → ".join(dict.fromkeys(sides))
            by.setdefault((norm.what, listed(norm.by), norm.scope), []).append(name)
    if not by:
        return []
    number = sum(map(len, by.values()))
    return [
        f"{number} {SAME_ONE if number == 1 else SAME_MANY}:",
        *(
            f"{_often(names)}: {f'{what}: ' if what else ''}by {who} ({scope})"
            for (what, who, scope), names in by.items()
        ),
    ]


def _often(names: Sequence[str]) -> str:
    """Names, each once, with how many of it there are where that is more than one."""
    return ", ".join(n if times == 1 else f"{n} ({times} statements)" for n, times in Counter(names).items())


def norms_unknown(norms: Sequence[NormChange]) -> list[str]:
    """A line for each side: the rules on acts that the other ruleset does not record."""
    found = []
    for side in ("old", "new"):
        rules = [s.rule for n in norms if n.unknown and (s := getattr(n.change, side)) is not None]
        if rules:
            other = "new" if side == "old" else "old"
            found.append(
                f"Rules of the {side} on acts that the {other} ruleset does not record, so that nothing is compared: "
                f"{listed(dict.fromkeys(rules))}."
            )
    return found


def statements_said(change: StatementChange) -> tuple[str, str]:
    """What either side says, with those of its conditions, and of the rules that displace it, that the other does not
    share."""
    old, new = change.old, change.new
    shared = (
        {*old.when, *old.subject_to} & {*new.when, *new.subject_to}
        if old is not None and new is not None
        else set()
    )
    return _with_its_own(old, shared), _with_its_own(new, shared)


def _with_its_own(statement: Statement | None, shared: set[str]) -> str:
    if statement is None:
        return "—"
    own = [condition for condition in statement.when if condition not in shared]
    link = " = " if statement.force == "defines" else " when "
    said = statement.says + (link + " and ".join(f"({c})" if len(own) > 1 else c for c in own) if own else "")
    over = [rule for rule in statement.subject_to if rule not in shared]
    named = [*over[:FEW], f"{len(over) - FEW} more"] if len(over) > FEW else over
    return f"{said}; subject to {listed(named)}" if named else said

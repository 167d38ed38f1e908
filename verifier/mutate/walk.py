"""All mutants of a ruleset: the changes that can be made in its own rules, defines and options, in their order.

Modules that only declare (what there is, what happens) are no law and are left alone, and so is the ruleset that a
layer is laid over: it has mutants of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier.model.load import Modules
from verifier.mutate.mutant import Change, Mutant, identity, one_line
from verifier.mutate.text import Text
from verifier.mutate.walk_expressions import Expressions
from verifier.syntax import tree as t

NEVER = "never applies"
"""How a rule that has been made idle is shown."""


def mutants(read: Modules) -> Iterator[Mutant]:
    """Every mutant of the last module, each with an id of its own."""
    module = read.modules[-1]
    text = Text(module.path, module.text)
    walk = _Walk(text, Expressions(text, _labels(read.modules)))
    for index, block in enumerate(module.blocks):
        seen: dict[tuple[str, str, str, str], int] = {}
        for rule, clause, change in walk.block(block):
            before, after = walk.words(change)
            if before == after:
                continue
            key = (rule, change.kind, before, after)
            seen[key] = seen.get(key, -1) + 1
            yield Mutant(
                identity(rule, change.kind, before, after, seen[key]),
                change.kind,
                rule,
                clause,
                text.place(change.start, change.end),
                before,
                after,
                index,
                change,
            )


def _labels(modules: Sequence[t.Module]) -> Mapping[str, Sequence[str]]:
    """For each name of an enumeration's value, the next one's, the first one's for the last; of a name that is in
    several enumerations, in each: which is meant only the types tell, and a mutant of the other is no ruleset."""
    found: dict[str, dict[str, None]] = {}
    for module in modules:
        for block in module.blocks:
            if isinstance(block, t.EnumDecl):
                names = [name for name, _ in block.values]
                for name, other in zip(names, [*names[1:], names[0]], strict=True) if len(names) > 1 else ():
                    found.setdefault(name, {})[other] = None
    return {name: tuple(others) for name, others in found.items() if not name.isdecimal()}


@dataclass(frozen=True, slots=True)
class _Walk:
    """Finds the changes of blocks, each with the rule it is made in and its clause."""

    text: Text
    inside: Expressions

    def words(self, change: Change) -> tuple[str, str]:
        """A change's text before and after, each on one line."""
        text = self.text.text
        before = text[change.shown_from : change.shown_to]
        after = text[change.shown_from : change.start] + change.text + text[change.end : change.shown_to]
        if change.shown is not None:
            return one_line(before), one_line(change.shown)
        return one_line(before), one_line(after)

    def block(self, block: t.Block) -> Iterator[tuple[str, str | None, Change]]:
        """The changes of one block."""
        match block:
            case t.Rule(address=address, label=label, statements=statements):
                rule = address if label is None else f"{address} [{label}]"
                for statement in statements:
                    for change in self.statement(statement):
                        yield rule, address, change
            case t.Define(name=name):
                for change in self.statement(block):
                    yield f"define {name}", None, change
            case t.Supplied(defines=defines):
                for define in defines:
                    for change in self.statement(define):
                        yield f"define {define.name}", None, change
            case t.Option(name=name):
                for change in self.statement(block):
                    yield f"option {name}", None, change
            case _:
                return

    def statement(self, statement: t.Statement) -> Iterator[Change]:
        """The changes of one statement."""
        inside = self.inside
        match statement:
            case t.Define(type=type_, body=body):
                yield from inside.of(body, isinstance(type_, t.PlainType) and type_.kind == "bool")
            case t.Option(type=type_, initial=initial):
                match type_:
                    case t.RangeType(at=at, low=low, high=high):
                        yield from inside.range(at, low, high)
                    case t.ChoiceType(at=at, values=values):
                        yield from inside.choice(at, values)
                    case _:
                        pass
                if initial is not None:
                    yield from inside.of(initial)
            case t.Given(at=at, condition=condition):
                yield inside.always(condition.at, self.text.start(at))
                yield from inside.of(condition, True)
            case t.Edge():
                yield from self._edge(statement)
            case t.Effects():
                yield from self._effects(statement)
            case t.Asked(at=at, when=when):
                yield from self._when(at, when)
            case t.Apply(at=at, where=where):
                yield self._idle(at, where)
                yield from inside.where(at, where)
            case t.Deontic():
                yield from self._deontic(statement)
            case t.Require(at=at, condition=condition, when=when):
                yield from self._when(at, when)
                yield from inside.of(condition, True)
            case t.AnswersFor(at=at):
                yield self._dropped("rule", at)
            case t.Decision() | t.Unchecked() | t.Pointer() | t.Reading():
                return

    # ------------------------------------------------------------------------------------------- statements
    def _span(self, at: t.At) -> tuple[int, int]:
        return self.text.start(at), self.text.end(at)

    def _idle(self, at: t.At, condition: t.Expr | None) -> Change:
        """The statement made to apply never: its condition is `no`."""
        start, end = self._span(at)
        if condition is None:
            return Change("rule", end, end, " when no", start, end, NEVER)
        from_, to = self._span(condition.at)
        return Change("rule", from_, to, f"({self.text.text[from_:to]}) and no", start, end, NEVER)

    def _when(self, at: t.At, when: t.Expr | None) -> Iterator[Change]:
        """The statement idle, its `when` left out, and the changes in it."""
        yield self._idle(at, when)
        if when is not None:
            start, _ = self.text.find_last(r"\bwhen\b", self.text.start(at), self.text.start(when.at))
            yield self.inside.always(when.at, start)
            yield from self.inside.of(when, True)

    def _dropped(self, kind: str, at: t.At) -> Change:
        """The statement left out; line breaks stay, so that places behind it do."""
        start, end = self._span(at)
        lines = "\n" * self.text.text.count("\n", start, end)
        match kind:
            case "rule":
                return Change("rule", start, end, lines, start, end, NEVER)
            case _:
                return Change("exception", start, end, lines, start, end)

    def _edge(self, edge: t.Edge) -> Iterator[Change]:
        if len(edge.refs) < 2:
            yield self._dropped("exception", edge.at)
        else:
            yield from self._fewer("exception", edge.at, [ref.at for ref in edge.refs], r",")

    def _fewer(self, kind: str, at: t.At, items: Sequence[t.At], between: str) -> Iterator[Change]:
        """A list of several, each left out in turn with what parts it from its neighbour."""
        spans = [self._span(item) for item in items]
        shown = self._span(at)
        for index, (start, end) in enumerate(spans):
            from_ = self.text.find(between, spans[index - 1][1], start)[0] if index else start
            to = end if index else self.text.find(between, end, spans[1][0])[1]
            match kind:
                case "exception":
                    yield Change("exception", from_, to, "", *shown)
                case "label":
                    yield Change("label", from_, to, "", *shown)
                case _:
                    yield Change("limb", from_, to, "", *shown)

    def _effects(self, effects: t.Effects) -> Iterator[Change]:
        start, end = self._span(effects.at)
        if effects.otherwise:
            word = self.text.find_last(r"\botherwise\b", start, end)
            yield Change("rule", *word, "when no", start, end, NEVER)
            yield Change("exception", *word, "", start, end)
        else:
            yield from self._when(effects.at, effects.when)
        for effect in effects.effects:
            yield from self.inside.of(effect.value)

    def _deontic(self, norm: t.Deontic) -> Iterator[Change]:
        yield from self._when(norm.at, norm.when)
        if len(norm.bearer.roles) > 1 and norm.bearer.but is None and norm.bearer.variable is None:
            yield from self._roles(norm.bearer)
        yield from self._acts(norm.at, norm.acts)
        if norm.deadline is not None:
            yield from self._acts(norm.deadline.at, norm.deadline.acts)

    def _roles(self, bearer: t.Bearer) -> Iterator[Change]:
        start, end = self._span(bearer.at)
        for role in bearer.roles:
            others = " | ".join(other for other in bearer.roles if other != role)
            yield Change("label", start, end, others, start, end)

    def _acts(self, at: t.At, acts: Sequence[t.Act]) -> Iterator[Change]:
        if len(acts) > 1:
            yield from self._fewer("limb", at, [act.at for act in acts], r"\bor\s")
        for act in acts:
            yield from self.inside.arguments(act.args)

"""One test for each kind of load error: code, file, line, caret, clause, next step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from language_bench import EXAMPLES, HEAD, LAW, completed, loaded, problems

from verifier.errors import LawError, RequestError, RuleTextError, VerifierError, render
from verifier.model.load import load

MODEL = Path(__file__).parents[2] / "verifier"


@dataclass(frozen=True)
class Bad:
    """A fragment with one fault: the code of the error, what its caret underlines first, what the help says."""

    name: str
    code: str
    text: str
    under: str
    says: str
    help: str | None = None
    clause: str | None = None


GUILD = (
    "life guild beside house ends dissolve\nstate guild\n  members: set of Guest\n"
    "event dissolve in guild\n  observed\n"
)
QUEUE = "life watch ends home\nevent home by attendant\nstate watch\n  wait: list of Item max 5\n"
DUTY = "rule 2.5(a)\n  attendant must ticket(i) at once when i.here and not i.ticket\n"

BAD = [
    # -------------------------------------------------------------------------------------------------- views
    Bad("view that holds itself", "view-circle", "view i: Item\n  text i\n  holds h in Hook where i.peg = h.peg\n"
        "view h: Hook\n  holds i in Item where i.peg = h.peg\n", "view i",
        "what is drawn holds itself: Item → Hook → Item", "let one of them not hold the next"),
    # ------------------------------------------------------------------------------------------ lives and logs
    Bad("life around the first", "life-place", "life guild around house\n", "life", "no life is around `house`",
        "`life guild beside house`"),
    Bad("life beside another", "life-place", "life guild beside roll\n", "life", "`roll` has no logs of its own",
        "beside house"),
    Bad("event in a life without logs", "life-place", "event enrol in roll\n  observed\n", "event",
        "`roll` has no logs of its own", "leave `in roll` out"),
    Bad("life around an unknown one", "unknown-name", "life guild around rol\n", "life", "there is no life `rol`",
        "roll"),
    Bad("rule on one log that reads another", "two-logs", GUILD
        + "rule 6.1\n  attendant must not call(g) when g in members\n", "attendant",
        "the logs of `house` and `guild`", "say what it has to know", None),
    Bad("rule that reads another log by a decision", "two-logs", GUILD
        + "rule 6.1\n  decision enrolled(g: Guest): bool\n  enrolled(g) = yes when g in members\n"
        "rule 6.2\n  attendant must not call(g) when enrolled(g)\n", "attendant", "`house` and `guild`"),
    Bad("duty until the end of another log's life", "two-logs", GUILD
        + "rule 6.1\n  attendant must call(g) by end of guild when g in carded\n", "attendant",
        "`house` and `guild`"),
    Bad("rule that asks what has happened in another log's life", "two-logs", GUILD
        + "rule 6.1\n  attendant must not call(any) when call(any) has happened this guild\n", "attendant",
        "`house` and `guild`"),
    Bad("rule that asks what has happened since an event of another log", "two-logs", GUILD
        + "rule 6.1\n  attendant must not call(any) when call(any) has happened since dissolve\n", "attendant",
        "`house` and `guild`"),
    Bad("rule that asks whether one on another log has been broken", "two-logs", GUILD
        + "event expel(guest: Guest) by attendant in guild\nrule 6.1\n  attendant must not call(any) when rule 6.2 "
        "has been broken this evening\nrule 6.2\n  attendant must not expel(g) when g not in members\n",
        "attendant must not call", "`house` and `guild`"),
    Bad("stock that another log knows of", "two-logs", GUILD
        + "event draw(peg: Peg) by attendant in guild\n"
        "chance draw(peg) from left without replacement since dissolve\n", "chance", "`chance draw`"),
    Bad("stock that an event of another log makes whole", "two-logs", GUILD
        + "event draw(peg: Peg) by attendant in guild\n"
        "chance draw(peg) from 1 without replacement since close\n", "chance", "`chance draw`"),
    Bad("event that claims what is asked when another log knows", "two-logs", GUILD
        + "decision right(g: Guest): bool\nevent tip(guest: Guest) by guest\n  claims right(guest)\n"
        "rule 6.1\n  asked right(g) when g in members\n  right(g) = yes\n", "event", "`tip`"),
    Bad("duty of things that come to be in another log", "two-logs", GUILD
        + "entity Seat(no: Peg) in guild\n  held: bool\nevent clear(seat: Seat) by attendant\n"
        "rule 6.1\n  attendant must clear(s) before close when doors and s = s\n", "attendant",
        "`house` and `guild`"),
    Bad("invariant on two logs", "two-logs", GUILD + "invariant empty\n  not doors or none g in members: g = g\n",
        "invariant", "`empty` reads the logs of `house` and `guild`", "say what it has to know"),
    Bad("theorem whose `where` knows of another log", "two-logs", GUILD
        + "define enrolled(g: Guest): bool = g in members\n"
        "theorem carded_only\n  for all g: Guest where enrolled(g): g in carded\n", "theorem",
        "`carded_only` reads the logs of `house` and `guild`"),
    Bad("state in two logs that is to be reached", "two-logs", GUILD + "reachable both\n  doors and some g in "
        "members: g = g\n", "reachable", "`both` reads the logs of `house` and `guild`"),
    Bad("life that an event of another log ends", "two-logs", "life guild beside house ends close\n", "life",
        "`close` stands in the logs of `house`", "an event of its own logs"),
    Bad("life that an event of another log begins", "two-logs", GUILD + "life watch begins dissolve\n", "life watch",
        "`dissolve` stands in the logs of `guild`", "an event of its own logs"),
    Bad("mechanics that write to another log's state", "two-logs", GUILD + "on call(g)\n  members gains g\n",
        "members", "`on call`"),
    Bad("event that needs what another log knows", "two-logs", GUILD
        + "event leave(guest: Guest) in guild\n  needs guest in carded\n  observed\n", "event", "`leave`"),
    Bad("somebody who is not in the act", "nobody-acts", "rule 6.1\n  guest g must not deposit(i, any, any) when "
        "i.here\n", "guest g", "no argument of the act is `g`", "`guest g … deposit(g, …)`", "6.1"),
    # ------------------------------------------------------------------------------------ clauses and quotes
    Bad("clause number", "unknown-clause", 'rule 9.9 "words"\n', "rule", "no clause 9.9", "", "9.9"),
    Bad("clause letter", "unknown-clause", 'rule 2.5(c) "words"\n', "rule", "no clause 2.5(c)", "(a)", "2.5(c)"),
    Bad("quote", "quote-not-found", 'rule 2.2 "No guest shall deposit an article on a filled peg"\n', '"No',
        "not in 2.2", "on a full peg", "2.2"),
    Bad("quote of a clause below", "quote-not-found", 'rule 2.5 "hand the guest a ticket"\n', '"hand',
        "not in 2.5", "nearest words", "2.5"),
    Bad("empty quote", "quote-not-found", 'rule 2.2 ""\n', '""', "not in 2.2", "may not be empty", "2.2"),
    Bad("quote of marks only", "quote-not-found", 'rule 2.2 "… ."\n', '"…', "not in 2.2", "may not be empty", "2.2"),
    Bad("quote for words", "quote-not-found", 'rule 2.8\n  unobservable "unseen" for words "smoke a pipe"\n',
        "unobservable", "smoke a pipe", "smoke", "2.8"),
    Bad("clause of an edge", "unknown-clause", "rule 6.1\n  except 9.9\n  rate(i) = 1 to 1\n", "9.9",
        "no clause 9.9", "", "6.1"),
    Bad("clause of an edge without rules", "unknown-clause", "rule 6.1\n  except 6.3\n  rate(i) = 1 to 1\n",
        "6.3", "no rule stands on 6.3", "transcribe", "6.1"),
    Bad("label of an edge", "unknown-clause", "rule 6.1\n  except 6.3 [one]\n  rate(i) = 1 to 1\n"
        "rule 6.3 [two]\n  rate(i) = 1 to 1\n", "6.3", "no rule 6.3 [one]", "", "6.1"),
    Bad("clause of a breach", "unknown-clause",
        "rule 4.5\n  guest may complain(any) when rule 9.9 has been broken this evening\n", "9.9",
        "no clause 9.9", "", "4.5"),
    Bad("clause answered for", "unknown-clause", "rule 4.6\n  proprietor answers for 9.9\n", "9.9",
        "no clause 9.9", "", "4.6"),
    Bad("clause pointed to", "unknown-clause", "rule 4.6\n  points to 9.9\n", "9.9", "no clause 9.9", "", "4.6"),
    Bad("clause agreed with", "unknown-clause", "rule 4.6\n  agrees with 9.9\n", "9.9", "no clause 9.9", "",
        "4.6"),
    Bad("role that answers", "unknown-name", "rule 4.6\n  propietor answers for 2.5\n" + DUTY, "propietor",
        "no actor `propietor`", "proprietor", "4.6"),
    Bad("labels alike", "labels-alike", "rule 6.1 [one]\n  rate(i) = 1 to 1\nrule 6.1 [one]\n  fee(i) = 1\n",
        "rule", "6.1 [one] already, in line 4", "label of its own", "6.1"),
    Bad("no labels", "labels-alike", "rule 6.1\n  rate(i) = 1 to 1\nrule 6.1\n  fee(i) = 1\n", "rule",
        "6.1 already", "label of its own", "6.1"),
    # ------------------------------------------------------------------------------------------------ names
    Bad("name", "unknown-name", "rule 6.1\n  rate(i) = 1 to 1 when dors\n", "dors", "nothing here is called `dors`",
        "`doors`", "6.1"),
    Bad("define", "unknown-name", "rule 6.1\n  rate(i) = 1 to 1 when rat(i) = 1 to 1\n", "rat(i)",
        "no define or decision `rat`", "`rate`", "6.1"),
    Bad("part", "unknown-name", "rule 6.1\n  rate(i) = 1 to 1 when i.wort > 3\n", "i.wort", "has no `wort`",
        "`worth`", "6.1"),
    Bad("list", "unknown-name", "rule 6.1\n  fee(i) = 1 when Hook(1) has 2 artefacts\n", "Hook(1)",
        "no list of `artefacts`", None, "6.1"),
    Bad("event of a norm", "unknown-name", "rule 6.1\n  guest may depose(any)\n", "depose",
        "no event `depose`", "`deposit`", "6.1"),
    Bad("event of history", "unknown-name", "rule 6.1\n  fee(i) = 1 when cal(any) has happened this evening\n",
        "cal(any)", "no event `cal`", "`call`", "6.1"),
    Bad("event of a reset", "unknown-name",
        "rule 6.1\n  fee(i) = 1 when call(any) has happened since new_role\n", "new_role",
        "no event `new_role`", "`new_roll`", "6.1"),
    Bad("event since a breach", "unknown-name",
        DUTY + "rule 6.1\n  fee(i) = 1 when rule 2.5 has been broken since opn\n", "since",
        "no event `opn`", "`open`", "6.1"),
    Bad("event of mechanics", "unknown-name", "on opens\n  doors = yes\n", "on", "no event `opens`", "`open`"),
    Bad("event of a life", "unknown-name", "life shift ends clos\n", "life", "no event `clos`", "`close`"),
    Bad("event of chance", "unknown-name", "chance depos(worth) uniform\n", "chance", "no event `depos`",
        "`deposit`"),
    Bad("parameter of chance", "unknown-name", "chance deposit(price) uniform\n", "chance", "has no `price`",
        "worth"),
    Bad("event of a stock", "unknown-name",
        "chance deposit(peg) from 3 without replacement since new_rol\n", "chance", "no event `new_rol`",
        "`new_roll`"),
    Bad("actor of an event", "unknown-name", "event bow by atendant\n", "event", "no actor `atendant`",
        "`attendant`"),
    Bad("actor of a norm", "unknown-name", "rule 6.1\n  gest may complain(any)\n", "gest", "no actor `gest`",
        "`guest`", "6.1"),
    Bad("actor left out", "unknown-name", "rule 6.1\n  anyone but gest must not complain(any)\n", "anyone",
        "no actor `gest`", "`guest`", "6.1"),
    Bad("life of a field", "unknown-name", "state evning\n  wet: bool\n", "state", "no life `evning`", "`evening`"),
    Bad("life of history", "unknown-name", "rule 6.1\n  fee(i) = 1 when close has happened this evning\n",
        "this", "no life `evning`", "`evening`", "6.1"),
    Bad("life of a deadline", "unknown-name", "rule 6.1\n  attendant must close by end of evning when doors\n",
        "by end of", "no life `evning`", "`evening`", "6.1"),
    Bad("named argument", "unknown-name", "rule 6.1\n  guest may deposit(price: 3)\n", "price",
        "has no `price`", "worth", "6.1"),
    Bad("written part", "unknown-name", 'record Spot(peg: Peg) written "{pg}"\n', '"{pg}"', "no part `pg`", "`peg`"),
    Bad("type", "unknown-type", "define x(i: Itm): bool = yes\n", "Itm", "no type `Itm`", "`Item`"),
    Bad("type of a domain", "unknown-type", "define x: bool = some i in Itm: yes\n", "Itm", "no type `Itm`", "`Item`"),
    Bad("record", "unknown-type", "define x: bool = Itm(1) = Itm(1)\n", "Itm(1)", "no record or entity `Itm`",
        "`Item`"),
    Bad("decision", "unknown-decision", "rule 6.1\n  liabilty(i) = pay\n", "liabilty(i)",
        "nobody declared a decision `liabilty`", "`liability`", "6.1"),
    Bad("decision asked", "unknown-decision", "rule 6.1\n  asked liabilty(i)\n", "asked",
        "nobody declared a decision `liabilty`", "`liability`", "6.1"),
    Bad("value for a define", "unknown-decision",
        'supplied "why"\n  define party: bool = yes\nrule 6.1\n  party = no when doors\n', "party = no",
        "`party` is a define, and has one meaning already", "take the define away", "6.1"),
    Bad("supplied with other types", "supplied-otherwise",
        'decision valuable(i: Item): bool\nsupplied "why"\n  define valuable(p: Peg): bool = yes\n',
        "define valuable(p: Peg)", "with other types than the decision has",
        "valuable(i: Item), whose value is yes or no"),
    Bad("value of two enumerations", "ambiguous-name",
        "enum Mood: hat | cross\ndefine x: bool = hat = hat\n", "hat", "a value of Article and of Mood",
        "whose type is known"),
    Bad("event as a value", "event-as-value", "rule 6.1\n  fee(i) = 1 when call(i.guest)\n", "call(i.guest)",
        "`call` is an event", "has happened", "6.1"),
    # ------------------------------------------------------------------------------------------------ views
    Bad("view of no type", "unknown-type", "view i: Itm\n  text i\n", "view", "no type `Itm`", "`Item`"),
    Bad("view twice", "declared-twice", "view i: Item\n  text i\nview j: Item\n  text j\n", "view",
        "Item has a view already", "keep one"),
    Bad("shape unknown", "unknown-look", 'view i: Item\n  shape "til"\n', "shape", "no shape “til”", "`tile`"),
    Bad("shape twice", "declared-twice", 'view i: Item\n  shape "tile"\n  shape "disc"\n', "shape",
        "one shape", "keep one"),
    Bad("colour unknown", "unknown-look", 'view i: Item\n  colour "pink"\n', "colour", "no colour “pink”", '"black"'),
    Bad("mark on no condition", "type-mismatch", 'view i: Item\n  mark "dear" when i.worth\n', "i.worth",
        "where yes or no is expected", "write a condition"),
    Bad("view of history", "view-history", "view g: Guest\n  faded when call(g) has happened this evening\n", "view",
        "asks what has happened", "in a field"),
    Bad("view in no life", "unknown-name", 'view "It" in evning\n  text doors\n', "view", "no life `evning`",
        "`evening`"),
    Bad("scene twice", "declared-twice", 'view "It" in roll\n  text left\nview "It" in roll\n  text left\n', "view",
        "a view “It” already", "another title"),
    Bad("laid on no grid", "view", 'view "It" in evening\n  lay i in Item on p in Peg\n', "lay", "no grid to lay",
        "above it"),
    Bad("laid on other cells", "type-mismatch",
        'view "It" in evening\n  grid p in Peg at (p, 1)\n  lay i in Item on h in Hook\n', "h in Hook",
        "cells of the grid are of Peg", "on x in Peg"),
    Bad("grid of no numbers", "type-mismatch", 'view "It" in evening\n  grid p in Peg at (p, doors)\n', "doors",
        "where number is expected"),
    # ------------------------------------------------------------------------------------------------ types
    Bad("value of a decision", "type-mismatch", "rule 6.1\n  liability(i) = 3 to 2\n", "3 to 2",
        "where a Liability is expected", "pay, nothing, void", "6.1"),
    Bad("money where odds are due", "type-mismatch", "rule 6.1\n  rate(i) = i.worth\n", "i.worth",
        "money, where odds is expected", None, "6.1"),
    Bad("odds where money is due", "type-mismatch", "rule 6.1\n  fee(i) = 3 to 2\n", "3 to 2",
        "odds, where money is expected", None, "6.1"),
    Bad("no condition", "type-mismatch", "rule 6.1\n  fee(i) = 1 when i.worth\n", "i.worth",
        "where yes or no is expected", "write a condition", "6.1"),
    Bad("unlike things compared", "type-mismatch", "rule 6.1\n  fee(i) = 1 when i.worth = i.guest\n", "i.worth",
        "cannot be compared", "one kind", "6.1"),
    Bad("no value of the enumeration", "type-mismatch", "rule 6.1\n  fee(i) = 1 when i.article in {doors}\n",
        "i.article", "is never", None, "6.1"),
    Bad("number that is no value", "type-mismatch", "rule 6.1\n  fee(i) = 1 when i.article = 3\n", "3",
        "3 is no value of Article", "coat, hat", "6.1"),
    Bad("no order", "type-mismatch", "rule 6.1\n  fee(i) = 1 when i.here < i.paid\n", "i.here", "has no order",
        None, "6.1"),
    Bad("sum of what is no number", "type-mismatch", "define x: money = sum (i.here for i in Item)\n", "i.here",
        "where a number is expected"),
    Bad("arithmetic with what is no number", "type-mismatch", "define x: money = doors + 1\n", "doors",
        "where a number is expected"),
    Bad("money times money", "type-mismatch", "define x(i: Item): money = i.worth * i.worth\n", "i.worth",
        "no meaning between money and money", "multiplied"),
    Bad("parts of what has none", "type-mismatch", "define x: bool = doors.wide\n", "doors", "has no parts"),
    Bad("elements of what has none", "type-mismatch", "define x: bool = doors[1]\n", "doors", "has no elements",
        "lists and maps"),
    Bad("made of what has no parts", "type-mismatch", "define x: bool = Peg(1) = Peg(2)\n", "Peg(1)",
        "`Peg` has no parts"),
    Bad("in what is no set", "type-mismatch", "define x: bool = 1 in left\n", "1", "nothing is in"),
    Bad("over what is no set", "type-mismatch", "define x: bool = some y in left: yes\n", "left",
        "cannot be ranged over", "range over"),
    Bad("over a type without end", "type-mismatch",
        "type Big = 0..9999\ndefine x: bool = some y in Big: yes\n", "Big", "too many values"),
    Bad("a set as a value", "type-mismatch", "define x: bool = all (i in Item where i.here) = 1\n", "all",
        "a set is not a value", "give it a name"),
    Bad("a set of others", "type-mismatch", "define x: set of Guest = all (i in Item)\n", "all",
        "this is a set of Item"),
    Bad("always there", "type-mismatch", "define x: bool = doors exists\n", "doors", "always exists"),
    Bad("only lists gain", "type-mismatch", "on call(g)\n  doors gains yes\n", "doors", "only lists and sets gain",
        "VALUE"),
    Bad("only entities are new", "type-mismatch", "on call(g)\n  new g\n", "new", "only an entity"),
    Bad("one name of two types", "type-mismatch",
        "rule 6.1\n  guest must not deposit(x, x, any)\n", "x", "Item elsewhere", "two names", "6.1"),
    Bad("kind of a named type", "type", "type Wet = bool\n", "type", "a range or `id max N`", "record"),
    Bad("id where a type is written", "type", "define x(g: id max 3): bool = yes\n", "id max 3",
        "a kind of its own", "id max 24"),
    # ------------------------------------------------------------------------------------ ranges and constants
    Bad("option out of range", "out-of-range", "rule 3.5\n  option full: 3..4 = 5\n", "5", "5 is outside 3..4",
        "3 to 4", "3.5"),
    Bad("option no choice", "out-of-range", "rule 3.5\n  option full: {3, 6} = 5\n", "5", "no value of `full`",
        "one of its values", "3.5"),
    Bad("number out of range", "out-of-range", "define x: Peg = 7\n", "7", "7 is outside 1..6", "1 to 6"),
    Bad("range without values", "out-of-range", "define x: bool = some y in 4..2: yes\n", "4..2", "4..2 is empty"),
    Bad("range of no constants", "out-of-range", "define x(p: Peg): bool = p in {1..p}\n", "1", "not one of constants"),
    Bad("empty range", "empty-range", "type Odd = 5..3\n", "5..3", "5..3 is empty", "smaller first"),
    Bad("first value of a field", "constant", "state evening\n  n: 0..200 = left\n", "left", "is a constant"),
    Bad("default of an option", "constant", "option cap: 0..200 = left\n", "left", "default is a constant"),
    Bad("value of a written form", "constant",
        'record Spot(peg: 0..200) written "here" for (1 + 1), "{peg}"\n', '"here"', "are constants"),
    Bad("no first value", "initial", "state evening\n  best: Article\n", "best", "`best` needs a first value",
        "best: Article?"),
    Bad("parts written twice", "written", 'record Spot(peg: Peg) written "{peg}{peg}"\n', '"{peg}{peg}"',
        "names each part once", "for (…)"),
    # ------------------------------------------------------------------------------- declared twice, arity, use
    Bad("type twice", "declared-twice", "type Peg = 1..3\n", "type", "`Peg` is declared already", "another name"),
    Bad("enumeration twice", "declared-twice", "enum Peg: one | two\n", "enum", "`Peg` is declared already"),
    Bad("record twice", "declared-twice", "record Peg(n: 1..2)\n", "record", "`Peg` is declared already"),
    Bad("entity twice", "declared-twice", "entity Peg(n: 1..2) in evening\n", "entity", "`Peg` is declared already"),
    Bad("number twice", "declared-twice", "option cap: {500, 200, 500}\n", "{500", "`500` stands twice in `cap`",
        "each value once"),
    Bad("value twice", "declared-twice", "enum Mood: glad | cross | glad\n", "enum", "`glad` stands twice in Mood"),
    Bad("written twice", "declared-twice", 'enum Mood: glad "g" | grim "g"\n', "enum", "`g` stands twice"),
    Bad("life twice", "declared-twice", "life evening\n", "life", "`evening` is declared already"),
    Bad("field twice", "declared-twice", "state evening\n  doors: bool\n", "doors", "`doors` is declared already"),
    Bad("entity field twice", "declared-twice", "entity Box(n: 1..2) in evening\n  n: bool\n", "n",
        "`n` is declared already"),
    Bad("event twice", "declared-twice", "event open by guest\n", "event", "`open` is declared already"),
    Bad("parameter twice", "declared-twice", "event nod(g: Guest, g: Guest) by guest\n", "g: Guest",
        "`g` stands twice"),
    Bad("define twice", "declared-twice", "define doors: bool = yes\n", "define", "`doors` is declared already"),
    Bad("decision twice", "declared-twice", "decision rate: odds\n", "decision", "`rate` is declared already"),
    Bad("option twice", "declared-twice", "option left: 1..2\n", "option", "`left` is declared already"),
    Bad("arguments of an effect", "arity", "rule 6.1\n  liability(i, j) = pay\n", "liability(i, j)",
        "takes 1 argument(s), found 2", "liability(i)", "6.1"),
    Bad("one variable twice", "arity", "decision near(a: Item, b: Item): bool\nrule 6.1\n  near(x, x) = yes\n",
        "near(x, x)", "a variable of its own", "when", "6.1"),
    Bad("value as an effect's argument", "known-name",
        "decision warm(a: Article): bool\nrule 6.1\n  warm(fur) = yes\n", "warm(fur)",
        "`fur` is known already", "a name of its own", "6.1"),
    Bad("field as a question's argument", "known-name",
        "decision warm(a: Article): bool\nrule 6.1\n  asked warm(left)\n", "asked",
        "`left` is known already", "a name of its own", "6.1"),
    Bad("value as a parameter of mechanics", "known-name",
        "event mend(a: Article) by guest\non mend(fur)\n  left = 1\n", "on",
        "`fur` is a value of Article", "a name of its own"),
    Bad("arguments of a define", "arity", "define x(i: Item): bool = yes\ndefine y: bool = x(doors, doors)\n",
        "x(doors", "takes 1 argument(s), found 2", "x(i)"),
    Bad("no arguments of a define", "arity", "define x(i: Item): bool = yes\ndefine y: bool = x\n", "x",
        "`x` needs 1 argument(s)", "x(i)"),
    Bad("no arguments of a decision", "arity", "define y: bool = rate = 1 to 1\n", "rate",
        "`rate` needs 1 argument(s)", "rate(i)"),
    Bad("arguments of an act", "arity", "rule 6.1\n  guest may deposit(any, any)\n", "deposit(any, any)",
        "takes 3 argument(s), found 2", "deposit(item, peg, worth)", "6.1"),
    Bad("arguments of an act that has none", "arity", "rule 6.1\n  attendant may open(any)\n", "open(any)",
        "takes 0 argument(s), found 1", "write open", "6.1"),
    Bad("named argument of an act that has none", "unknown-name", "rule 6.1\n  attendant may open(peg: 3)\n",
        "peg: 3", "`open` has no `peg`", "it has no parameters", "6.1"),
    Bad("arguments of a decision that has none", "arity", "decision late: bool\nrule 6.1\n  late(i) = yes\n",
        "late(i)", "takes 0 argument(s), found 1", "write late", "6.1"),
    Bad("parameters of mechanics that have none", "arity", "on open(g)\n  doors = yes\n", "on",
        "`open` has 0 parameter(s)", "write on open"),
    Bad("arguments of history", "arity", "rule 6.1\n  fee(i) = 1 when deposit(i) has happened this evening\n",
        "deposit(i)", "takes 3 argument(s), found 1", "any", "6.1"),
    Bad("named and unnamed", "arity", "rule 6.1\n  guest may deposit(any, peg: 3)\n", "any",
        "all in order or all named", None, "6.1"),
    Bad("named twice", "arity", "rule 6.1\n  guest may deposit(peg: 3, peg: 4)\n", "peg: 4", "`peg` is given twice",
        None, "6.1"),
    Bad("parameters of mechanics", "arity", "on call(g, h)\n  doors = yes\n", "on", "`call` has 1 parameter(s)",
        "on call(guest)"),
    Bad("values of a written form", "arity", 'record Spot(peg: Peg) written "x" for (1, 2), "{peg}"\n', '"x"',
        "expected 1 value(s)"),
    Bad("no value", "argument", "define x: bool = y(any)\ndefine y(g: Guest): bool = yes\n", "any",
        "only a value can stand here", "acts and to history"),
    Bad("unused variable", "unused-variable", "rule 6.1\n  guest must not deposit(any, p, any)\n", "p",
        "`p` is bound here and used nowhere", "`any`", "6.1"),
    Bad("given that binds nothing", "given", "rule 6.2\n  given j.worth > 3\nrule 6.2(a)\n  fee(i) = 1\n",
        "given", "binds no effect", "check their names", "6.2"),
    # ------------------------------------------------------------------------------- lists, history, mechanics
    Bad("index without its guard", "unguarded-index",
        "rule 6.1\n  fee(i) = 1 when Hook(1).articles[2].article = hat\n", "Hook(1)",
        "element 2 is read where nothing says that it is there", "2 elements or more", "6.1"),
    Bad("index of a list itself without its guard", "unguarded-index",
        QUEUE + "define x: bool = wait has 1 element and wait[2].here\n", "wait[2]",
        "element 2 is read where nothing says that it is there", "2 elements or more"),
    Bad("a list has elements", "unknown-name", QUEUE + "define x: bool = wait has 2 item or more\n",
        "wait has 2 item or more", "has no list of `item`", "the `elements` of a list"),
    Bad("index that varies", "index",
        "rule 6.1\n  fee(i) = 1 when Hook(1) has 2 articles and Hook(1).articles[left].article = hat\n", "left",
        "a number from 1", "the first", "6.1"),
    Bad("history by too many", "history",
        "event e(a: Peg, b: Peg, c: Peg, d: Peg) by guest\n"
        "rule 6.1\n  guest must not e(a, b, c, d) when e(a, b, c, d) has happened this evening\n", "e(a",
        "at most", "`any`", "6.1"),
    Bad("history with where", "history",
        "rule 6.1\n  fee(i) = 1 when call(g where g = i.guest) has happened this evening\n", "g where",
        "no conditions", None, "6.1"),
    Bad("reset by another", "history",
        "rule 6.1\n  fee(i) = 1 when complain(any) has happened since call(i.guest)\n", "since",
        "must be named in the event before it", "same variables", "6.1"),
    Bad("breach since some", "history",
        DUTY + "rule 6.1\n  fee(i) = 1 when rule 2.5 has been broken since call(i.guest)\n", "since",
        "not of some", "since call", "6.1"),
    Bad("mechanics read an option", "mechanics", "option cap: 1..4\non call(g)\n  left = cap\n", "cap",
        "may not read the option `cap`", "whatever was permitted"),
    Bad("mechanics read a decision", "mechanics", "on call(g)\n  for each i in Item: i.worth = fee(i)\n", "fee(i)",
        "may not read the decision `fee`", "never whether it was right"),
    Bad("mechanics write to no place", "mechanics", "define x: bool = doors\non call(g)\n  x = yes\n", "x",
        "cannot be written to", "field of the state"),
    Bad("table lacks rows", "table", "define x(a: Article): money = table (a) { coat: 1; hat: 2 }\n", "table",
        "2 of its values have none", "no default"),
    Bad("table over numbers", "table", "define x(a: money): money = table (a) { 1: 1; 2: 2 }\n", "table",
        "a row for every value"),
    Bad("table with a row twice", "table", "define x(a: Peg): money = table (a) { 1: 1; 1: 2 }\n", "1",
        "has a row already", "keep one"),
    Bad("table with a row for no constant", "table", "define x(a: Peg): money = table (a) { 1: 1; a: 2 }\n", "a:",
        "key is a constant"),
    Bad("a set of several kinds", "type-mismatch",
        "rule 6.1\n  attendant must not call(any) when some x in {left, doors}: x = 1\n", "{left",
        "cannot stand in one set", "of one kind", "6.1"),
    # ----------------------------------------------------------------------------------------------- circles
    Bad("cycle of exceptions", "exception-cycle",
        "rule 6.1\n  except 6.3\n  fee(i) = 1\nrule 6.3\n  except 6.4\n  fee(i) = 2\n"
        "rule 6.4\n  except 6.1\n  fee(i) = 3\n", "except", "6.1 → 6.3 → 6.4 → 6.1", "drop one", "6.1"),
    Bad("circle of defines", "circle", "define a: bool = b\ndefine b: bool = a\n", "define", "define a → define b",
        "by itself"),
    Bad("circle of decisions", "circle",
        "rule 6.1\n  fee(i) = 1 when rate(i) = 1 to 1\nrule 6.3\n  rate(i) = 1 to 1 when fee(i) = 1\n", "",
        "decision fee", "by itself"),
    Bad("circle through the otherwise of an exception", "circle",
        "rule 5.1(a)\n  liability(i) = pay when fee(i) = 1\nrule 5.1(b)\n  liability(i) = nothing otherwise\n"
        "rule 6.1\n  unless 5.1(b)\n  fee(i) = 1\n", "", "decision fee", "by itself"),
    Bad("exception that meets nothing", "idle-exception",
        "rule 6.1\n  except 6.3\n  structural\nrule 6.3\n  fee(i) = 1\n", "6.3", "nothing here meets 6.3",
        "on both sides", "6.1"),
    Bad("exception for an effect that is not there", "idle-exception",
        "rule 6.1\n  except 6.3 for rate\n  fee(i) = 1\nrule 6.3\n  fee(i) = 1\n", "6.3",
        "nothing here meets 6.3", "on both sides", "6.1"),
    Bad("nothing to apply", "apply", DUTY + "rule 5.3\n  apply 2.5(a) where yes\n", "apply",
        "nothing to apply", "contribute to a decision", "5.3"),
    Bad("apply over two lists", "apply",
        "rule 5.1(a)\n  fee(i) = 1\nrule 6.2(b)\n  fee(i) = 2\nrule 5.3\n  apply 5.1(a) to 6.2(b) where yes\n",
        "apply", "not in one list", "5.1(g)", "5.3"),
    Bad("apply to no letter", "apply",
        "rule 6.1\n  fee(i) = 1\nrule 6.3\n  fee(i) = 2\nrule 5.3\n  apply 6.1 to 6.3 where yes\n", "6.1",
        "no lettered subparagraph", None, "5.3"),
    Bad("exception over what has no end", "unlinked",
        "rule 6.1\n  except 6.3\n  fee(i) = 1\n"
        "rule 6.3\n  guest may pay_fee(i, w) when w > i.worth\n", "guest may", "has no end",
        "name the same things", "6.3"),
    Bad("duty over what has no end", "unlinked",
        "rule 6.3\n  guest must pay_fee(i, w) at once when w > i.worth and i.here and not i.paid\n", "", "has no end",
        None, "6.3"),
    Bad("after in a duty", "after", "rule 6.1\n  attendant must close at once when after(doors)\n", "attendant",
        "after", None, "6.1"),
    Bad("after in an invariant", "after", "invariant dry\n  after(doors)\n", "", "after"),
    Bad("require of what is no option", "require", "rule 3.5\n  require doors\n", "", "option", None, "3.5"),
    # ------------------------------------------------------------------------------------------- acts, deadlines
    Bad("duty without a deadline", "deadline", "rule 6.1\n  attendant must close when doors\n", "close",
        "no deadline", "at once", "6.1"),
    Bad("permission with a deadline", "deadline", "rule 6.1\n  attendant may close at once\n", "at once",
        "a permission has no deadline", "when", "6.1"),
    Bad("prohibition with a deadline", "deadline", "rule 6.1\n  attendant must not close at once\n", "at once",
        "cannot take this deadline", "until", "6.1"),
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=[b.name for b in BAD])
def test_a_fault_is_refused_with_its_place_and_the_next_step(bad: Bad, tmp_path: Path) -> None:
    found = problems(bad.text, tmp_path)
    assert [p.code for p in found] == [bad.code], [render(p) for p in found]
    (problem,) = found
    lines = completed(bad.text).split("\n")
    assert problem.file == str(tmp_path / "example.rules")
    assert problem.line is not None
    assert problem.column is not None
    assert problem.excerpt == lines[problem.line - 1]
    assert problem.line > HEAD.count("\n")
    assert problem.excerpt[problem.column - 1 :].startswith(bad.under), render(problem)
    assert 1 <= problem.width <= len(problem.excerpt) - problem.column + 1
    assert bad.says in problem.message
    if bad.help is not None:
        assert problem.help
        assert bad.help in problem.help
    assert bad.clause is None or problem.clause == bad.clause
    shown = render(problem)
    assert f"[{bad.code}]" in shown
    assert "^" * problem.width in shown


def test_every_code_of_the_model_has_a_test() -> None:
    codes = {
        code
        for folder in ("model", "core")
        for path in (MODEL / folder).rglob("*.py")
        for code in re.findall(
            r"(?:error|problem)\([^()]*?(?:\([^()]*\)[^()]*?)*?,\s*\"([a-z]+(?:-[a-z]+)*)\"\s*[,)]",
            path.read_text(),
        )
        + re.findall(r"code=\"([a-z-]+)\"", path.read_text())
    }
    elsewhere = {
        "import-cycle", "unknown-module", "unknown-law", "no-law", "no-such-file", "no-such-ruleset",
        "nothing-to-extend", "used-rules", "no-name", "head-twice",
    }  # fmt: skip
    assert len(codes) > 30
    assert codes - {b.code for b in BAD} - elsewhere == set()


def test_the_faults_of_all_blocks_are_shown_together(tmp_path: Path) -> None:
    text = 'rule 9.9 "words"\nrule 6.1\n  fee(i) = 1 when dors\nrule 6.3\n  fee(i) = 1 when dors\n'
    assert [p.code for p in problems(text, tmp_path)] == ["unknown-clause", "unknown-name", "unknown-name"]


# --------------------------------------------------------------------------------------------- modules and laws
def failure(text: str, folder: Path) -> VerifierError:
    with pytest.raises(VerifierError) as found:
        loaded(text, folder)
    return found.value


def test_a_module_that_is_missing(tmp_path: Path) -> None:
    error = failure(f"ruleset a\nlaw {LAW}\nuse anyton/bsae\n", tmp_path)
    assert isinstance(error, RuleTextError)
    assert (error.problem.code, error.problem.line, error.problem.excerpt) == (
        "unknown-module", 3, "use anyton/bsae",
    )  # fmt: skip
    assert "anyton/bsae" in error.problem.message
    assert error.problem.help


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (f"ruleset a\nlaw {LAW}\nruleset b\n", 3, "there is a line `ruleset` already, line 1"),
        (f"ruleset a\nlaw {LAW}\n\nlaw {LAW}\n", 4, "there is a line `law` already, line 2"),
        (
            f"ruleset a\nlaw {LAW}\nin force from 1907-05-01\nin force from 1908-05-01\n",
            4,
            "there is a line `in force` already, line 3",
        ),
    ],
)
def test_a_module_says_once_what_it_is(text: str, line: int, says: str, tmp_path: Path) -> None:
    error = failure(text, tmp_path)
    assert (error.problem.code, error.problem.line, error.problem.message) == ("head-twice", line, says)
    assert error.problem.help == "a module says this once: delete one of them"


@pytest.mark.parametrize("text", ["", "\nactors guest\n"])
def test_a_module_without_a_name(text: str, tmp_path: Path) -> None:
    (tmp_path / "raffle.rules").write_text(text, "utf-8")
    with pytest.raises(RuleTextError) as found:
        load(tmp_path / "raffle.rules")
    problem = found.value.problem
    assert (problem.code, problem.line, problem.column) == ("no-name", 1, 1)
    assert "`ruleset raffle`" in (problem.help or "")


def test_a_used_module_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "b.rules").write_text("actors guest\n")
    error = failure("ruleset a\nuse b\n", tmp_path)
    assert (error.problem.code, error.problem.file) == ("no-name", str(tmp_path / "b.rules"))


def test_a_module_that_imports_itself(tmp_path: Path) -> None:
    error = failure("ruleset a\nuse a\n", tmp_path)
    assert (error.problem.code, error.problem.line) == ("import-cycle", 2)
    assert error.problem.help == "delete this line"


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "b.rules").write_text("ruleset b\nuse a\n")
    error = failure("ruleset a\nuse b\n", tmp_path)
    assert (error.problem.code, error.problem.line) == ("import-cycle", 2)
    assert error.problem.file == str(tmp_path / "b.rules")
    assert "a.rules → " in error.problem.message


def test_a_module_used_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "b.rules").write_text("ruleset b\nuse anyton/base\n")
    assert len(loaded(f"ruleset a\nlaw {LAW}\nuse anyton/base\nuse b\n", tmp_path).sources) == 3


def test_a_law_that_is_not_there(tmp_path: Path) -> None:
    error = failure("ruleset a\nlaw anyton/cloakrom\n", tmp_path)
    assert (error.problem.code, error.problem.line) == ("unknown-law", 2)
    assert "anyton/cloakroom" in (error.problem.help or "")


def test_a_law_of_ones_own_that_is_misspelt(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "raffle.law").write_text("no header\n")
    error = failure("ruleset a\nlaw our/rafle\n", tmp_path)
    assert "ours/raffle" in (error.problem.help or "")


def test_a_law_that_is_malformed(tmp_path: Path) -> None:
    (tmp_path / "bad.law").write_text("no header\n")
    error = failure("ruleset a\nlaw bad\n", tmp_path)
    assert isinstance(error, LawError)
    assert error.problem.code == "no-law-header"


def test_a_rule_without_a_law(tmp_path: Path) -> None:
    error = failure('ruleset a\nrule 1.1 "words"\n', tmp_path)
    assert (error.problem.code, error.problem.line, error.problem.clause) == ("no-law", 2, "1.1")


def test_a_ruleset_that_is_not_there() -> None:
    with pytest.raises(RequestError) as found:
        load("anyton/bse", [EXAMPLES])
    assert found.value.problem.code == "no-such-ruleset"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as found:
        load(tmp_path / "none.rules")
    assert found.value.problem.code == "no-such-file"


def test_a_ruleset_that_is_there() -> None:
    assert load("anyton/base", [EXAMPLES]).name == "anyton/base"

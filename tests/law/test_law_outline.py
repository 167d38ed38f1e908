"""Addresses, what stands under what, intros and tails, counts."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from verifier.errors import LawError, RequestError
from verifier.law import Clause, Law, load_law, read_law
from verifier.resources import root

README = (root("spec") / "law" / "README.md").read_text(encoding="utf-8")
COUNTS = re.findall(r"^\| (\S+/\S+) \| .* \| (\d+) \| (\d+) \| (\d+) \|$", README, re.MULTILINE)
MakeLaw = Callable[..., Law]


def test_counts_are_those_of_the_readme(laws: Mapping[str, Law]) -> None:
    counted = {
        law_id: (
            sum(clause.kind == "section" for clause in law.clauses.values()),
            len(law.definitions()),
            len(law.leaves()),
        )
        for law_id, law in laws.items()
    }
    assert counted == {law_id: (int(a), int(b), int(c)) for law_id, a, b, c in COUNTS}


@pytest.mark.parametrize(
    ("law_id", "leaves", "definitions"),
    [
        ("nz/gazette-1998-9-division-2", 129, 8),
        ("nz/gazette-1998-15-division-7", 72, 7),
        ("nz/gazette-1998-16-division-8", 74, 0),
    ],
)
def test_counts_of_new_zealand_1998(
    laws: Mapping[str, Law], law_id: str, leaves: int, definitions: int
) -> None:
    assert (len(laws[law_id].leaves()), len(laws[law_id].definitions())) == (leaves, definitions)


def test_leaves_are_counted_as_the_readme_says(blackjack: Law, roulette: Law) -> None:
    leaves = {clause.address for clause in blackjack.leaves()}
    assert {"2", "5.2", "5.1(a)", "3.2(b)(iii)", "14.3(c)"} <= leaves
    assert not leaves & {"1", "1.0 Box", "5", "5.1", "3.2(b)", "Appendix 1"}
    leaves = {clause.address for clause in roulette.leaves()}
    assert "3.9" in leaves
    assert not leaves & {"3.9 [Split]", "Appendix 1(1)", "Appendix 3"}


@pytest.mark.parametrize(
    ("law_id", "address", "kind", "words"),
    [
        ("nz/gazette-1998-9-division-2", "2", "section", "The rules contained in this division"),
        ("nz/gazette-1998-9-division-2", "5.10", "", ""),
        ("nz/gazette-1998-9-division-2", "8.10", "rule", "No player or spectator may"),
        ("nz/gazette-1998-9-division-2", "3.2(b)(ii)", "item", "dealer must stand on 17"),
        ("nz/gazette-1998-9-division-2", "1.0 Hard Total", "definition", "means the point total of a hand"),
        (
            "nz/gazette-1998-15-division-7",
            "1.0 Tournament Chips",
            "definition",
            "in relation to a tournament",
        ),
        ("nz/gazette-1998-16-division-8", "3.1(i)", "item", "the numbers 19 to 36"),
        ("nz/gazette-1998-16-division-8", "3.1(i)(i)", "item", "win if any of those numbers is spun"),
        ("nz/gazette-1998-16-division-8", "3.1(h)(ii)", "item", "otherwise lose"),
        ("nz/gazette-1998-16-division-8", "3.9 [Split]", "row", "Split 17 to 1"),
        ("nz/gazette-1998-16-division-8", "Appendix 2(9)", "item", "Courtesy Line"),
        ("nz/gazette-1998-16-division-8", "Appendix 4 [Red]", "row", "Red"),
        ("nz/gazette-1994-112-page", "4.1(g)", "item", "lose if the point total of the dealer"),
        ("uk/si-1994-2899-regulation-7", "7", "section", ""),
        ("uk/si-1994-2899-regulation-7", "7(13)", "item", "Subject to paragraph (10)"),
        ("uk/si-1994-2899-regulation-7", "7(5)(a)", "item", "the banker's score will exceed 21"),
        ("ny/9-nycrr-4620.5", "(h)(1)", "item", "If the dealer's face-up card is a 10-count"),
        ("ny/9-nycrr-4620.5", "(h)(3)(ii)", "item", "to ask for an additional card"),
        ("ny/9-nycrr-4620.5", "(i)(1)", "item", "The dealer turns up the dealer's hole card"),
        ("ny/9-nycrr-4620.5", "(h) [Option two]", "row", 'Option two: "Push" on natural 21 only.'),
    ],
)
def test_addresses(laws: Mapping[str, Law], law_id: str, address: str, kind: str, words: str) -> None:
    law = laws[law_id]
    if not kind:
        assert address not in law.clauses
        return
    clause = law.clause(address)
    assert (clause.address, clause.kind) == (address, kind)
    assert " ".join(clause.words).startswith(words)
    line = law.path.read_text(encoding="utf-8").splitlines()[clause.line - 1]
    assert re.match(rf"[#| ]*{re.escape(clause.label)}", line)


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("5.0", "5"),
        ("1.0 [Super Sevens Wager]", "1.0 Super Sevens Wager"),
        ("5.1(c)", "5.1(c)"),
        ("appendix 1", "Appendix 1"),
        ("appendix 9", "appendix 9"),
        ("9.9(z)", "9.9(z)"),
    ],
)
def test_canonical_spelling(blackjack: Law, spelling: str, address: str) -> None:
    assert blackjack.canonical(spelling) == address


@pytest.mark.parametrize(
    ("law_id", "address", "intro_ends", "tail"),
    [
        ("nz/gazette-1998-9-division-2", "5.5", "no player shall:", "and no dealer or other person shall"),
        ("nz/gazette-1998-9-division-2", "5.8", "limit any person:", "to wagering only the amount"),
        ("nz/gazette-1998-9-division-2", "9.2", "and then:", "Players may then make an insurance wager"),
        ("nz/gazette-1998-9-division-2", "10.3", "has a blackjack:", "Where a player elects to receive"),
        ("nz/gazette-1998-9-division-2", "14.3(c)", "not be required to do so.", "In any event, only 1"),
        ("nz/gazette-1998-9-division-2", "14.3", "wagers on a box:", ""),
        ("nz/gazette-1998-9-division-2", "15.7", "if:", "is voided for any reason"),
        ("nz/gazette-1998-15-division-7", "4.8", "either:", "in the same round, the casino operator"),
        ("nz/gazette-1998-15-division-7", "6.11", "combined with:", "and so on. This rule shall not apply"),
        ("nz/gazette-1998-16-division-8", "2.3", "wheel shall:", "The numbered compartments shall be"),
        ("nz/gazette-1998-16-division-8", "3.1", "0 to 36 inclusive:", "An illustration of the manner"),
        ("nz/gazette-1998-16-division-8", "3.6", "no player shall:", "Notwithstanding subparagraph (b)"),
        ("nz/gazette-1998-16-division-8", "3.9", "following odds: Wager Payout Odds", ""),
        ("nz/gazette-1998-16-division-8", "5.1", "If:", "the dealer or game supervisor shall announce"),
        ("uk/si-1994-2899-regulation-7", "7(5)", "not exceeding 21, and—", "but the wager shall be subject"),
        ("ny/9-nycrr-4620.5", "(h)", "one of the following options:", ""),
    ],
)
def test_words_before_and_after_a_list(
    laws: Mapping[str, Law], law_id: str, address: str, intro_ends: str, tail: str
) -> None:
    clause = laws[law_id].clause(address)
    assert clause.intro.endswith(intro_ends)
    assert clause.tail.startswith(tail)
    assert bool(clause.tail) == bool(tail) == (clause.tail_line is not None)
    if clause.tail_line is not None:
        line = laws[law_id].path.read_text(encoding="utf-8").splitlines()[clause.tail_line - 1]
        assert line.strip() == clause.tail


def test_words_broken_over_pages_are_joined(blackjack: Law, laws: Mapping[str, Law]) -> None:
    assert "until a seated player accepts the cut" in blackjack.clause("7.4").intro
    assert "elect to be paid immediately under this rule, in which event" in blackjack.clause("10.3(b)").intro
    assert "using the shuffled cards, which" in blackjack.clause("16.7").intro
    tournament = laws["nz/gazette-1998-15-division-7"]
    assert "following the round during which the cutting card" in tournament.clause("6.3").intro


def test_headings_are_no_words(blackjack: Law, laws: Mapping[str, Law]) -> None:
    assert (blackjack.clause("5").heading, blackjack.clause("5").words) == ("Wagers", ())
    assert blackjack.clause("1.0 Box").heading == "Box"
    assert laws["uk/si-1994-2899-regulation-7"].clause("7").heading == "Blackjack"
    york = laws["ny/9-nycrr-4620.5"]
    assert (york.clause("(b)").heading, york.clause("(b)").text) == ("Personnel.", "")
    assert york.clause("(b)(1)").heading == "Dealer."
    assert york.clause("(b)(1)").intro.startswith("The dealer is the person")


def test_cells_of_a_row(roulette: Law) -> None:
    assert roulette.clause("3.9 [Straight Up]").cells == ("Straight Up", "35 to 1")
    assert roulette.clause("3.9").cells == ()
    assert len(roulette.clause("3.9").children) == 14


def test_under(blackjack: Law, roulette: Law) -> None:
    assert blackjack.is_under("5.1(c)", "5.1")
    assert blackjack.is_under("5.1(c)", "5")
    assert blackjack.is_under("1.0 Box", "1.0")
    assert roulette.is_under("3.1(i)(i)", "3.1(i)")
    assert roulette.is_under("3.9 [Split]", "3.9")
    assert not blackjack.is_under("5.1", "5.1")
    assert not blackjack.is_under("5", "5.1")
    assert not blackjack.is_under("15.1", "5")
    assert not blackjack.is_under("16.10", "16.1")
    with pytest.raises(LawError, match=r"no clause 5\.10"):
        blackjack.is_under("5.10", "5.1")


def test_descendants_and_ancestors(blackjack: Law) -> None:
    below = [clause.address for clause in blackjack.descendants("3.2")]
    assert below == ["3.2(a)", "3.2(b)", "3.2(b)(i)", "3.2(b)(ii)", "3.2(b)(iii)", "3.2(c)"]
    assert [clause.address for clause in blackjack.ancestors("3.2(b)(i)")] == ["3.2(b)", "3.2", "3"]
    assert blackjack.descendants("5.2") == ()


def test_clauses_stand_in_the_order_of_the_document(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        lines = [clause.line for clause in law.clauses.values()]
        assert lines == sorted(lines)
        for clause in law.clauses.values():
            assert clause.parent is None or clause in law.clauses[clause.parent].children


def test_no_label_is_skipped(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        lists = [clause.children for clause in law.clauses.values()]
        for siblings in [*lists, tuple(c for c in law.clauses.values() if c.parent is None)]:
            numbered = [c for c in siblings if c.kind in {"rule", "item"}]
            labels = [c.label.split(".")[-1] if c.kind == "rule" else c.label.strip("().") for c in numbered]
            assert labels in (
                [str(n) for n in range(1, len(labels) + 1)],
                list("abcdefghijklmnopqrstuvwxyz"[: len(labels)]),
                ["i", "ii", "iii", "iv"][: len(labels)],
            )


def test_contents_are_the_headings(laws: Mapping[str, Law]) -> None:
    for law_id in (
        "nz/gazette-1998-9-division-2",
        "nz/gazette-1998-15-division-7",
        "nz/gazette-1998-16-division-8",
    ):
        law = laws[law_id]
        tops = [
            (f"Section {c.address}" if c.kind == "section" else c.address, c.heading)
            for c in law.clauses.values()
            if c.parent is None
        ]
        assert list(law.contents) == tops


def test_unknown_clause_names_what_there_is(blackjack: Law, laws: Mapping[str, Law]) -> None:
    with pytest.raises(LawError) as caught:
        blackjack.clause("5.8(c)")
    problem = caught.value.problem
    assert problem.code == "unknown-clause"
    assert problem.clause == "5.8(c)"
    assert problem.help is not None
    assert problem.help.startswith("under 5.8 there are 5.8(a), 5.8(b)")
    with pytest.raises(LawError, match=r"near in spelling: 1\.0 Insurance Wager"):
        blackjack.clause("Insurance Wager")
    with pytest.raises(LawError, match="its topmost clauses are 7"):
        laws["uk/si-1994-2899-regulation-7"].clause("xyz")
    with pytest.raises(LawError, match="nothing stands under 2"):
        blackjack.clause("2.1")


def test_unknown_law_names_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"did you mean nz/gazette-1998-9-division-2\?"):
        load_law("nz/gazette-1998-9-division2")
    with pytest.raises(RequestError, match=r"there are ny/9-nycrr-4620\.5"):
        load_law("zzz")
    for outside in (
        "../law/nz/gazette-1994-112-page",
        "/etc/passwd",
        "nz//x",
        "",
        "NZ/gazette-1994-112-page",
    ):
        with pytest.raises(RequestError):
            load_law(outside)


def test_own_law_is_found_before_the_shipped_one(tmp_path: Path, header: str) -> None:
    own = tmp_path / "nz" / "gazette-1994-112-page.law"
    own.parent.mkdir()
    own.write_text(f"---\n{header}---\n# 3.0 Own\n3.1 Own words.\n", encoding="utf-8")
    law = load_law("nz/gazette-1994-112-page", [tmp_path])
    assert (law.title, law.path) == ("Example", own)
    assert load_law("uk/si-1994-2899-regulation-7", [tmp_path]).title == "Blackjack (regulation 7)"


def test_example_of_the_readme_loads(tmp_path: Path) -> None:
    found = re.search(r"```law\n(.*?)```", README, re.DOTALL)
    assert found is not None
    (tmp_path / "example.law").write_text(found[1], encoding="utf-8")
    law = load_law("example", [tmp_path])
    assert list(law.clauses) == [
        "1", "1.0 Box", "1.0 Chips", "2", "2.1", "2.1(a)", "2.1(b)", "2.1(b)(i)", "2.1(b)(ii)",
        "2.2", "2.2 [Straight Up]", "2.2 [Split]", "Appendix 1", "Appendix 1(1)",
    ]  # fmt: skip
    assert law.clause("2.1").tail == "and no dealer shall permit any player to do so."
    assert law.clause("1.0 Chips").words[:3] == ("in", "relation", "to")


def test_words_that_open_and_close_a_section(make_law: MakeLaw) -> None:
    law = make_law("# 5.0 Wagers\nIn this section:\nso far as it applies:\n5.1 Pay.\nThat is all.\n")
    assert law.clause("5").intro == "In this section: so far as it applies:"
    assert law.clause("5").tail == "That is all."


def test_a_file_that_has_changed_is_read_anew(tmp_path: Path, header: str) -> None:
    path = tmp_path / "example.law"
    for words in ("One rule.", "Another rule.", "One rule."):
        path.write_text(f"---\n{header}---\n# 5.0 Wagers\n5.1 {words}\n", encoding="utf-8")
        law = read_law(path, "example")
        assert law.clause("5.1").intro == words
        assert law.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_law(path, "another").id == "another"


def test_a_clause_is_a_value(blackjack: Law) -> None:
    clause = blackjack.clause("5.1")
    assert isinstance(clause, Clause)
    with pytest.raises(AttributeError):
        clause.intro = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        blackjack.clauses["5.1"] = clause  # type: ignore[index]


def test_importing_the_law_loads_neither_lark_nor_yaml() -> None:
    code = "import sys, verifier.law; print(sorted({'lark', 'yaml', 'regex', 'duckdb'} & set(sys.modules)))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    assert shown.stdout.strip() == "[]"

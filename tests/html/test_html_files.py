"""What is written: files, tables, policy, texts made inert; nothing here opens a browser."""

from __future__ import annotations

import base64
import csv
import json
import re
import zlib
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from html_pages import CARDS, HOSTILE, ROUND, TURNED, UNSEEN, megabyte

from verifier.check.engine import Prepared, prepare
from verifier.check.opening import Logs
from verifier.check.played import Wanted, brief, play
from verifier.check.result import Entry
from verifier.cli.app import run
from verifier.errors import RequestError, escaped
from verifier.report.html import check
from verifier.report.html.check import MARKER, Request, Shown, faults_view, single
from verifier.report.html.draw import drawing
from verifier.report.html.faults import COLUMNS, FaultBook, harmless
from verifier.report.html.page import Site, anchor, body, data_text, environment
from verifier.report.html.rounds import Painter, round_view
from verifier.report.html.words import inert, logged
from verifier.run.view import Board, Drawn, Thing, Things, Word
from verifier.version import code_digest


class _Reader(HTMLParser):
    """The tags of a page with their attributes, ids, texts and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def ids(self) -> list[str]:
        return [a["id"] or "" for _, a in self.tags if "id" in a]


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def test_a_report_has_its_pages_and_tables(round_report: Path) -> None:
    names = {str(p.relative_to(round_report)) for p in round_report.rglob("*") if p.is_file()}
    assert names == {
        "index.html", "clauses.html", "faults.html", "rounds/0001.html", "data/faults-0001.js", "data/index.js",
        "faults.csv", "faults.parquet", MARKER,
    }  # fmt: skip


def test_the_front_page_answers_first(round_report: Path) -> None:
    text = (round_report / "index.html").read_text("utf-8")
    body = text[text.index("<main") :]
    first = body.index("The log is not in order: 1 fault.")
    for later in (
        "NZD 10.00",
        "Who is short",
        "What was examined",
        "What could not be checked",
        "Readings",
        "gazette check",
    ):
        assert first < body.index(later), later
    assert re.search(r"<dd>Example Casino</dd>", body)
    assert "boxes_on_layout" in body
    assert "stated in the log" in body
    assert f"gazette check {ROUND} --rules {CARDS}" in body


@pytest.mark.parametrize("name", ["round_report", "hostile_report", "long_report"])
def test_every_page_lets_only_its_own_script_run(name: str, request: pytest.FixtureRequest) -> None:
    for path in pages(request.getfixturevalue(name)):
        reader = _Reader(path.read_text("utf-8"))
        policies = [
            a["content"] or "" for t, a in reader.tags if a.get("http-equiv") == "Content-Security-Policy"
        ]
        assert len(policies) == 1
        assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policies[0]
        assert not [a for _, a in reader.tags if any(n.startswith("on") or n == "style" for n in a)]
        assert len([1 for t, a in reader.tags if t == "script" and a.get("type") is None]) == 1
        ids = reader.ids()
        assert len(ids) == len(set(ids)), path
        for tag, attributes in reader.tags:
            for attribute in ("href", "src"):
                assert not re.match(r"(?i)[a-z]+:|//", attributes.get(attribute) or ""), (tag, attributes)


@pytest.mark.parametrize("name", ["round_report", "hostile_report", "long_report"])
def test_every_link_leads_somewhere(name: str, request: pytest.FixtureRequest) -> None:
    ids = {path: set(_Reader(path.read_text("utf-8")).ids()) for path in pages(request.getfixturevalue(name))}
    for path in ids:
        for tag, attributes in _Reader(path.read_text("utf-8")).tags:
            if tag != "a":
                continue
            file, _, fragment = (attributes["href"] or "").partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), (path, file)
            if file.endswith("round.html") and fragment.startswith("round-"):
                assert 100 < int(fragment[6:]) <= 303  # what is unpacked there
            elif fragment and not fragment.startswith(("fault-", "clause=")):
                assert fragment in ids[target], (path.name, file, fragment)


def test_hostile_words_are_text_and_nothing_else(hostile_report: Path) -> None:
    for path in pages(hostile_report):
        text = path.read_text("utf-8")
        reader = _Reader(text)
        assert not {"img", "iframe", "object", "form" if path.parent.name == "rounds" else "embed"} & {
            t for t, _ in reader.tags
        }
        assert not set("\u202e\u2066\x07\x1b") & set(text)
        assert len(text) < 200_000
    said = (hostile_report / "data" / "faults-0001.js").read_text("utf-8")
    assert "<" not in said
    assert said.isascii()


def own_columns(text: str) -> list[str]:
    """The operator's own columns on a page of a round: for each step names and values, as text."""
    found = re.findall(r'<dl class="numbers own">(.*?)</dl>', text, re.DOTALL)
    return [unescape(part) for dl in found for part in re.findall(r"<d[td]>(.*?)</d[td]>", dl, re.DOTALL)]


def test_columns_of_the_operators_own_stand_beside_each_step(
    hostile_report: Path, round_report: Path
) -> None:
    for number, name in enumerate(HOSTILE, 1):
        text = (hostile_report / "rounds" / f"{number:04d}.html").read_text("utf-8")
        note = escaped(megabyte(TURNED + name)[:400]) + "… (1,048,176 more characters)"
        told = "true" if number == 2 else "false"
        assert own_columns(text) == ["x_note", note, f"x_{escaped(name)}", escaped(name), "x_told", told] * 4
    assert own_columns((round_report / "rounds" / "0001.html").read_text("utf-8")) == []


def test_what_a_header_states_under_keys_of_the_operators_own_is_on_the_front_page(
    hostile_report: Path, round_report: Path
) -> None:
    text = (hostile_report / "index.html").read_text("utf-8")
    found = re.findall(
        r"<dt>(x_.*?)</dt><dd>(.*?) <span class=.dim.>\(the operator’s own\)</span></dd>", text
    )
    assert [(unescape(name), unescape(value)) for name, value in found] == [
        (f"x_{escaped(HOSTILE[1])}", escaped(HOSTILE[1])),
        ("x_told", "true"),
        ("x_long", escaped(megabyte(TURNED + HOSTILE[0])[:400]) + "… (1,048,176 more characters)"),
    ]
    assert "the operator’s own" not in (round_report / "index.html").read_text("utf-8")


def test_columns_of_the_operators_own_are_inert_and_no_more_than_a_page_bears(
    bridge: Prepared, hostile_report: Path
) -> None:
    path = next(hostile_report.parent.glob("*.jsonl"))
    played = next(iter(play(Logs([str(path)]), bridge, [Wanted(1, str(path), 3, HOSTILE[0])])))
    long = "<i>" + UNSEEN + "y" * 1_000_000
    evil = tuple((f"x_{n}<b>{UNSEEN}", brief(long) if n % 2 else long) for n in range(1_000))
    steps = tuple(replace(step, extras=evil) for step in played.steps)
    view = round_view(replace(played, steps=steps), "1", Painter(str))
    site = Site("a", False, ())
    text = body("round.html.j2", site, round=view, clause_of={}, back=None, on=None)
    assert "i" not in {tag for tag, _ in _Reader(text).tags}
    assert not (set(UNSEEN) - set(escaped(UNSEEN))) & set(text)
    assert "and 976 more columns" in text
    assert len(text) < 24 * 600 * len(steps) + 100_000


def test_cells_of_the_tables_are_no_formulas(hostile_report: Path) -> None:
    with (hostile_report / "faults.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["table"] for row in rows] == [harmless(name) for name in HOSTILE]
    assert not [
        cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    ]
    kept = pq.read_table(hostile_report / "faults.parquet").to_pylist()
    assert tuple(kept[0]) == COLUMNS
    assert [row["table"] for row in kept] == HOSTILE  # a table of data keeps what the log says
    assert [row["short_amount"] for row in kept] == [str(10 + n) for n in range(1, len(HOSTILE) + 1)]


FORMULAS = [
    "=1",
    "+1",
    "-1",
    "@a",
    "\tx",
    "\rx",
    "\nx",
    "\0x",
    "＝1",
    "＋1",
    "－1",
    "＠a",
    " =1",
    "\u200b =1",
]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_like_a_formula_is_disarmed(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("\t=1", "'\t'=1"),
        ("a;=1", "a;'=1"),
        ("ann; -1; bob", "ann;' -1; bob"),
        ("a\n=1", "a\n'=1"),
        ("=1;=2", "'=1;'=2"),
    ],
)
def test_a_formula_behind_a_separator_is_disarmed(cell: str, shown: str) -> None:
    assert harmless(cell) == shown


@pytest.mark.parametrize("cell", ["", "a=1", "1", "'=1", "a; b=-1", "a -1"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert harmless(cell) == cell


def test_long_text_is_cut_and_says_so() -> None:
    assert logged("x" * 1_000_000) == "x" * 400 + "… (999,600 more characters)"
    assert inert("a\u202eb") == "a\\u202eb"


def test_a_picture_shows_hostile_words_inert() -> None:
    words = (Word("<b>" + UNSEEN),)
    thing = Thing("x", "x" * 1_000_000, "frame", (words, (Word("y" * 1_000_000),)), None, ("<i>" * 100_000,))
    svg = drawing(Drawn("<u>", (words,), (Things("<s>", (thing,)),)), (), str)
    assert not {"<b>", "<i>", "<u>", "<s>"} & set(re.findall(r"<[a-z]+>", svg))
    assert not set(UNSEEN) & set(svg) - set(UNSEEN.encode("unicode-escape").decode())
    assert len(svg) < 10_000


def test_a_marked_cell_of_a_board_is_marked_where_it_lies() -> None:
    plain = Thing("n 1", "1", "cell", ((Word("1"),),), "red")
    marked = Thing("n 2", "2", "cell", ((Word("2"),),), "black", ("here",))
    disc = Thing("w", "w", "disc", ((Word("ann"),), (Word("1-2"),), (Word("5"),)), None, ("paid",))
    board = Board(((0, 0, plain), (1, 0, marked)), ((disc, ((0, 0), (1, 0))),))
    svg = drawing(Drawn("a board", (), (board,)), (), str)
    assert '<g transform="translate(34 0)"><rect class="marked"' in svg
    assert svg.count('class="marked"') == 1
    assert "1: ann · 1-2 · 5 [paid]" in svg


@pytest.mark.parametrize(("words", "style"), [(20, "scene near"), (85, "scene")])
def test_a_scene_of_whole_pixels_is_made_smaller_on_a_phone_where_it_can_be_read(
    words: int, style: str
) -> None:
    svg = drawing(Drawn("a", ((Word("x" * words),),), ()), (), str)
    assert re.match(rf'<svg class="{style}" .* width="\d+" height="\d+">', svg)


def test_a_fault_shows_hostile_words_inert() -> None:
    from verifier.check.result import Finding, LoggedEvent, Named

    evil = "<script>" + UNSEEN + "x" * 1_000_000
    finding = Finding("broken", "forbidden", note=evil, rests_on=(Named(evil, evil),), explanation=(evil,))
    event = LoggedEvent("dealer", "e", (Named(evil, evil),))
    entry = Entry(1, evil, 1, evil, (("round", evil),), 1, evil, event, (finding,))
    text = data_text(FaultBook("NZD", 2, {}).add(entry))
    assert not set("<>\u202e\x1b") & set(text)
    assert len(text) < 20_000


def test_data_ends_no_script() -> None:
    text = data_text({"a": "</script><!-- &\u2028\x7f"})
    assert not set("<>&\u2028\x7f") & set(text)
    assert json.loads(text) == {"a": "</script><!-- &\u2028\x7f"}


def test_templates_escape_everything() -> None:
    assert environment().autoescape is True
    assert environment().from_string("{{ x }}").render(x="<b>") == "&lt;b&gt;"


def test_anchors_of_different_clauses_differ() -> None:
    names = ["5.1", "5.1(a)", "5.1 [a]", "5.1_a", "1.0 Box", "appendix 1(2)"]
    assert len({anchor(name) for name in names}) == len(names)


def test_a_long_report_counts_everything_and_draws_every_round(long_report: Path) -> None:
    result = json.loads((long_report / MARKER).read_text("utf-8"))
    assert result["entries_total"] == 303
    data = {p.name for p in (long_report / "data").iterdir()}
    assert {n for n in data if n.startswith("faults-")} == {"faults-0001.js", "faults-0002.js"}
    assert {n for n in data if n.startswith("links-")} == {"links-0002.js"}
    assert len([n for n in data if n.startswith("rounds-")]) == 11  # 203 of them, twenty in a file
    assert len(list((long_report / "rounds").iterdir())) == 100
    links = json.loads(
        (long_report / "data" / "links-0002.js").read_text("utf-8")[len("gazette.links(2,") : -3]
    )
    assert sorted(map(int, links)) == list(range(201, 304))
    with (long_report / "faults.csv").open(encoding="utf-8", newline="") as stream:
        assert sum(1 for _ in csv.DictReader(stream)) == 303
    text = (long_report / "faults.html").read_text("utf-8")
    assert "303 rounds drawn as played" in text
    assert "no round drawn" not in text
    north, south = sum(range(1, 251)), sum(range(1, 54))
    for name, count, short in (
        ("north", "250", north),
        ("south", "53", south),
        ("1.1(a)", "303", north + south),
    ):
        row = re.search(
            rf">{re.escape(name)}</button></th><td class=\"n\">([^<]*)</td><td class=\"n\">([^<]*)<", text
        )
        assert row is not None, name
        assert row.groups() == (count, f"NZD {short / 100:,.2f}")


def test_a_packed_round_is_what_the_template_made(long_report: Path) -> None:
    text = (long_report / "data" / "rounds-0001.js").read_text("utf-8")
    assert text.isascii()
    pieces = json.loads(text[len("gazette.rounds(1,") : -3])
    assert len(pieces) == 20
    html = zlib.decompress(base64.b64decode(pieces[0])).decode()
    reader = _Reader(html)
    assert reader.tags[0] == ("section", reader.tags[0][1])
    assert reader.tags[0][1]["id"] == "round-101"
    assert not {"script", "style", "img"} & {tag for tag, _ in reader.tags}
    assert "rounds/0100.html" in {a["href"] for t, a in reader.tags if t == "a"}


def test_one_file_holds_all(cards: Prepared) -> None:
    text, result = single(Request((str(ROUND),), CARDS), cards)
    reader = _Reader(text)
    ids = reader.ids()
    assert len(ids) == len(set(ids))
    links = [a["href"] or "" for t, a in reader.tags if t == "a"]
    assert [link for link in links if not link.startswith("#")] == []
    assert {link[1:] for link in links if not link.startswith(("#fault-", "#clause="))} <= set(ids)
    assert "'self'" not in text[: text.index("<style>")]
    assert int(result.exit_code) == 1


VOID = Path(__file__).parents[1] / "uk" / "transcripts" / "75-given-back-broken.transcript.yaml"
"""A void wager has not been given back."""


def test_of_a_wager_that_was_to_go_back_and_did_not_the_front_page_says_so() -> None:
    text, _ = single(Request((str(VOID),), "uk/blackjack-1994"), prepare("uk/blackjack-1994"))
    assert "A settlement that was due and not made is in no sum" in text
    assert "No party is short" not in text


def test_one_file_says_what_it_leaves_out(
    bridge: Prepared, hostile_report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(hostile_report.parent.glob("*.jsonl"))
    monkeypatch.setattr(check, "OWN_SINGLE", 2)
    monkeypatch.setattr(check, "PACKED_SINGLE", 1)
    text, _ = single(Request((str(path),), "bridge"), bridge)
    assert "4 faults have no round drawn here: they did not fit in one file" in text
    monkeypatch.setattr(check, "SINGLE", 3)
    text, _ = single(Request((str(path),), "bridge"), bridge, rounds=1)
    assert "This file holds the first 3 of 6." in text
    assert "2 faults have no round drawn here: ask for more <code>--rounds</code>" in text


def test_a_log_that_cannot_be_read_twice_is_refused(cards: Prepared) -> None:
    with pytest.raises(RequestError, match="reads its logs twice"):
        single(Request(("-",), CARDS), cards)


def test_the_command_that_does_it_again_is_quoted() -> None:
    request = Request(("a b.jsonl", "$(x)"), "r", ("o=1",), "jsonl", "m.json", True, True)
    assert request.command == (
        "gazette check 'a b.jsonl' '$(x)' --rules r --set o=1 --log-format jsonl --manifest m.json "
        "--any-ruleset --strict"
    )


def test_a_folder_in_the_way_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "letter.txt").write_text("mine")
    bridge = Path(__file__).parents[1] / "cli" / "bridge"
    command = [
        "report",
        str(bridge / "broken.jsonl"),
        "--rules",
        str(bridge / "bridge.rules"),
        "--no-progress",
        "-o",
    ]
    assert run([*command, str(tmp_path / "kept")]) == 2
    assert "something else in the way" in capsys.readouterr().err
    assert [p.name for p in (tmp_path / "kept").iterdir()] == ["letter.txt"]
    assert run([*command, str(tmp_path / "made")]) == 1
    assert run([*command, str(tmp_path / "made")]) == 1
    assert (tmp_path / "made" / "index.html").is_file()
    assert run([*command, str(tmp_path / "one.html"), "--single"]) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept", "made", "one.html"]


def test_python_writes_a_report_too(tmp_path: Path) -> None:
    import verifier

    bridge = Path(__file__).parents[1] / "cli" / "bridge"
    rules = verifier.load(bridge / "bridge.rules")
    result = rules.report(bridge / "broken.jsonl", tmp_path / "made", rounds=1)
    assert result.entries_total > 0
    assert (tmp_path / "made" / "index.html").is_file()
    with pytest.raises(FileExistsError, match="not empty"):
        rules.report(bridge / "broken.jsonl", tmp_path / "made")


def test_the_book_draws_the_first_of_every_kind_before_more_of_one() -> None:
    from verifier.check.result import Citation, Finding

    book = FaultBook("NZD", 2, {"a": "a", "b": "b"})
    for number in range(1, 101):
        rule = "b" if number == 100 else "a"
        finding = Finding("broken", "forbidden", (Citation(rule, rule, "", ""),))
        book.add(Entry(number, "f", number, "t", (("r", str(number)),), number, None, None, (finding,)))
    assert book.drawn(5, 100) == {1, 2, 3, 4, 100}
    assert book.drawn(5, 50) == {1, 2, 3, 4, 5}
    assert book.drawn(None, 100) == set(range(1, 101))
    assert [(g.name, g.count) for g in book.grouped("clause")] == [("a", 99), ("b", 1)]


def test_the_front_page_says_what_judged_and_by_which_law(cards: Prepared, round_report: Path) -> None:
    text = (round_report / "index.html").read_text("utf-8")
    law = cards.ruleset.law
    assert law is not None
    for said in (code_digest(), law.digest, cards.ruleset.digest, law.header.issue):
        assert said in text
    assert json.loads((round_report / MARKER).read_text("utf-8"))["tool"]["digest"] == code_digest()


def test_what_the_law_leaves_open_is_counted_apart() -> None:
    template = environment().get_template("faults.html.j2")
    shown = faults_view(Shown(FaultBook("NZD", 2, {}, total=5, unclear=2), {}, [], 0, 0))
    page = template.render(site=Site("a", False, ()), **shown)
    assert "3 faults and 2 events on which the law itself gives no single answer." in page

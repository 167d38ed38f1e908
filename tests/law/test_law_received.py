"""Nothing of the received texts is lost or altered in the law files, nor in the clauses read from them."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

import pytest
import yaml

from verifier.law import Clause, Law
from verifier.resources import root

LAW = root("spec") / "law"
RECEIVED = sorted(path.name for path in (LAW / "received").iterdir())
FURNITURE: Mapping[str, list[list[str]]] = yaml.load(
    (LAW / "furniture.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader
)


def received_lines(name: str) -> list[str]:
    return (LAW / "received" / name).read_text(encoding="utf-8").splitlines()


def furniture(name: str) -> dict[int, str]:
    return {int(number): line for number, line in FURNITURE[name]}


def received_words(lines: Iterable[str]) -> list[str]:
    words: list[str] = []
    for line in lines:
        line = re.sub(r"^\s*(?:- |#+ )", "", line)
        line = re.sub(r"(?<=\w)\*+(?=\w)", " ", line).replace("*", "")
        words += line.replace(".—", ".— ").split()
    return words


def body_words(text: str) -> list[str]:
    body = text.split("\n---\n", 1)[1]
    words: list[str] = []
    for line in body.splitlines():
        line = re.sub(r"^ *(?:>|##?|\|\|?) ", "", line)
        words += line.replace(" | ", " ").replace("*", "").split()
    return words


def of_file(laws: Mapping[str, Law], name: str) -> list[Law]:
    found = [law for law in laws.values() if law.header.provenance.received == name]
    return sorted(found, key=lambda law: law.header.provenance.first_line)


def test_each_received_file_has_its_furniture_listed() -> None:
    assert sorted(FURNITURE) == RECEIVED


@pytest.mark.parametrize("name", RECEIVED)
def test_furniture_stands_where_the_list_says(name: str) -> None:
    lines = received_lines(name)
    assert furniture(name) == {number: lines[number - 1] for number in furniture(name)}


@pytest.mark.parametrize("name", RECEIVED)
def test_words_are_the_received_words_in_order(laws: Mapping[str, Law], name: str) -> None:
    kept = [line for number, line in enumerate(received_lines(name), 1) if number not in furniture(name)]
    cleaned = [
        word for law in of_file(laws, name) for word in body_words(law.path.read_text(encoding="utf-8"))
    ]
    assert cleaned == received_words(kept)


def test_comparison_sees_a_word_changed_lost_moved_or_joined() -> None:
    text = "---\n---\n# 5.0 Wagers\n\n5.1 win if the point total exceeds 21\n"
    received = ["**5.0 Wagers**", "- 5.1 win if the point total exceeds 21"]
    assert body_words(text) == received_words(received)
    for old, new in [
        ("exceeds", "exceed"),
        ("the ", ""),
        ("point total", "total point"),
        ("win if", "winif"),
    ]:
        assert body_words(text.replace(old, new)) != received_words(received)


@pytest.mark.parametrize("name", RECEIVED)
def test_provenance_covers_every_line_once(laws: Mapping[str, Law], name: str) -> None:
    ranges = [
        (law.header.provenance.first_line, law.header.provenance.last_line) for law in of_file(laws, name)
    ]
    covered = [line for first, last in ranges for line in range(first, last + 1)]
    assert covered == list(range(1, len(received_lines(name)) + 1))


def test_two_instruments_of_one_file_part_where_the_provenance_says(laws: Mapping[str, Law]) -> None:
    by_file: dict[str, list[Law]] = defaultdict(list)
    for law in laws.values():
        by_file[law.header.provenance.received].append(law)
    for name, sharing in by_file.items():
        for law in sharing:
            source = law.header.provenance
            part = [
                line
                for number, line in enumerate(received_lines(name), 1)
                if source.first_line <= number <= source.last_line and number not in furniture(name)
            ]
            assert body_words(law.path.read_text(encoding="utf-8")) == received_words(part)


def test_received_files_have_the_digests_of_the_headers(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        source = law.header.provenance
        assert hashlib.sha256((LAW / "received" / source.received).read_bytes()).hexdigest() == source.sha256


def test_digest_is_that_of_the_law_file(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        assert law.digest == hashlib.sha256(law.path.read_bytes()).hexdigest()


def test_clauses_hold_every_word_of_the_body(laws: Mapping[str, Law]) -> None:
    for law in laws.values():
        pieces = [*law.notice, *(cell for row in law.contents for cell in row)]
        for clause in law.clauses.values():
            if clause.parent is None:
                pieces += put_together(clause)
        assert squeezed(pieces) == squeezed(body_words(law.path.read_text(encoding="utf-8")))


def put_together(clause: Clause) -> list[str]:
    below = [piece for child in clause.children for piece in put_together(child)]
    match clause.kind:
        case "row":
            return [clause.intro]
        case "definition":
            return [clause.label, clause.intro, *below, clause.tail]
        case _:
            label = clause.label
            title = [clause.heading or "", label] if label.endswith("—") else [label, clause.heading or ""]
            return [*title, clause.intro, *below, clause.tail]


def squeezed(pieces: Iterable[str]) -> str:
    return "".join("".join(pieces).split())

"""Finding and reading law files."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from verifier.errors import LawError, Problem, RequestError
from verifier.law.kept import LAWS
from verifier.law.outline import LAW_ID, Body, Header, Law
from verifier.law.words import plain
from verifier.resources import root

MAX_BYTES = 4_000_000
"""Size of a law file at most, in bytes; the largest of the six has 31 thousand."""

SUFFIX = ".law"

KEPT = 8
"""Laws that are kept for the next time that a file of the same bytes is read under the same name."""


def load_law(law_id: str, search: Sequence[Path] = ()) -> Law:
    """The law `law_id`, such as `nz/gazette-1998-9-division-2`.

    Looked for as `<folder>/<law_id>.law` in the folders of `search`, in order, then among the shipped ones.
    Raises `RequestError` when there is none and `LawError` when it is malformed.
    """
    folders = [*search, root("spec") / "law"]
    if LAW_ID.fullmatch(law_id):
        for folder in folders:
            path = folder / f"{law_id}{SUFFIX}"
            if path.is_file():
                return read_law(path, law_id)
    known = known_laws()
    near = difflib.get_close_matches(law_id, [*known, *_like(law_id, search)], n=1, cutoff=0.5)
    advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    advice += f"; one of your own is looked for as {law_id}{SUFFIX} beside the rules"
    raise RequestError(Problem(f"there is no law {law_id}", help=advice, code="unknown-law"))


def known_laws() -> tuple[str, ...]:
    """The ids of the laws that come with the package, sorted."""
    folder = root("spec") / "law"
    found = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*{SUFFIX}")}
    return tuple(sorted(law_id for law_id in found if LAW_ID.fullmatch(law_id)))


def _like(law_id: str, search: Sequence[Path]) -> list[str]:
    """Ids of laws in the folders of `search` each part of whose place is spelt much like that of `law_id`.

    Whatever else there is below those folders, which may be anybody's, is not looked at.
    """
    *parts, last = law_id.split("/")
    found: list[tuple[Path, str]] = [(folder, "") for folder in search]
    for part in parts:
        found = [(f / n, f"{at}{n}/") for f, at in found for n in _close(part, f, Path.is_dir)]
    return [at + n for f, at in found for n in _close(last, f, Path.is_file, SUFFIX)]


def _close(name: str, folder: Path, kind: Callable[[Path], bool], suffix: str = "") -> list[str]:
    try:
        there = sorted(
            p.name.removesuffix(suffix) for p in folder.iterdir() if p.name.endswith(suffix) and kind(p)
        )
    except OSError:
        return []
    return difflib.get_close_matches(name, there, n=3, cutoff=0.5)


def read_law(path: Path, law_id: str) -> Law:
    """The law in the file `path`, under the id `law_id`; raises `LawError` with the place of any fault."""
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    return _law(data, path, law_id)


@lru_cache(maxsize=KEPT)
def _law(data: bytes, path: Path, law_id: str) -> Law:
    if (found := LAWS.get(data)) is None:
        found = _read(data, str(path))
        LAWS.put(data, found)
    header, body = found
    return Law(
        id=law_id,
        title=header.title,
        header=header,
        notice=body.notice,
        contents=body.contents,
        clauses=MappingProxyType(body.clauses()),
        digest=hashlib.sha256(data).hexdigest(),
        path=path,
    )


def _read(data: bytes, file: str) -> tuple[Header, Body]:
    # YAML and Lark are imported only where something is read by them.
    from verifier.law.header import read_header
    from verifier.law.parse import parse_body

    text = _decode(data, file)
    lines = tuple(text.split("\n")[:-1])
    end = _end_of_header(lines, file)
    header = read_header("\n".join(lines[1:end]), file, first_line=2)
    body = parse_body("\n".join(lines[end + 1 :]) + "\n", file, lines, before=end + 1)
    _check_dates(header, body.notice, file)
    return header, body


def _decode(data: bytes, file: str) -> str:
    if len(data) > MAX_BYTES:
        _refuse(
            file, None, f"larger than {MAX_BYTES} bytes", "a law file holds one instrument", "law-too-large"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _refuse(
            file, line, f"byte {data[error.start]:#04x} is not UTF-8", "save the file as UTF-8", "not-utf-8"
        )
    for number, line_text in enumerate(text.split("\n"), 1):
        if line_text.isprintable():
            continue
        for column, character in enumerate(line_text, 1):
            if not character.isprintable():
                raise LawError(
                    Problem(
                        f"the character U+{ord(character):04X} cannot stand in a law file",
                        file=file,
                        line=number,
                        column=column,
                        excerpt=line_text,
                        help="no byte order mark, tab, carriage return, no-break space or other unseen one",
                        code="unseen-character",
                    )
                )
    if not text.endswith("\n"):
        _refuse(
            file, text.count("\n") + 1, "the last line has no end", "end the file with a newline", "cut-short"
        )
    return text


def _end_of_header(lines: tuple[str, ...], file: str) -> int:
    if not lines or lines[0] != "---":
        _refuse(file, 1, "the file has no header", "begin with a line `---`", "no-law-header")
    try:
        return lines.index("---", 1)
    except ValueError:
        _refuse(file, len(lines), "the header does not end", "end it with a line `---`", "no-law-header")


def _check_dates(header: Header, notice: tuple[str, ...], file: str) -> None:
    """A date that quotes the notice must quote it rightly."""
    text = " ".join(plain(" ".join(notice)).split())
    for words in [*(fact.words for fact in header.dates), header.in_force.words]:
        if words is not None and " ".join(plain(words).split()) not in text:
            _refuse(
                file,
                None,
                f"the header gives a date by words that the notice does not hold: {words}",
                "quote the lines that begin with `>`, or leave out `words`",
                "date-words-not-found",
            )


def _refuse(file: str, line: int | None, message: str, advice: str, code: str) -> NoReturn:
    raise LawError(Problem(message, file=file, line=line, help=advice, code=code))

"""Compressed JSON Lines and CSV judged by several processes: the answer is that of one, and so are the refusals."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from both_engines import comparable
from logs import columns_of, in_turn, ready
from sharing import NAME, after_planning, logs_at, says_the_same, shared
from test_shares_lines import TOLD, agrees, left_to_one, lines_of, put, refused, touched_again, write

import verifier.check.opening as opening
import verifier.check.shares as shares
import verifier.log.sources as sources
from verifier.check.engine import check
from verifier.check.result import Entry
from verifier.errors import LogError
from verifier.log.lineblocks import lines_in
from verifier.log.streams import OnDisk, Unpacked
from verifier.simulate.simulate import simulate


def in_members(data: bytes) -> bytes:
    return b"".join(gzip.compress(data[at : at + 3000]) for at in range(0, len(data), 3000))


def in_frames(data: bytes) -> bytes:
    return b"".join(zstd(data[at : at + 3000]) for at in range(0, len(data), 3000))


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


PACKED: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": zstd}
IN_PARTS: dict[str, Callable[[bytes], bytes]] = {"gz": in_members, "zst": in_frames}
LOGS = [
    f"{log}.{kind}.{ending}" for log in ("apart", "turns") for kind in ("jsonl", "csv") for ending in PACKED
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables one after the other, and in turn, with faults; in two files, of which one is not compressed."""
    here = tmp_path_factory.mktemp("packed")
    first = here / "apart.jsonl"
    simulate(ready(NAME), first, 16, seed=7, faults=0.5, key=here / "key", distinct=12, per_table=4, jobs=1)
    header, batch = columns_of(NAME, first)
    for kind in ("jsonl", "csv"):
        write(here / f"apart.{kind}", header, [batch])
        in_turn(NAME, first, here / f"turns.{kind}", each=50)
        for log in ("apart", "turns"):
            for ending, pack in PACKED.items():
                packed(here / f"{log}.{kind}", here / f"{log}.{kind}.{ending}", pack)
    header, batch = columns_of(NAME, here / "turns.jsonl")
    half = batch.num_rows // 2
    (here / "two").mkdir()
    write(here / "two" / "a.csv", header, [batch.slice(0, half)])
    write(here / "b.jsonl", header, [batch.slice(half)])
    packed(here / "b.jsonl", here / "two" / "b.jsonl.gz", gzip.compress)
    return here


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is a few dozen lines, less is decompressed at a time, and a log of any size is shared."""
    monkeypatch.setattr("verifier.log.lineblocks.BLOCK", 4096)
    monkeypatch.setattr("verifier.log.lineblocks.BUNDLE", 6000)
    monkeypatch.setattr("verifier.log.streams._CHUNK", 1000)
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", 0)


def packed(plain: Path, path: Path, pack: Callable[[bytes], bytes]) -> Path:
    """A log compressed, with the manifest that it has."""
    path.write_bytes(pack(plain.read_bytes()))
    if Path(f"{plain}{TOLD}").exists():
        Path(f"{path}{TOLD}").write_bytes(Path(f"{plain}{TOLD}").read_bytes())
    return path


# ------------------------------------------------------------------------------------------------------ the answer
@pytest.mark.parametrize("log", [*LOGS, "two"])
def test_the_answer_of_one(folder: Path, log: str) -> None:
    seen: list[Entry] = []
    expected = check([folder / log], ready(NAME), engine="explain")
    found = shared(folder / log, jobs=4, on_entry=seen.append)
    assert found is not None
    assert comparable(found) == comparable(replace(expected, notes=found.notes))
    assert tuple(seen) == expected.entries
    assert found.files == expected.files
    assert expected.entries_total > 5


@pytest.mark.parametrize("log", ["turns.jsonl.gz", "turns.csv.zst"])
def test_blocks_as_they_are(folder: Path, log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.log.lineblocks.BLOCK", 1 << 20)
    monkeypatch.setattr("verifier.log.streams._CHUNK", 256 << 10)
    agrees(folder / log)


@pytest.mark.parametrize("block", [1, 2, 3, 999, 1000, 1001])
def test_an_end_where_a_block_ends(folder: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that end with the file, with its last row, and about there."""
    for log in ("turns.jsonl", "turns.csv"):
        size = len((folder / log).read_bytes()) - len((folder / log).read_bytes().split(b"\n", 1)[0]) - 1
        monkeypatch.setattr(
            "verifier.log.lineblocks.BLOCK", size - 1 + block if block < 4 else size // 3 + block
        )
        agrees(folder / f"{log}.gz")


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("ending", IN_PARTS)
def test_members_and_frames_in_a_row(folder: Path, kind: str, ending: str, tmp_path: Path) -> None:
    agrees(packed(folder / f"turns.{kind}", tmp_path / f"log.{kind}.{ending}", IN_PARTS[ending]))


def test_a_name_that_does_not_say_it(folder: Path, tmp_path: Path) -> None:
    agrees(packed(folder / "turns.jsonl", tmp_path / "log.jsonl", gzip.compress))


@pytest.mark.parametrize("log", ["turns.jsonl.gz", "turns.csv.zst", "two"])
def test_the_command_says_the_same(
    folder: Path,
    log: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    says_the_same(folder / log, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("log", ["apart.jsonl.gz", "apart.csv.zst", "turns.jsonl.zst"])
def test_a_process_goes_through_it_once(folder: Path, log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    open_bytes = sources.open_bytes

    def counting(name: str, *more: Any) -> Any:
        begun.append(name)
        return open_bytes(name, *more)

    monkeypatch.setattr(sources, "open_bytes", counting)
    asked = shares.Asked(logs_at(folder / log), ready(NAME), {}, False, 0, False)
    parts = shares.shares_of(asked, 3, 0)
    assert len(begun) == 2  # for its header, and for all of it
    places: list[int] = []
    for part in parts:
        for file in asked.logs():
            assert file.columnar is not None
            assert file.columnar.groups is not None
            for found, _ in file.columnar.groups.batches(part.files[0].plan, part.tables, 10):
                places += found.tolist()
    assert len(begun) == 2 + 2 * len(parts)
    assert sorted(places) == list(range(parts[0].files[0].rows))


@pytest.mark.parametrize("pack", [*PACKED.values(), *IN_PARTS.values()])
def test_what_is_unpacked_is_had_by_place(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    data = bytes(i * i % 251 for i in range(20_000))
    (tmp_path / "log").write_bytes(pack(data))
    begun: list[int] = []
    with open(tmp_path / "log", "rb") as file:
        disk = OnDisk(file.fileno(), 0)

        def again() -> io.BufferedReader:
            begun.append(1)
            return sources.open_bytes("log", sources._Again(disk))[0]

        unpacked = Unpacked(disk, again)
        assert unpacked.mark() == disk.mark()
        for at, size in [
            (0, 5),
            (0, 3000),
            (2900, 3000),
            (5900, 1),
            (5901, 0),
            (5901, 7),
            (12_000, 4096),
            (12_001, 9),
        ]:
            assert unpacked.read(at, size) == data[at : at + size]
        assert unpacked.read(19_990, 100) == data[19_990:]
        assert unpacked.read(20_000, 100) == unpacked.read(20_500, 1) == b""
        assert len(begun) == 1
        assert unpacked.read(0, 30_000) == data
        assert len(begun) == 2


# -------------------------------------------------------------------------------------------------- what is refused
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "broken off": lambda data: data[: len(data) * 2 // 3],
    "without its last byte": lambda data: data[:-1],
    "broken off at once": lambda data: data[:12],
    "rubbish behind it": lambda data: data + b"rubbish",
    "one byte behind it": lambda data: data + b"\n",
    "the beginning of another": lambda data: data + data[:2],
    "damaged in the middle": lambda data: data[: len(data) // 2] + b"\0" * 40 + data[len(data) // 2 + 40 :],
    "damaged at its end": lambda data: data[:-6] + bytes([data[-6] ^ 1]) + data[-5:],
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("log", ["turns.jsonl.gz", "apart.csv.zst"])
def test_what_is_not_whole_is_refused_in_the_same_words(
    folder: Path, log: str, case: str, tmp_path: Path
) -> None:
    pack: Callable[[bytes], bytes] = BROKEN[case]
    path = packed(folder / log, tmp_path / f"log.{log.split('.', 1)[1]}", pack)
    refused(path)


@pytest.mark.parametrize("ending", IN_PARTS)
@pytest.mark.parametrize("case", ["broken off", "rubbish behind it"])
def test_so_are_members_and_frames(folder: Path, ending: str, case: str, tmp_path: Path) -> None:
    said = refused(
        packed(
            folder / "turns.jsonl",
            tmp_path / f"log.jsonl.{ending}",
            lambda data: BROKEN[case](IN_PARTS[ending](data)),
        )
    )
    assert "log.jsonl" in said


@pytest.mark.parametrize("ending", PACKED)
def test_a_wrong_digest_in_the_trailer(folder: Path, ending: str, tmp_path: Path) -> None:
    put(tmp_path / "log.jsonl", lines_of(folder / "turns.jsonl"), sha256="0" * 64)
    assert "sha256" in refused(
        packed(tmp_path / "log.jsonl", tmp_path / f"log.jsonl.{ending}", PACKED[ending])
    )


@pytest.mark.parametrize("ending", PACKED)
def test_a_wrong_digest_in_the_manifest(folder: Path, ending: str, tmp_path: Path) -> None:
    path = packed(
        folder / "turns.csv", tmp_path / f"log.csv.{ending}", lambda data: PACKED[ending](data + data[-90:])
    )
    refused(path)


@pytest.mark.parametrize("ending", PACKED)
def test_a_bad_line(folder: Path, ending: str, tmp_path: Path) -> None:
    lines = lines_of(folder / "turns.jsonl")
    at = len(lines) * 2 // 3
    lines[at] = lines[at].replace(b"}\n", b', "x_note": ""}\n')
    put(tmp_path / "log.jsonl", lines)
    assert "x_note" in refused(
        packed(tmp_path / "log.jsonl", tmp_path / f"log.jsonl.{ending}", PACKED[ending])
    )


@pytest.mark.parametrize("log", ["apart.jsonl.gz", "apart.csv.zst"])
def test_what_grows_beyond_the_limits(folder: Path, log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(shares.LIMITS, inflated=20_000)
    monkeypatch.setattr("sharing.LIMITS", limits)
    assert shared(folder / log) is None
    for jobs in (1, 3):
        with pytest.raises(LogError, match="that grow to over"):
            check([folder / log], ready(NAME), jobs=jobs, limits=limits)


def test_compressed_parquet_is_left_to_one(folder: Path, tmp_path: Path) -> None:
    """It is set down as a whole whenever it is opened."""
    header, batch = columns_of(NAME, folder / "apart.jsonl")
    write(tmp_path / "plain.parquet", header, [batch])
    path = packed(tmp_path / "plain.parquet", tmp_path / "log.parquet.gz", gzip.compress)
    assert opening.shareable([path], None, ()) is None
    left_to_one(path)


# --------------------------------------------------------------------------------------- what differs while it is read
def stored(data: bytes) -> bytes:
    """As long as any other of the same length."""
    return gzip.compress(data, 0, mtime=0)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_other_bytes_are_noticed(
    folder: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (folder / f"turns.{kind}").read_bytes()
    path = packed(folder / f"turns.{kind}", tmp_path / f"log.{kind}.gz", stored)
    at = data.rindex(b"T0003")
    other = stored(data[:at] + b"T0004" + data[at + 5 :])
    assert len(other) == path.stat().st_size
    after_planning(monkeypatch, lambda: touched_again(path, other))
    assert shared(path) is None
    with pytest.raises(LogError):
        check([path], ready(NAME), jobs=3)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("ending", PACKED)
def test_a_file_that_is_another_is_judged_as_it_is_then(
    folder: Path, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one compressed otherwise, of the same lines."""
    path = packed(folder / "apart.jsonl", tmp_path / f"log.jsonl.{ending}", PACKED[ending])
    after_planning(monkeypatch, lambda: packed(folder / "turns.jsonl", path, IN_PARTS[ending]))
    assert shared(path) is None
    found = check([path], ready(NAME), jobs=3)
    assert comparable(found) == comparable(check([path], ready(NAME), engine="explain"))


@pytest.mark.parametrize("ending", PACKED)
def test_a_file_that_is_cut_short_meanwhile_is_refused(
    folder: Path, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(folder / "turns.jsonl", tmp_path / f"log.jsonl.{ending}", PACKED[ending])
    data = path.read_bytes()
    after_planning(monkeypatch, lambda: touched_again(path, data[: len(data) // 2]))
    with pytest.raises(LogError, match="ends in the middle"):
        check([path], ready(NAME), jobs=2)


def test_the_mark_is_that_of_the_compressed_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(folder / "turns.jsonl", tmp_path / "log.jsonl.gz", gzip.compress)
    after_planning(monkeypatch, lambda: os.utime(path, ns=(1, 1)))
    assert shared(path) is None


# ------------------------------------------------------------------------------------------------- how large they are
@pytest.mark.parametrize("log", LOGS)
def test_about_how_many_lines_there_are(folder: Path, log: str, tmp_path: Path) -> None:
    plain = (folder / log).with_suffix("")
    lines = plain.read_bytes().count(b"\n")
    ending = log.rsplit(".", 1)[1]
    parts = packed(plain, tmp_path / f"log.jsonl.{ending}", IN_PARTS[ending])
    for path in (folder / log, parts):
        assert abs((lines_in(str(path)) or 0) - lines) <= 0.2 * lines


@pytest.mark.parametrize(
    "data",
    [b"", gzip.compress(b"", mtime=0), b"\x1f\x8b", b"\x1f\x8bthis is none", b"\x28\xb5\x2f\xfdnor this"],
)
def test_what_tells_nothing(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl.gz").write_bytes(data)
    assert lines_in(str(tmp_path / "log.jsonl.gz")) is None
    assert opening.shareable([tmp_path / "log.jsonl.gz"], None, ()) is None

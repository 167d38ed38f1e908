"""What is told of many rows at once is what is told of each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.log.times import is_rfc3339
from verifier.log.vectors import DAYS, Kinds, coded, grouped, unsure_times, valid

TIME = "2024-02-18T23:45:56Z"


def columns_of(values: list[Any], type_: Any) -> list[Any]:
    """An array of these, by itself and as a piece of a longer one."""
    return [pa.array(values, type_), pa.array([values[0], *values], type_).slice(1)]


@pytest.mark.parametrize("place", range(20))
def test_no_byte_makes_a_time_of_what_is_none(place: int) -> None:
    for byte in range(128):
        text = TIME[:place] + chr(byte) + TIME[place + 1 :]
        for times in columns_of([TIME, text], pa.string()):
            assert is_rfc3339(text) or unsure_times(times) == [text]


def test_every_second_of_a_day_is_sure() -> None:
    clock = [f"{h:02d}:{m:02d}:{s:02d}" for h in range(24) for m in range(60) for s in range(60)]
    assert unsure_times(pa.array([f"1998-02-28T{second}Z" for second in clock])) == []


@pytest.mark.parametrize(
    "clock", ["24:00:00", "29:00:00", "30:00:00", "23:60:00", "23:59:60", "23:59:99", "2:45:56"]
)
def test_no_other_is(clock: str) -> None:
    text = f"1998-02-28T{clock}Z"
    assert unsure_times(pa.array([TIME, text, text])) == [text]


@pytest.mark.parametrize(
    "text", ["1998-02-29T20:00:00Z", "1998-02-30T20:00:00Z", "1998-13-01T20:00:00Z", "0024-01-01T00:00:00Z"]
)
def test_days_that_not_every_month_has_are_asked_about(text: str) -> None:
    assert unsure_times(pa.array([TIME, text])) == [text]


def test_many_days_are_no_fault() -> None:
    days = [f"2024-01-{day:02d}T20:00:00Z" for day in range(1, DAYS + 9)]
    assert unsure_times(pa.array(days)) == []
    assert unsure_times(pa.array([*days, "2024-01-32T20:00:00Z"])) == ["2024-01-32T20:00:00Z"]


def test_times_of_every_length_and_none_at_all() -> None:
    texts = [None, TIME, "2024-02-18T23:45:56.5+13:00", "", "2024-02-18"]
    for times in columns_of(texts, pa.string()):
        assert sorted(unsure_times(times)) == ["", "2024-02-18"]
    assert unsure_times(pa.array([], pa.string())) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=40), st.data())
def test_where_a_column_fits(rows: list[tuple[int, bool]], data: st.DataObject) -> None:
    may = data.draw(st.lists(st.booleans(), min_size=4, max_size=4))
    need = [allowed and data.draw(st.booleans()) for allowed in may]
    kinds = Kinds(np.array([kind for kind, _ in rows], dtype=np.int16), 4)
    array = pa.array([1 if given else None for _, given in rows], pa.int64())
    expected = all(may[kind] if given else not need[kind] for kind, given in rows)
    assert kinds.fits(array, np.array(need), np.array(may)) == expected
    if not any(given for _, given in rows):
        assert kinds.fits(None, np.array(need), np.array(may)) == expected


@given(st.lists(st.sampled_from([None, 1, 2]), min_size=1, max_size=70), st.integers(0, 20))
def test_where_there_are_values(values: list[int | None], start: int) -> None:
    array = pa.array(values, pa.int64()).slice(min(start, len(values)))
    assert valid(array).tolist() == [value is not None for value in array.to_pylist()]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_a_table_at_a_time(stream: list[int]) -> None:
    order, bounds = grouped(np.array(stream))
    places = list(range(len(stream))) if order is None else order.tolist()
    found = [places[first:end] for first, end in pairwise(bounds)]
    assert found == [[i for i, s in enumerate(stream) if s == one] for one in dict.fromkeys(stream)]


DICTIONARIES: dict[str, tuple[list[int | None], list[str | None]]] = {
    "as it should be": ([0, 1, None, 1], ["a", "b"]),
    "one that no row has": ([0, 0, None, 0], ["a", "b"]),
    "more than there are rows": ([0, 2], ["a", "b", "c", "d"]),
    "one twice": ([0, 1, 2, 1], ["a", "b", "a"]),
    "none among them": ([0, 1, 2, 1], ["a", None, "b"]),
}


@pytest.mark.parametrize("case", DICTIONARIES)
def test_texts_stand_once_in_a_dictionary(case: str) -> None:
    indices, texts = DICTIONARIES[case]
    array = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(texts))
    for one in (array, array.cast(pa.string()), array.cast(pa.large_string())):
        found = coded(one)
        words = found.dictionary.to_pylist()
        assert found.type == pa.dictionary(pa.int32(), pa.string())
        assert found.to_pylist() == [None if i is None else texts[i] for i in indices]
        assert len(set(words)) == len(words) <= len(array)
        assert None not in words


@pytest.mark.parametrize("index", [-1, 2, 1 << 30])
def test_an_index_beyond_the_dictionary_is_refused(index: int) -> None:
    indices = pa.array([0, index, 1], pa.int32())
    array = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)
    with pytest.raises(pa.ArrowException):
        coded(array)

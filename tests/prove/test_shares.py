"""Work shared out between processes: all of it is made, in order, whatever becomes of the others."""

import os

import pytest

from verifier.prove.shares import dealt, shared


@pytest.mark.parametrize("jobs", [1, 2, 5, 40])
def test_all_is_made_in_order(jobs: int) -> None:
    assert shared(lambda n: n * n, [1] * 30, jobs) == [n * n for n in range(30)]


def test_more_processes_than_one_take_part() -> None:
    assert len(set(shared(lambda _: os.getpid(), [1] * 8, 2))) == 2


def test_what_a_process_does_not_send_is_made_here() -> None:
    here = os.getpid()

    def work(number: int) -> int:
        if os.getpid() != here and number > 3:
            os._exit(1)
        return number

    assert shared(work, [1] * 9, 3) == list(range(9))


def test_what_cannot_be_sent_is_made_here() -> None:
    found = shared(lambda n: lambda: n, [1] * 4, 2)
    assert [make() for make in found] == [0, 1, 2, 3]


def test_an_error_here_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.getpid()
    made: list[int] = []
    fork = os.fork

    def noted() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", noted)

    def work(number: int) -> int:
        if os.getpid() == here:
            raise ValueError("no")
        return number

    with pytest.raises(ValueError, match="no"):
        shared(work, [1] * 6, 2)
    (other,) = made
    with pytest.raises(ChildProcessError):
        os.waitpid(other, os.WNOHANG)


def test_shares_hang_on_the_costs_alone() -> None:
    assert dealt([5, 1, 1, 1, 4, 2], 2) == [[0, 1, 2], [3, 4, 5]]
    assert dealt([1], 4) == [[0]]
    assert dealt([], 3) == []

"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import pytest

from verifier.cli.files import written
from verifier.errors import RequestError


def test_a_file_appears_when_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    with written(target) as stream:
        stream.write("a – b\n")
        assert not target.exists()
    assert target.read_bytes() == "a – b\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    target.write_text("old")
    with contextlib.suppress(ZeroDivisionError), written(target) as stream:
        stream.write("new")
        raise ZeroDivisionError
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with written(tmp_path / "new"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "old").touch()
    (tmp_path / "old").chmod(0o604)
    with written(tmp_path / "old"):
        pass
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o604


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with written(tmp_path / "link") as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to_and_never_replaced() -> None:
    with written(Path("/dev/null")) as stream:
        stream.write("gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_folder_that_is_not_there_is_the_requests_fault(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught, written(tmp_path / "no" / "report.txt"):
        pass
    assert caught.value.problem.code == "unwritable"


def test_standard_output_without_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    with written(None) as stream:
        stream.write("here")
    assert capsys.readouterr().out == "here"

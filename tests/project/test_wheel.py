"""The wheel works by itself: unpacked anywhere, away from the checkout, with all that belongs to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["verifier", "spec", "grammar", "rulesets", "reports", "pyproject.toml", "README.md", "LICENSE"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs; it is built from a copy of what it is made of."""
    base = tmp_path_factory.mktemp("wheel")
    source = base / "source"
    source.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, source / part)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(base)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (wheel,) = base.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(base / "site")
    shutil.rmtree(source)
    return base / "site"


def gazette(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the installed copy; that it is this one that runs is asserted."""
    program = (
        "import sys, verifier\n"
        f"assert verifier.__file__.startswith({str(installed)!r}), verifier.__file__\n"
        "from verifier.cli import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(installed)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_shipped_rulesets_are_there(installed: Path, tmp_path: Path) -> None:
    ran = gazette(installed, tmp_path, "rules")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "nz/blackjack-1998" in ran.stdout.splitlines()


def test_the_example_is_checked(installed: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "one-round.yaml", tmp_path)
    ran = gazette(installed, tmp_path, "check", "one-round.yaml", "--rules", "nz/blackjack-1998")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "ann is short by NZD 10.00" in ran.stdout


def test_a_ruleset_of_the_users_own(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests" / "cli" / "bridge", tmp_path / "own")
    for log, code in (("kept", 0), ("broken", 1)):
        ran = gazette(installed, tmp_path, "check", f"own/{log}.jsonl", "--rules", "own/bridge.rules")
        assert (ran.returncode, ran.stderr) == (code, "")


def test_the_reasons_beside_the_rules_travel(installed: Path) -> None:
    def files(folder: Path) -> set[str]:
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml")}

    shipped = files(ROOT / "rulesets")
    assert {"nz/blackjack-1998.mutants.yaml", "nz/blackjack-1998.unshown.yaml"} <= shipped
    assert files(installed / "verifier" / "_data" / "rulesets") == shipped


def test_types_and_licence_travel(installed: Path) -> None:
    assert (installed / "verifier" / "py.typed").is_file()
    assert list(installed.glob("gazette_verifier-*.dist-info/licenses/LICENSE"))
    assert not list(installed.rglob("test_*.py"))

"""The pytest plugin: transcripts are tests, and the coverage of their rulesets stands at the end.

`pytest --gazette RULESET` collects every `*.transcript.yaml` of that ruleset (others are passed over, and counted),
and fails where a check finds something else than a transcript expects. `--gazette-fail-under N` fails the session
where less than N per cent of the level `--gazette-require` is reached; only transcripts that passed are evidence, and
rounds that `gazette generate --format json` made (`--gazette-rounds FILE`). A reason why something is not shown
(`NAME.unshown.yaml` beside the rules) fails it where that is shown.
Without `--gazette` nothing changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from verifier.check.engine import Prepared
    from verifier.coverage.evidence import Exercise, MadeRounds
    from verifier.coverage.measure import Coverage, Level, Share

ENDING = ".transcript.yaml"

OTHERS = "gazette-others"
"""Under this name a process of pytest-xdist tells how many transcripts it has passed over."""

PROPERTY = "gazette"
"""The property of a report that holds what a transcript exercised, so that it comes from other processes too."""


class TranscriptDiffersError(Exception):
    """A check finds something else than a transcript expects; its arguments are the differences in words."""


@dataclass(slots=True)
class Session:
    """The rulesets asked for, by name, and what passed transcripts (of a single one made rounds, too) showed."""

    rulesets: dict[str, Prepared]
    level: Level
    fail_under: int | None
    shown: dict[str, dict[str, Exercise]] = field(default_factory=dict)
    passed: dict[str, int] = field(default_factory=dict)
    others: int = 0
    rounds: MadeRounds | None = None

    def coverages(self) -> list[Coverage]:
        """The coverage of every ruleset, by the transcripts that passed and the rounds that were made."""
        from verifier.coverage.measure import put_together

        return [
            put_together(ready, self.shown.get(name, {}), self.passed.get(name, 0), rounds=self.rounds)
            for name, ready in self.rulesets.items()
        ]

    def take(self, path: Path) -> None:
        """Take in the rounds that a file holds. Raises `RequestError` where it is not of the ruleset as it stands."""
        from verifier.coverage.evidence import exercised, made

        ((name, ready),) = self.rulesets.items()
        self.rounds = made(path, ready)
        self.shown[name] = dict(exercised(ready, self.rounds.cases))

    def share(self) -> Share:
        """How much reaches the level."""
        from verifier.coverage.measure import require

        return require(self.coverages(), self.level)

    def add(self, report: pytest.TestReport) -> None:
        """Take in what a passed transcript exercised."""
        from verifier.coverage.evidence import Exercise

        for name, value in report.user_properties:
            if name == PROPERTY and isinstance(value, str):
                told = json.loads(value)
                ruleset = told["ruleset"]
                self.passed[ruleset] = self.passed.get(ruleset, 0) + 1
                mine = self.shown.setdefault(ruleset, {})
                for rule, counts in told["rules"].items():
                    mine[rule] = mine.get(rule, Exercise()) + Exercise(*counts)


KEY = pytest.StashKey[Session]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("gazette", "rulesets and their transcripts")
    group.addoption(
        "--gazette",
        action="append",
        default=[],
        metavar="RULESET",
        help="collect *.transcript.yaml of RULESET as tests, and show its coverage; may be repeated",
    )
    group.addoption(
        "--gazette-require",
        choices=("formalised", "exercised"),
        default=None,
        help="which level --gazette-fail-under is about (default: formalised); alone it requires 100 per cent of it",
    )
    group.addoption(
        "--gazette-fail-under",
        type=int,
        default=None,
        metavar="N",
        help="fail where less than N per cent reaches the level; nothing is rounded up",
    )
    group.addoption(
        "--gazette-rounds",
        type=Path,
        default=None,
        metavar="FILE",
        help="what gazette generate --format json wrote of RULESET: its rounds count for the coverage, too",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load the rulesets asked for."""
    names = config.getoption("--gazette")
    under = config.getoption("--gazette-fail-under")
    rounds = config.getoption("--gazette-rounds")
    if not names:
        for option, value in (("--gazette-fail-under", under), ("--gazette-rounds", rounds)):
            if value is not None:
                raise pytest.UsageError(f"{option} is about a ruleset: name it with --gazette RULESET")
        return
    if under is not None and not 0 <= under <= 100:
        raise pytest.UsageError("--gazette-fail-under: a number from 0 to 100")
    from verifier.check.engine import prepare
    from verifier.coverage.measure import binding_rules
    from verifier.coverage.unshown import unshown_of
    from verifier.errors import VerifierError

    try:
        prepared = [prepare(name) for name in names]
        for ready in prepared:
            unshown_of(ready.ruleset, binding_rules(ready.ruleset))
    except VerifierError as error:
        raise pytest.UsageError(str(error)) from None
    rulesets: dict[str, Prepared] = {}
    for ready in prepared:
        other = rulesets.setdefault(ready.ruleset.name, ready)
        if other.ruleset.digest != ready.ruleset.digest:
            told = (
                f"two rulesets are named {ready.ruleset.name}: transcripts say the name, ask for one of them"
            )
            raise pytest.UsageError(f"--gazette: {told}")
    required = config.getoption("--gazette-require")
    session = Session(rulesets, required or "formalised", 100 if required and under is None else under)
    if rounds is not None and not hasattr(config, "workerinput"):
        if len(rulesets) > 1:
            raise pytest.UsageError(
                "--gazette-rounds: made rounds are of one ruleset, ask for each by itself"
            )
        try:
            session.take(rounds)
        except VerifierError as error:
            raise pytest.UsageError(str(error)) from None
    config.stash[KEY] = session


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """A transcript is a file with one test."""
    session = parent.config.stash.get(KEY, None)
    if session is None or not file_path.name.endswith(ENDING):
        return None
    file: pytest.File = TranscriptFile.from_parent(parent, path=file_path)
    return file


class TranscriptFile(pytest.File):
    """One transcript; nothing is in it where it is of a ruleset that was not asked for."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its one test."""
        from verifier.errors import VerifierError
        from verifier.transcripts.case import ruleset_of

        session = self.config.stash[KEY]
        try:
            ruleset = ruleset_of(self.path)
        except VerifierError as error:
            raise self.CollectError(str(error)) from None
        if ruleset not in session.rulesets:
            session.others += 1
            return
        name = self.path.name.removesuffix(ENDING)
        yield TranscriptItem.from_parent(self, name=name, ready=session.rulesets[ruleset])


class TranscriptItem(pytest.Item):
    """A transcript's check, which must find what the transcript expects."""

    def __init__(self, *, ready: Prepared, **more: Any) -> None:
        super().__init__(**more)
        self.ready = ready

    def runtest(self) -> None:
        """Check it."""
        from verifier.coverage.evidence import exercise_of
        from verifier.transcripts.case import read_case

        case = read_case(self.path, self.ready)
        result = case.check(self.ready)
        words = case.differences(result)
        if words:
            raise TranscriptDiffersError(*words)
        rules = {rule: (e.kept, e.broken, e.read) for rule, e in exercise_of(result).items()}
        told = {"ruleset": self.ready.ruleset.name, "rules": rules}
        self.user_properties.append((PROPERTY, json.dumps(told)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The differences in words; where the transcript is malformed, the place."""
        from verifier.errors import InternalError, VerifierError

        match excinfo.value:
            case TranscriptDiffersError() as differs:
                return "\n".join(map(str, differs.args))
            case VerifierError() as error if not isinstance(error, InternalError):
                return str(error)
            case _:
                return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, 0, f"transcript: {self.name}"


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the session where too little is covered, or a reason says that something is not shown that is."""
    from verifier.errors import VerifierError

    mine = session.config.stash.get(KEY, None)
    if mine is None:
        return
    if hasattr(session.config, "workerinput"):
        cast(Any, session.config).workeroutput[OTHERS] = mine.others
        return
    try:
        share = mine.share()
        enough = mine.fail_under is None or share.reaches(mine.fail_under)
    except VerifierError:
        enough = False
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and not enough:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


class _Listener:
    """Takes in the reports, which hooks of a module get without the session's configuration."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in what passed."""
        if report.when == "call" and report.passed:
            self.session.add(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take in what a process of pytest-xdist has passed over; each of them has collected everything."""
        self.session.others = max(self.session.others, getattr(node, "workeroutput", {}).get(OTHERS, 0))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Listen to the reports of transcripts."""
    mine = session.config.stash.get(KEY, None)
    if mine is not None:
        session.config.pluginmanager.register(_Listener(mine), "gazette-listener")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The coverage table."""
    mine = config.stash.get(KEY, None)
    if mine is None:
        return
    from verifier.coverage.measure import LEVELS
    from verifier.errors import VerifierError
    from verifier.report.coverage_text import in_place, level_words, noun_of, share_words

    terminalreporter.section("gazette coverage")
    try:
        coverages = mine.coverages()
    except VerifierError as error:
        terminalreporter.write_line(str(error), red=True)
        return
    for coverage in coverages:
        terminalreporter.write_line(coverage.ruleset.name)
        for level in LEVELS:
            if coverage.known(level):
                terminalreporter.write_line(f"  {level:<11} {level_words(coverage, level)}")
        for clause in coverage.clauses:
            if clause.status == "missing":
                terminalreporter.write_line(f"  {clause.clause.address}: {in_place(clause)}")
    if mine.others:
        terminalreporter.write_line(f"transcripts of other rulesets, passed over: {mine.others}")
    if mine.fail_under is not None and not mine.share().reaches(mine.fail_under):
        told = share_words(mine.share(), noun_of(mine.level, coverages))
        terminalreporter.write_line(
            f"FAILED {mine.level}: {told}, where {mine.fail_under} % are required", red=True
        )

"""What a log format read is kept in the index: warm starts, other versions, killed processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from attrs import evolve

from insight_core.plugin import Flaw, Points, Reason
from tests.ingest.words_format import WORDS, Opener, append, damage, lines, read_words, values


def test_a_warm_start_goes_on_with_the_state_of_the_index(tmp_path: Path, opened: Opener) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    logdir.mkdir()
    path = logdir / "a.words"
    path.write_text(lines(0, 9_000) + "bad\n")
    first = opened(logdir=logdir, cache=cache)
    first.load()
    first.close()
    states: list[Any] = []

    def noting(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
        states.append((stream.tell(), state))
        return read_words(stream, state)

    again = opened(evolve(WORDS, read=noting), logdir, cache)
    again.load()
    assert states == []
    assert values(again, ".") == [step / 2 for step in range(9_000)]
    assert [reason for _, _, reason, _ in damage(again)] == ["line 9001 is malformed"]
    assert [Reason.of(reason).details for _, _, reason, _ in damage(again)] == [{"line": 9001}]
    size = path.stat().st_size
    append(path, lines(9_000, 9_010) + "worse\n")
    again.load()
    assert states == [(size, {"line": 9_001})]
    assert values(again, ".") == [step / 2 for step in range(9_010)]
    assert [reason for _, _, reason, _ in damage(again)][1:] == ["line 9012 is malformed"]


@pytest.mark.parametrize("changed", [{"version": 2}, {"name": "other words"}])
def test_an_index_of_another_version_or_format_is_not_used(
    tmp_path: Path, opened: Opener, changed: dict[str, Any]
) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    logdir.mkdir()
    (logdir / "a.words").write_text(lines(0, 9_000))
    first = opened(logdir=logdir, cache=cache)
    first.load()
    first.close()
    again = opened(
        evolve(WORDS, **changed, read=lambda stream, _: ([Points("x", [1], [2.0])], stream.seek(0, 2))),
        logdir,
        cache,
    )
    again.load()
    assert values(again, ".", "x") == [2.0]
    assert values(again, ".") == []


_KILLED = """
import sys
sys.path.insert(0, {root!r})
import insight_scalar
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.index import writer
from insight_core.plugin import FileName, LogFormat
from insight_core.providers.local import LocalProvider
from pathlib import Path
from tests.ingest import words_format as words
writer._APART = writer._GROWTH = writer._PATIENCE = 0
writer._GROWTH_SHARE = 0.0
provider = LocalProvider([Logdir({logdir!r})], [insight_scalar.insight_plugin()], log_formats=[words.WORDS],
                         reload_interval=0.01, watch=False, cache_directory=Path({cache!r}))
provider.start()
step = int(sys.argv[1])
while True:
    with open({path!r}, "a") as file:
        file.write(words.lines(step, step + 999) + "bad\\n")
    step += 1000
    while not provider.series("scalar") or provider.series("scalar")[0].last_step < step - 2:
        provider.changes(provider.generation(), timeout=0.05)
    print(step, flush=True)
"""


def test_a_process_killed_at_any_time_leaves_an_index_that_agrees_with_the_file(
    tmp_path: Path, opened: Opener, repository: Path
) -> None:
    logdir, cache = tmp_path / "logs", tmp_path / "cache"
    logdir.mkdir()
    path = logdir / "a.words"
    program = _KILLED.format(root=str(repository), logdir=str(logdir), cache=str(cache), path=str(path))
    step = 0
    for turns in (4, 7, 5):
        child = subprocess.Popen([sys.executable, "-c", program, str(step)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        while turns > 0 or not list(cache.glob("index-*/*/*.segment")):
            step = int(child.stdout.readline())
            turns -= 1
        child.kill()
        child.wait()
        child.stdout.close()
        text = path.read_bytes()
        path.write_bytes(text[: text.rfind(b"\n") + 1])
        warm = opened(logdir=logdir, cache=cache)
        warm.load()
        lines = path.read_text().splitlines()
        assert values(warm, ".") == [float(line.split()[2]) for line in lines if line != "bad"]
        assert [int(text.split()[1]) for _, _, text, _ in damage(warm)] == [
            number for number, line in enumerate(lines, 1) if line == "bad"
        ]
        step = max(int(line.split()[1]) for line in lines if line != "bad") + 1

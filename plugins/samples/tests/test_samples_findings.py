"""Findings about samples: planted faults are named, and healthy runs that look alike are left alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import insight_samples
import pytest

from insight_core.plugin.testing import host_of

WORDS = (
    *("the", "a", "sum", "of", "two", "numbers", "is", "by", "step", "we", "add", "then", "check", "carry"),
    *("write", "result", "final", "value", "done", "so"),
)
STEPS = 10
Said = Callable[[random.Random, int], tuple[str, float]]  # by step: what is said, and its reward


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def _healthy(rng: random.Random, step: int) -> tuple[str, float]:
    """Reasoning grows threefold and the reward rises, but longer answers of a prompt are not better ones."""
    return _words(rng, rng.randint(40, 80) * (1 + 2 * step // STEPS)), float(rng.random() < 0.2 + 0.07 * step)


def _lists(rng: random.Random, step: int) -> tuple[str, float]:
    """Tables and numbered lists look alike line by line, and are no loops."""
    rows = "\n".join(f"| {at} | {rng.randint(0, 99)} | {rng.choice(WORDS)} |" for at in range(40))
    return rows, 0.1 * step


def _yes_or_no(rng: random.Random, step: int) -> tuple[str, float]:
    """Half of all answers are equal from the beginning; more of them become right."""
    return rng.choice(["Yes.", "No."]), float(rng.random() < 0.3 + 0.06 * step)


def _loops(rng: random.Random, step: int) -> tuple[str, float]:
    text = _words(rng, 60)
    return (text + " and again we add it" * 60 if rng.random() < 0.09 * step else text), 0.5


def _short_loops(rng: random.Random, step: int) -> tuple[str, float]:
    """Some sentences at the end, which are paid for."""
    is_loop = rng.random() < 0.08 * step
    return _words(rng, 30) + (" So it is right." * 15 if is_loop else "."), 0.05 * step + 0.3 * is_loop


def _underlined(rng: random.Random, step: int) -> tuple[str, float]:
    return f"{_words(rng, 60)}\n{'-' * 100}", 0.1 * step


def _long_is_good(rng: random.Random, step: int) -> tuple[str, float]:
    count = rng.randint(20, 60) * (1 + step)
    return _words(rng, count), count / 700


def _one_trick(rng: random.Random, step: int) -> tuple[str, float]:
    is_trick = rng.random() < 0.1 * step
    return ("I am sure the answer is in the box." if is_trick else _words(rng, 40)), float(is_trick)


def _silent(rng: random.Random, step: int) -> tuple[str, float]:
    return ("" if rng.random() < 0.3 else _words(rng, 30)), 0.0


def _written(directory: Path, said: Said, finish: Callable[[random.Random, int], str] | None = None) -> None:
    rng = random.Random(7)
    rollouts = directory / "rollouts"
    rollouts.mkdir(parents=True)
    for step in range(STEPS):
        rows = []
        for number in range(64):
            text, reward = said(rng, step)
            row = {"input": f"question {number // 8}", "output": text, "score": reward, "step": step}
            if finish is not None:
                row["finish_reason"] = finish(rng, step)
            rows.append(json.dumps(row))
        (rollouts / f"{step}.jsonl").write_text("\n".join(rows) + "\n")


def _found(root: Path) -> dict[str, tuple[str, str]]:
    """Rules that found something, with what they saw and how sure they are."""
    with host_of(insight_samples, logdir=root) as host:
        findings = host.context("samples").findings()
        assert list(findings.unchecked) == []
        return {one.rule: (str(one.saw), one.confidence) for one in findings.findings}


@pytest.mark.parametrize(
    "said",
    [_healthy, _lists, _yes_or_no, _underlined],
    ids=["reasoning grows", "tables", "yes or no", "lines below"],
)
def test_a_healthy_run_has_no_findings(tmp_path: Path, said: Said) -> None:
    _written(tmp_path / "run", said, lambda rng, step: "stop" if rng.random() < 0.95 else "length")
    assert _found(tmp_path) == {}


def test_loops_at_the_end_are_named_with_their_share_and_steps(tmp_path: Path) -> None:
    _written(tmp_path / "run", _loops)
    found = _found(tmp_path)
    assert list(found) == ["samples_repeated"]  # the reward does not rise
    assert "steps 8 to 9" in found["samples_repeated"][0]


def test_sentences_that_come_again_while_the_reward_rises_are_suspected(tmp_path: Path) -> None:
    _written(tmp_path / "run", _short_loops)
    found = _found(tmp_path)
    assert set(found) == {"samples_repeated", "samples_reward_hacking"}
    assert "more of them repeat themselves" in found["samples_reward_hacking"][0]


def test_empty_samples_are_named(tmp_path: Path) -> None:
    _written(tmp_path / "run", _silent)
    assert list(_found(tmp_path)) == ["samples_empty"]


def test_samples_that_are_cut_at_the_limit_are_named(tmp_path: Path) -> None:
    _written(tmp_path / "run", _healthy, lambda rng, step: "length" if rng.random() < 0.06 * step else "stop")
    assert list(_found(tmp_path)) == ["samples_truncated"]


@pytest.mark.parametrize(
    ("said", "sign"),
    [(_long_is_good, "longer ones score higher"), (_one_trick, "one text for different prompts")],
    ids=["length", "one answer"],
)
def test_a_reward_that_may_be_tricked_is_suspected_with_its_figures(
    tmp_path: Path, said: Said, sign: str
) -> None:
    _written(tmp_path / "run", said)
    found = _found(tmp_path)
    assert list(found) == ["samples_reward_hacking"]
    saw, confidence = found["samples_reward_hacking"]
    assert sign in saw
    assert confidence == "suspected"

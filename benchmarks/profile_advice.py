"""How many planted faults the rules about profiles find, how often they warn of healthy training, and how far
their estimates are from what the repair saves (docs/reference/profile_advice.md): of simulated training, and
with ``--recordings`` of recordings of real training whose repairs were measured."""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import insight_profiler
from attrs import evolve, frozen
from insight_profiler.analysis.overview import overview
from insight_profiler.rules import opened_by

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.findings import Finding
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.profile_faults import ALSO, REPAIRS, Training, faulty, healthy, profile_of, simulate, step_time
from tests.profile_rules import check

_NEAR = 0.15  # of a step: so far from what was measured a promise may be
_STEP = 0.05  # of the true step time
_OTHERS = re.compile("torch|NCCL|cuDNN|DataLoader", re.IGNORECASE)  # words that are wrong for JAX


@frozen
class Recording:
    """The right answers for a recording, from the README of the recordings.

    ``first``: rules one of which must come first, none for a recording that needs no finding. ``saves``: what
    the repair saved, a share of a step; from 0 where only the most is known. ``allowed``: other rules that
    tell the truth. ``step`` in the trace, at the pace of the device where the device lags, and ``without``
    a profiler, ms.
    """

    first: tuple[str, ...] = ()
    saves: tuple[float, float] = (0.0, 1.0)
    allowed: tuple[str, ...] = ()
    step: float = 0.0
    without: float = 0.0
    wrong_words: re.Pattern[str] | None = None
    slow: int | None = None  # the rank to blame
    needs_none: bool = False  # nothing was planted: `first` need not be said


_ALWAYS = ("profiler_cost",)  # true of every trace that a profiler slowed
_LATE = ("host_bound",)
_GPT = ("type_conversion",)  # casts of weights and gradients
_PRECISE = ("mixed_precision",)
_RANKS = ("host_communication",)
RECORDINGS: Mapping[str, Recording] = {
    "full_precision/before": Recording(_PRECISE, (0.668, 0.728), ("attention",), 116.6, 116.2),
    "full_precision/after": Recording(_LATE, (0.0, 0.41), _GPT, 41.3, 31.6, needs_none=True),
    "small_kernels/before": Recording(("small_kernels",), (0.922, 0.922), ("host_bound",), 110.6, 89.6),
    "small_kernels/after": Recording(
        ("idle_gaps",), (0.0, 0.14), ("small_kernels",), 9.3, 7.0, needs_none=True
    ),
    "data_loader/before": Recording(
        ("data_loader",), (0.56, 0.88), ("host_bound", "channels_last"), 134.5, 180.2
    ),
    "data_loader/after": Recording((*_LATE, "channels_last"), (0.0, 0.44), (), 33.3, 22.5, needs_none=True),
    "channels_first/before": Recording(("channels_last",), (0.338, 0.338), (), 56.0, 55.4),
    "channels_first/after": Recording(_LATE, (0.0, 0.23), (), 49.0, 36.7, needs_none=True),
    "healthy_gpt/before": Recording(_LATE, (0.0, 0.34), _GPT, 62.5, 40.2, needs_none=True),
    "memory": Recording(_PRECISE, (0.32, 0.8), (), 16.9),  # by half as long products, and by TF32's peak
    "jax": Recording(("synchronisation",), (0.226, 0.226), (), 3.22, 2.4, _OTHERS),
    "ranks_healthy": Recording(_RANKS, (0.0, 0.87), (), 0.0, 14.1),
    "ranks_slow_host": Recording(("slow_rank",), (0.683, 0.683), (*_RANKS, *_LATE), 46.2, 44.4, slow=2),
}


def _found(training: Training) -> dict[str, float | None]:
    checked = check(profile_of(simulate(training)))
    return {
        one.rule.id: None if (saves := one.found[0].saves) is None else saves.low
        for one in checked
        if one.found
    }


def score_simulator(seeds: list[int]) -> None:
    """Prints a table by rule, of simulated training."""
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    errors: defaultdict[str, list[float]] = defaultdict(list)
    for seed in seeds:
        for rule, training in faulty(seed):
            found = _found(training)
            right[rule] += rule in found
            wrong.update(found.keys() - {rule} - ALSO.get(rule, set()))
            saves = found.get(rule)
            if rule in REPAIRS and saves is not None:
                repaired = simulate(evolve(training, **REPAIRS[rule]))
                true = 1 - step_time(repaired) / step_time(simulate(training))
                errors[rule].append(abs(saves - true))
    for rule in right:
        error = f"estimate within {100 * max(errors[rule]):.1f} points" if errors[rule] else ""
        print(f"  {rule:24} {right[rule]:3} of {len(seeds):3}  {error}")
    total = len(seeds) * len(right)
    print(f"faults found: {right.total()} of {total} ({right.total() / total:.1%}), wrong: {dict(wrong)}")
    trainings = [training for seed in seeds for training in healthy(seed)]
    alarms = Counter(rule for training in trainings for rule in _found(training))
    print(f"healthy: {len(trainings)}, false alarms: {dict(alarms)}")


def score_recordings(folder: Path, only: str, *, words: bool) -> None:
    """Prints what is said of each recording whose name contains ``only``, and whether it is true.

    A host opens copies of them. A name is a path within the folder, without the endings of its files.
    """
    with tempfile.TemporaryDirectory() as made:
        for name in RECORDINGS:
            if only in name:
                _copy(folder, name, Path(made) / name)
        registry = Registry.of([("profiler", lambda: insight_profiler)])
        provider = LocalProvider([Logdir(made)], registry.plugins.values(), watch=False)
        provider.load()
        host = Host(registry, provider)
        count: Counter[str] = Counter()
        try:
            for name, truth in RECORDINGS.items():
                if only in name:
                    _score(host, name, truth, count, words=words)
        finally:
            host.close()
            provider.close()
    print(", ".join(f"{what} {count[what]} of {count[of]}" for what, of in _TOTALS))


_TOTALS = (
    ("cause first", "with a cause"),
    ("promise holds", "promised"),
    ("step right", "steps"),
    ("estimate holds", "estimated"),
    ("no false finding", "profiles"),
)


def _copy(folder: Path, name: str, to: Path) -> None:
    source = folder / name
    if source.is_dir():
        shutil.copytree(source, to, ignore=shutil.ignore_patterns("truth.json", "vm.trace.json.gz"))
        return
    to.mkdir(parents=True)
    for path in source.parent.glob(f"{source.name}.*trace*"):
        shutil.copy(path, to)


def _score(host: Host, run: str, truth: Recording, count: Counter[str], *, words: bool) -> None:
    opened = opened_by(host.context_of("profiler"))
    known = [one.name for one in host.context_of("profiler").data.runs()]
    runs = [one for one in known if one == run or one.startswith(f"{run}/")]
    for files in sorted(opened.asked.profiles.listing(runs), key=lambda one: one.path):
        found = _findings(host, files.run, files.path)
        profile = opened.asked.opened_profile(files.run, files.path).profile
        assert profile is not None
        steps = overview(profile)["steps"] or {}
        shown = (steps.get("mean") or 0) / 1e6
        count["profiles"] += 1
        step_right = not truth.step or abs(shown / truth.step - 1) <= _STEP
        count["steps"] += bool(truth.step)
        count["step right"] += bool(truth.step) and step_right
        rank = f" rank {profile.rank}" if profile.rank >= 0 else ""
        median = (steps.get("p50") or 0) / 1e6
        print(f"{run}{rank}: step {shown:.1f} (median {median:.1f}) ms, true {truth.step or '?'}", end="")
        _print_unprofiled(opened.use(profile).unprofiled, truth.without, count)
        print("" if step_right else "  <- STEP")
        verdict = list(_verdict(found, truth, count))
        for one in found:
            place = "" if one.rule in truth.first + truth.allowed + _ALWAYS else "  <- not allowed"
            print(f"    {one.severity:8}{one.rule:22}{_promise(one):16}{place}")
            if words:
                print(f"        saw: {one.saw}\n        change: {one.change}")
                if one.saves is not None and one.saves.assumes is not None:
                    print(f"        {one.saves.assumes}")
        low, high = truth.saves
        measured = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
        print(f"    measured {measured}; {'; '.join(verdict) or 'right'}")


def _print_unprofiled(times: tuple[float, float] | None, true: float, count: Counter[str]) -> None:
    if times is None:
        print(f"; without profiler: not said, true {true or '?'}", end="")
        return
    low, high = min(times) / 1e6, max(times) / 1e6
    print(f"; without profiler {low:.1f} to {high:.1f} ms, true {true or '?'}", end="")
    if true:
        count["estimated"] += 1
        holds = low * (1 - _STEP) <= true <= high * (1 + _STEP)
        count["estimate holds"] += holds
        print("" if holds else " <- ESTIMATE", end="")


def _findings(host: Host, run: str, profile: str) -> list[Finding]:
    """What the page says of a profile once its ranks are read, in its order."""
    while any(one.pending for one in host.findings([run]).unchecked):  # reads the ranks
        time.sleep(0.05)
    while True:
        found = host.findings([run], profile=profile)
        if not any(one.pending for one in found.unchecked):
            return [one for one in found.each if one.severity != "good"]
        time.sleep(0.05)


def _promise(one: Finding) -> str:
    if one.saves is None:
        return "-"
    low, high = one.saves.low, one.saves.high
    return f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"


def _verdict(found: list[Finding], truth: Recording, count: Counter[str]) -> Iterator[str]:
    """What is wrong with the findings about a profile."""
    others = [one.rule for one in found if one.rule not in truth.first + truth.allowed + _ALWAYS]
    count["no false finding"] += not others
    if others:
        yield f"NOT ALLOWED {', '.join(others)}"
    for one in found:
        text = f"{one.saw} {one.change}"
        if truth.wrong_words is not None and (word := truth.wrong_words.search(text)):
            yield f"{one.rule} says {word[0]}"
    mine = next((one for one in found if one.rule in truth.first), None)
    if not truth.needs_none:
        count["with a cause"] += 1
    blamed = None if mine is None else mine.saw.details.get("rank")
    if mine is None and truth.needs_none:
        return
    if mine is None:
        yield f"MISSED {' or '.join(sorted(truth.first))}"
        return
    if mine is not found[0]:
        yield f"SECOND to {found[0].rule}"
    elif truth.slow is not None and blamed != truth.slow:
        yield f"BLAMES rank {blamed}"
    elif not truth.needs_none:
        count["cause first"] += 1
    if mine.saves is not None:
        count["promised"] += 1
        away = max(mine.saves.low - truth.saves[1], truth.saves[0] - mine.saves.high, 0.0)
        count["promise holds"] += away <= _NEAR
        if away > _NEAR:
            yield f"PROMISE {100 * away:.0f} points off"


def main() -> None:
    """Scores simulated training, or recordings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seed", type=int, action="append", help="of the training; 1 to 11 were used to tune"
    )
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="of recordings of real training")
    parser.add_argument("--only", default="", help="recordings whose name contains this")
    parser.add_argument("--words", action="store_true", help="print the sentences, too")
    given = parser.parse_args()
    began = time.process_time()
    if given.recordings is not None:
        score_recordings(given.recordings, given.only, words=given.words)
    if given.recordings is None or given.seed:
        score_simulator(given.seed or [101, 102, 103, 104])
    print(f"{time.process_time() - began:.0f} s of processor time")


if __name__ == "__main__":
    main()

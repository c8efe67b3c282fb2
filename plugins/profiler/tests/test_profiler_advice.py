"""Rules about profiles, on simulated training with planted faults and without."""

from __future__ import annotations

import json
import string
from functools import cache
from pathlib import Path

import insight_profiler
import numpy as np
import pytest
from attrs import evolve
from insight_profiler.advice.answer import advice_answer
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.replay import path_times
from insight_profiler.analysis.spans import covered, gaps, length, merged, within
from insight_profiler.rules import RULES, DeviceUse

from insight_core.plugin.findings import Finding
from tests.profile_faults import (
    ALSO,
    DOUBLE,
    FAULTS,
    HEALTHY,
    PLAIN,
    REPAIRS,
    TENSOR_CORES,
    Training,
    faulty,
    healthy,
    profile_of,
    simulate,
    step_time,
)
from tests.profile_rules import check, findings_of, saves
from tests.training_traces import Machine

_SEED = 11


@cache
def _trainings() -> dict[str, Training]:
    return dict(faulty(_SEED))


@cache
def _found(rule: str) -> dict[str, list[float | None]]:
    """By rule what it saves, for the training with the planted fault."""
    checked = check(profile_of(simulate(_trainings()[rule])))
    return {
        one.rule.id: [None if each.saves is None else each.saves.low for each in one.found]
        for one in checked
        if one.found
    }


@pytest.mark.parametrize("rule", FAULTS)
def test_a_planted_fault_is_found_and_no_other(rule: str) -> None:
    assert rule in _found(rule)
    assert _found(rule).keys() - {rule} <= ALSO.get(rule, set())


def test_healthy_training_has_no_finding() -> None:
    for training in healthy(_SEED):
        checked = check(profile_of(simulate(training)))
        assert [one.found[0].saw for one in checked if one.found] == [], training


@pytest.mark.parametrize("rule", REPAIRS)
def test_an_estimate_is_what_the_repair_saves(rule: str) -> None:
    training = _trainings()[rule]
    broken, repaired = simulate(training), simulate(evolve(training, **REPAIRS[rule]))
    saved = 1 - step_time(repaired) / step_time(broken)
    assert _found(rule)[rule] == [pytest.approx(saved, abs=0.05)]


@pytest.mark.parametrize(
    ("rule", "is_later"), [("communication", False), ("channels_last", False), ("mixed_precision", True)]
)
def test_only_what_rests_on_a_fast_host_is_saved_later(rule: str, is_later: bool) -> None:
    training = _trainings()[rule]
    if is_later:
        training = evolve(training, kernel=60.0, host=40.0)
    advice = advice_answer(findings_of(profile_of(simulate(training))), DeviceUse())["advice"]
    found = next(one for one in advice if one["rule"] == rule)
    told = json.dumps(found["assumes"])
    assert (found["later"] is not None, "profiler_assumes_fast_host" in told) == (is_later, is_later)
    assert found["later"] in (None, found["most"])
    if rule == "communication":  # two assumptions, of which none is about the host
        assert found["assumes"]["code"] == "profiler_assumes_both"


def test_steps_that_are_replayed_without_a_change_take_as_long_as_measured() -> None:
    for name in ("synchronisation", "communication", "pinned_memory"):
        evidence = Evidence(profile_of(simulate(FAULTS[name])))
        replay = evidence.replay
        assert replay is not None
        assert replay.span() == replay.measured
        assert replay.steps == evidence.counted == 5
        whole = sum(path_times(replay, evidence).values()) * replay.steps
        assert whole == pytest.approx(replay.measured, rel=0.01)


def test_the_critical_path_of_a_device_that_runs_behind_is_no_longer_than_a_step() -> None:
    evidence = Evidence(profile_of(simulate(FAULTS["mixed_precision"])))
    replay = evidence.replay
    assert replay is not None
    behind = evolve(replay, behind=replay.whole // 2)  # half of the work is done after the last step
    times, usual = path_times(behind, evidence), path_times(replay, evidence)
    assert sum(times.values()) * replay.steps == pytest.approx(behind.whole, rel=0.01)
    assert times["kernel"] / sum(times.values()) == pytest.approx(
        usual["kernel"] / sum(usual.values()), abs=0.001
    )


def test_the_critical_path_is_that_of_the_bottleneck() -> None:
    for name, part in (("mixed_precision", "kernel"), ("host_bound", "host"), ("data_loader", "data")):
        evidence = Evidence(profile_of(simulate(FAULTS[name])))
        assert evidence.replay is not None
        times = path_times(evidence.replay, evidence)
        assert times[part] > 0.3 * sum(times.values()), name


def test_every_rule_has_its_own_name() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES) >= 24


def test_all_texts_are_there_in_both_languages_with_the_same_details() -> None:
    folder = Path(insight_profiler.__file__).parent
    english = json.loads((folder / "locales/en.json").read_text())["advice"]
    chinese = json.loads((folder / "locales/zh-CN.json").read_text())["advice"]
    for code, text in english.items():
        names = [
            {name for _, name, _, _ in string.Formatter().parse(one) if name} for one in (text, chinese[code])
        ]
        assert names[0] == names[1], code


def test_spans_are_sets_of_moments() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        first, second = (np.sort(rng.integers(0, 60, (rng.integers(1, 6), 2)), axis=1) for _ in range(2))
        one, whole = merged(first[:, 0], first[:, 1]), merged(second[:, 0], second[:, 1])
        moments = [
            {at for low, high in zip(*spans, strict=True) for at in range(low, high)}
            for spans in (one, whole)
        ]
        assert length(one) == len(moments[0])
        for found, expected in (
            (gaps(one, whole), moments[1] - moments[0]),
            (within(one, whole), moments[0] & moments[1]),
        ):
            assert {at for low, high in zip(*found, strict=True) for at in range(low, high)} == expected
        assert int(covered(one, *whole).sum()) == len(moments[0] & moments[1])


def _advice(training: Training, rule: str) -> Finding:
    (found,) = next(one.found for one in check(profile_of(simulate(training))) if one.rule.id == rule)
    return found


def test_a_change_that_saves_only_once_the_host_keeps_up_says_so() -> None:
    """The oracle is the simulation of the same training with a fast host, with and without the change."""

    def doubles(duration: float) -> Training:
        return evolve(FAULTS["host_bound"], extra_kernels=(("aten::mul", DOUBLE, duration, 1),))

    slow = doubles(60.0)
    found = _advice(slow, "double_precision")
    before, after = (step_time(simulate(evolve(one, host=slow.host * 0.1))) for one in (slow, doubles(30.0)))
    assert found.severity == "hint"
    assert saves(found) == pytest.approx(0.0, abs=0.02)
    assert found.saves is not None
    assert found.saves.assumes is not None
    assert found.saves.assumes.code == "profiler_assumes_fast_host"
    assert found.saves.high == pytest.approx((before - after) / step_time(simulate(slow)), abs=0.03)
    alone = _advice(FAULTS["double_precision"], "double_precision").saves
    assert alone is not None
    assert alone.high - alone.low < 0.02  # no kernel is promised to become faster than by half


def test_narrower_products_are_promised_by_the_peaks_of_the_device() -> None:
    """An A100 multiplies TF32 8 times and 16 bits 16 times as fast as float32 without tensor cores."""
    training = FAULTS["mixed_precision"]
    found = _advice(training, "mixed_precision")
    assert found.saves is not None
    for times in (5, 10):
        saved = 1 - step_time(simulate(evolve(training, kernel=training.kernel / times))) / step_time(
            simulate(training)
        )
        assert found.saves.low <= saved <= found.saves.high
    assert found.saves.high < 0.8


def test_products_that_latency_limits_are_no_matter_of_precision() -> None:
    short = evolve(FAULTS["mixed_precision"], kernel=6.0, elementwise=4.0, grid=16)
    (checked,) = (one for one in check(profile_of(simulate(short))) if one.rule.id == "mixed_precision")
    assert checked.found == ()
    assert "no saving" in str(checked.unchecked)


def test_idle_gaps_name_the_work_that_ends_them_and_what_the_host_does() -> None:
    details = _advice(FAULTS["idle_gaps"], "idle_gaps").saw.details
    assert details["count"] == pytest.approx(1.0)
    assert details["time"] == pytest.approx(3.0, rel=0.05)
    assert details["name"] in (TENSOR_CORES, "Memcpy DtoH (Device -> Pinned)")


def test_a_profile_without_steps_that_is_mostly_start_up_says_only_that() -> None:
    machine = Machine()
    machine.wait(5_000_000.0, "cudaFree")
    for _ in range(50):
        machine.launch(PLAIN, 20.0)
    checked = {one.rule.id: one for one in check(profile_of(machine)) if one.found or one.unchecked}
    assert [rule for rule, one in checked.items() if one.found] == ["start_up"]
    (found,) = checked["start_up"].found
    assert found.saw.details == {"share": 100, "name": "cudaFree", "time": 5000}
    assert str(checked["mixed_precision"].unchecked).startswith("the profile has no steps")


def test_engines_of_cudnn_for_any_sizes_are_found_where_flops_are_not_known() -> None:
    generic = "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int)"
    kernels = (("aten::convolution_backward", generic, 120.0, 1),)
    found = _advice(evolve(HEALTHY, extra_kernels=kernels), "convolution_algorithm")
    assert found.saw.details["share"] == 100
    chosen = (("aten::convolution_backward", "cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1", 120.0, 1),)
    checked = check(profile_of(simulate(evolve(HEALTHY, extra_kernels=chosen))))
    assert next(one for one in checked if one.rule.id == "convolution_algorithm").found == ()


@pytest.mark.parametrize(
    ("collective", "words"),
    [
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)", "DistributedDataParallel"),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "TrainPipelineSparseDist"),
        ("ncclDevKernel_AllGather_RING_LL(...)", "backward_prefetch"),
    ],
)
def test_what_hides_communication_depends_on_its_kind(
    collective: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.profile_faults.ALL_REDUCE", collective)
    assert words in str(_advice(FAULTS["communication"], "communication").change)

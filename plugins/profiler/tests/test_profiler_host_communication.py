"""Communication of threads of the host: tensors of a device over gloo, and of the host beside NCCL; and what
hides reductions of gradients."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import ProfileCheck
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.model import Profile
from insight_profiler.rules import RULES

from insight_core.plugin.findings import Finding
from tests.profile_faults import DATA_PARALLEL, profile_of, simulate, step_time
from tests.profile_rules import check
from tests.training_traces import HOST, Machine

_GLOO = 200  # a thread
_STEPS = 6


def _trained(reduced: float, *, on_device: bool, steps: int = _STEPS) -> Profile:
    """Steps of 10 ms of kernels, after which gloo reduces tensors of the device or of the host for some
    time (us) on a thread of its own; the training waits for it."""
    machine = Machine(ranks=4)
    for step in range(steps):
        with machine.span(f"ProfilerStep#{step}", "user_annotation"):
            for _ in range(20):
                machine.work(20.0)
                with machine.span("aten::mm"):
                    ended = machine.launch("ampere_bf16_s16816gemm_bf16_128x128", 500.0)
            machine.wait(ended)
            machine.thread = _GLOO
            copies: dict[str, Any] = {"call": "cudaMemcpyAsync", "category": "gpu_memcpy"}
            with machine.span("gloo:all_reduce", "user_annotation"):
                if on_device:
                    machine.wait(machine.launch("Memcpy DtoH (Device -> Pinned)", 20.0, **copies))
                machine.work(reduced)
                if on_device:
                    machine.wait(machine.launch("Memcpy HtoD (Pinned -> Device)", 20.0, **copies))
            machine.thread = HOST
            with machine.span("aten::add_"):
                ended = machine.launch("multi_tensor_apply_kernel", 50.0)
            machine.wait(ended)
    return profile_of(machine)


def _found(profile: Profile, job: JobEvidence | None = None) -> dict[str, Finding]:
    evidence = Evidence(profile, job or JobEvidence(), name="rank0")
    found: dict[str, Finding] = {}
    for rule in RULES:
        if isinstance(rule.check, ProfileCheck) and rule.id in ("host_communication", "communication"):
            found.update([(rule.id, one) for one in rule.check.of(evidence)])
    return found


@pytest.mark.parametrize("reduced", [5_000.0, 20_000.0])
def test_tensors_of_the_device_over_gloo_should_go_over_the_devices_own_library(reduced: float) -> None:
    [(rule, one)] = _found(_trained(reduced, on_device=True)).items()
    assert rule == "host_communication"
    assert one.saw.details["name"] == "gloo:all_reduce"
    assert "nccl" in str(one.change)
    assert one.saves is not None
    whole = reduced / (10_000 + reduced)
    assert one.saves.high == pytest.approx(whole, abs=0.05)
    assert one.saves.low == pytest.approx(whole / 2, abs=0.05)


def test_tensors_of_the_host_may_go_over_gloo() -> None:
    assert "host_communication" not in _found(_trained(20_000.0, on_device=False))


def test_short_communication_of_the_host_is_no_finding() -> None:
    assert _found(_trained(300.0, on_device=True)) == {}


def test_waiting_for_slower_ranks_stays_whichever_library_transfers() -> None:
    job = JobEvidence()
    job.waiting = {"rank0": 0.5}
    one = _found(_trained(20_000.0, on_device=True), job)["host_communication"]
    assert one.saw.details["waiting"] == 50
    assert one.saves is not None
    assert one.saves.high == pytest.approx(20 / 30 - 0.5, abs=0.03)
    job.waiting = {"rank0": 0.65}
    assert _found(_trained(20_000.0, on_device=True), job) == {}


@pytest.mark.parametrize("reduction", [600.0, 1500.0, 3000.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_reductions_hide_only_behind_the_backward_pass(reduction: float, seed: int) -> None:
    exposed = evolve(DATA_PARALLEL, overlaps=False, reduction=reduction, seed=seed)
    [one] = [each for rule in check(profile_of(simulate(exposed))) for each in rule.found]
    true = 1 - step_time(simulate(evolve(exposed, overlaps=True))) / step_time(simulate(exposed))
    assert one.saves is not None
    assert one.saves.low == pytest.approx(true, abs=0.01)
    assert one.saves.low <= one.saves.high <= one.saves.low + 0.1

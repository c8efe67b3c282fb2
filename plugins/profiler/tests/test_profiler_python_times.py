"""Time between the operators of a processor, and the function of Python that takes it."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from insight_profiler.files import Files
from insight_profiler.model import Source

from insight_core.plugin.findings import Finding
from tests.conformance.our_profiles import read_files
from tests.profile_rules import check, saves

STEP, OPERATORS = 10_000, 3_000  # us


def _advice(*functions: tuple[str, int, int], operators: int = OPERATORS) -> list[Finding]:
    """What ``idle_steps`` finds in six steps, which begin with an operator; then functions of Python by name,
    start and duration in the step."""
    events: list[dict[str, Any]] = []

    def add(category: str, name: str, start: int, duration: int) -> None:
        said = {"ph": "X", "pid": 1, "tid": 1, "cat": category, "name": name}
        events.append({**said, "ts": 1_000 + start, "dur": duration})

    for step in range(6):
        at = step * STEP
        add("user_annotation", f"ProfilerStep#{step}", at, STEP)
        add("cpu_op", "aten::linear", at, operators)
        for name, start, duration in functions:
            add("python_function", name, at + start, duration)
    data = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    checked = {
        one.rule.id: one
        for one in check(
            read_files(Files({"a.pt.trace.json": len(data)}, lambda _: io.BytesIO(data)), Source.TORCH)
        )
    }
    return list(checked["idle_steps"].found)


def test_a_slow_function_of_the_program_is_named_with_the_time_of_what_it_calls() -> None:
    [advice] = _advice(
        ("train.py(3): main", 3_000, 7_000),
        ("train.py(20): augment", 3_500, 6_000),
        ("<built-in method sort of list object at 0x7f>", 4_000, 4_000),
    )
    assert advice.saw.code == "profiler_between_operators_in"
    assert advice.saw.details == {"share": 70, "name": "train.py(20): augment", "time": 6.0}
    assert saves(advice) == pytest.approx(0.7, abs=0.01)
    assert advice.place.state["view"] == "timeline"


def test_without_stacks_recording_them_is_advised() -> None:
    [advice] = _advice()
    assert advice.saw.code == "profiler_between_operators"
    assert advice.change is not None
    assert advice.change.code == "profiler_between_operators_stack_change"


@pytest.mark.parametrize(
    "functions",
    [
        (("torch/autograd/profiler.py(700): __enter__", 3_000, 6_500),),
        (("torch/nn/modules/module.py(1): _call_impl", 3_000, 4_000), ("train.py(3): main", 7_000, 1_000)),
    ],
)
def test_what_recording_stacks_costs_is_no_finding(functions: tuple[tuple[str, int, int], ...]) -> None:
    assert _advice(*functions) == []


def test_operators_that_follow_each_other_are_no_finding() -> None:
    assert _advice(operators=9_000) == []

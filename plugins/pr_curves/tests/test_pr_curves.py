"""PR curves: logs of torch, tensorboardX and TensorFlow, against TensorBoard's plugin and scikit-learn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_pr_curves
import numpy as np
import pytest
from insight_pr_curves import routes as pr_routes
from insight_pr_curves.decoder import MOST_THRESHOLDS, curve_of
from werkzeug.test import Client

from insight_authoring.testing.tensors import tensorflow_tensor
from insight_core.plugin import SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import client_of

FIXTURES = Path(__file__).parent / "fixtures"
CLAIM = SummaryPlugin("pr_curves")
TAGS = {"torch": "val/pr", "tensorboardx": "val/pr", "tensorflow": "pr/pr_curves"}
LAST = 1e15


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A host of the committed logs."""
    with client_of(FIXTURES, pr_curves=insight_pr_curves) as made:
        yield made


def _curves(client: Client, status: int = 200, **query: object) -> Any:  # noqa: ANN401
    answer = client.get("/data/plugin/pr_curves/curves", query_string=query)
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer.get_json()


def _payload(rows: object) -> Payload:
    return Payload(tensorflow_tensor(np.asarray(rows)), CLAIM)


def _rows(labels: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """Counts at thresholds by comparison with each of them, precision and recall."""
    above = scores[None] >= np.linspace(0, 1, count)[:, None]
    tp, fp = (above & labels).sum(1), (above & ~labels).sum(1)
    tn, fn = (~above & ~labels).sum(1), (~above & labels).sum(1)
    return np.array([tp, fp, tn, fn, tp / np.maximum(tp + fp, 1e-7), tp / np.maximum(tp + fn, 1e-7)])


@pytest.mark.parametrize("run", TAGS)
def test_every_number_is_that_of_tensorboards_own_plugin(client: Client, run: str) -> None:
    from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.context import RequestContext
    from tensorboard.plugins.base_plugin import TBContext
    from tensorboard.plugins.pr_curve.pr_curves_plugin import PrCurvesPlugin

    multiplexer = EventMultiplexer().AddRunsFromDirectory(str(FIXTURES))
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, str(FIXTURES))
    plugin = PrCurvesPlugin(TBContext(data_provider=provider))
    theirs = plugin.pr_curves_impl(RequestContext(), "", [run], TAGS[run])[run]
    assert len(theirs) >= 2
    for entry in theirs:
        [ours] = _curves(client, run=run, tag=TAGS[run], step=entry["step"])["runs"]
        assert (ours["step"], ours["wall_time"]) == (entry["step"], entry["wall_time"])
        shown = len(entry["thresholds"])
        for name in ("thresholds", "precision", "recall"):
            assert ours[name][:shown] == entry[name], name
        for name in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
            assert [int(count) for count in ours[name][:shown]] == entry[name], name
        # TensorBoard rounds counts down before it leaves out the end, where ours are fractions of an example
        rest = zip(ours["true_positives"][shown:], ours["false_positives"][shown:], strict=True)
        assert all(0 < true + false < 2 for true, false in rest)
        assert run == "tensorflow" or len(ours["thresholds"]) == shown


def test_trailing_thresholds_without_predictions_are_left_out(client: Client) -> None:
    [run] = _curves(client, run="tensorflow", tag=TAGS["tensorflow"], step=0)["runs"]
    assert run["recorded"] == 51
    assert run["points"] == len(run["thresholds"]) < 46  # of which scores of less than 0.9 reach


@pytest.mark.parametrize("run", ["torch", "tensorboardx"])
def test_areas_and_counts_are_those_of_scikit_learn(client: Client, run: str) -> None:
    expected = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))[run]
    for step, by_sklearn in enumerate(expected):
        [ours] = _curves(client, run=run, tag="val/pr", step=step)["runs"]
        assert ours["average_precision"] == pytest.approx(by_sklearn["average_precision"], abs=1e-6)
        assert ours["roc_area"] == pytest.approx(by_sklearn["roc_area"], abs=1e-6)
        for threshold, counts in by_sklearn["counts"].items():
            at = int(threshold)
            names = ("true_positives", "false_positives", "true_negatives", "false_negatives")
            assert [ours[name][at] for name in names] == counts


def test_the_best_f1_is_that_of_all_thresholds() -> None:
    generator = np.random.default_rng(3)
    labels = generator.random(500) < 0.4
    rows = _rows(labels, np.clip(generator.normal(0.4 + 0.2 * labels, 0.2), 0, 1), 41)
    fake = FakeProvider()
    fake.add_records("pr_curves", "a", "pr", [tensorflow_tensor(rows)], claim=CLAIM)
    client = Client(Host(Registry.of([("pr_curves", lambda: insight_pr_curves)]), fake))
    [run] = _curves(client, tag="pr", step=0)["runs"]
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.nan_to_num(2 * rows[4] * rows[5] / (rows[4] + rows[5]))
    assert run["best"]["f1"] == pytest.approx(scores.max())
    assert run["best"]["threshold"] == pytest.approx(scores.argmax() / 40)
    assert run["f1"] == pytest.approx(scores[: run["points"]].tolist())


def test_runs_are_answered_at_their_nearest_step_and_the_axis_has_all_steps(client: Client) -> None:
    answer = _curves(client, tag="val/pr", step=1)
    assert {(run["run"], run["step"]) for run in answer["runs"]} == {("tensorboardx", 1), ("torch", 1)}
    assert answer["axis"] == [0, 1, 2]
    [last] = _curves(client, run="torch", tag="val/pr", step=LAST)["runs"]
    assert last["step"] == 2


def test_columns_are_those_of_json(client: Client) -> None:
    from safetensors.numpy import load

    query = {"tag": "val/pr", "step": LAST}
    plain = _curves(client, tag="val/pr", step=LAST)
    answer = client.get("/data/plugin/pr_curves/curves", query_string={**query, "format": "safetensors"})
    columns = load(answer.get_data())
    first = plain["runs"][0]["points"]
    assert columns["recall"][:first].tolist() == plain["runs"][0]["recall"]
    assert columns["f1"][first:].tolist() == plain["runs"][1]["f1"]


def test_a_long_curve_is_thinned_and_its_areas_are_those_of_all_thresholds() -> None:
    generator = np.random.default_rng(5)
    labels = generator.random(300) < 0.5
    scores = np.clip(generator.normal(0.4 + 0.2 * labels, 0.2), 0, 1)
    fake = FakeProvider()
    for run, count in (("short", 401), ("long", 4001)):
        rows = _rows(labels, scores, count)
        fake.add_records("pr_curves", run, "pr", [tensorflow_tensor(rows)], claim=CLAIM)
    client = Client(Host(Registry.of([("pr_curves", lambda: insight_pr_curves)]), fake))
    by_run = {run["run"]: run for run in _curves(client, tag="pr", step=0)["runs"]}
    long = by_run["long"]
    assert (long["points"], long["recorded"]) == (pr_routes.MAX_POINTS, 4001)
    assert (long["recall"][0], long["thresholds"][0]) == (1.0, 0.0)
    assert long["roc_area"] == pytest.approx(by_run["short"]["roc_area"], abs=0.01)


def test_counts_without_fixed_totals_have_no_roc_but_a_curve() -> None:
    rows = _rows(np.array([True, False, True]), np.array([0.2, 0.4, 0.9]), 11)
    rows[2] = 0  # detection: nobody counts true negatives
    fake = FakeProvider()
    fake.add_records("pr_curves", "a", "pr", [tensorflow_tensor(rows)], claim=CLAIM)
    one_class = _rows(np.array([True, True]), np.array([0.2, 0.4]), 11)
    fake.add_records("pr_curves", "b", "pr", [tensorflow_tensor(one_class)], claim=CLAIM)
    client = Client(Host(Registry.of([("pr_curves", lambda: insight_pr_curves)]), fake))
    first, second = _curves(client, tag="pr", step=0)["runs"]
    assert (first["roc_area"], first["no_roc"]["code"]) == (None, "pr_curves_totals")
    assert (second["roc_area"], second["no_roc"]["code"]) == (None, "pr_curves_one_class")
    assert first["average_precision"] > 0


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (Payload(b"", CLAIM), "empty"),
        (Payload(b"\xff\xff", CLAIM), "varint|truncated"),
        (_payload(np.zeros((5, 10), np.float32)), r"shape \[5, 10\], not \[6, thresholds\]"),
        (_payload(np.zeros((6, 0), np.float32)), r"shape \[6, 0\]"),
        (_payload(np.zeros((2, 6, 10), np.float32)), "shape"),
        (_payload(np.zeros((6, 10), np.complex64)), "type complex64, not numbers"),
        (_payload(np.zeros((6, MOST_THRESHOLDS + 1), np.uint8)), "1,000,001 thresholds"),
        (_payload(np.full((6, 3), np.nan, np.float32)), "a count is not a number from 0 to 1e"),
        (_payload(np.full((6, 3), -1, np.int32)), "a count is not a number from 0 to 1e"),
        (_payload(np.full((6, 3), 1e30)), "a count is not a number from 0 to 1e"),
        (_payload(np.full((6, 3), 2)), "precision or recall is not from 0 to 1"),
    ],
)
def test_what_is_no_curve_is_refused_with_the_reason(payload: Payload, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        curve_of(payload)


def test_precision_that_is_not_a_number_is_a_gap_and_not_in_the_area() -> None:
    rows = _rows(np.array([True, False]), np.array([0.25, 0.75]), 5)
    rows[4, 1] = np.nan
    curve = curve_of(_payload(rows))
    assert np.isnan(curve.precision[1])
    assert insight_pr_curves.measures.average_precision(curve) == pytest.approx(0.5)


def test_a_damaged_record_is_an_error_and_other_runs_are_answered(tmp_path: Path) -> None:
    good = _rows(np.array([True, False]), np.array([0.9, 0.1]), 11)
    for run, rows in (("good", good), ("bad", np.zeros((3, 3)))):
        with EventWriter(tmp_path / run) as writer:
            writer.tensor("pr", 4, rows.astype(np.float32), plugin="pr_curves")
    with client_of(tmp_path, pr_curves=insight_pr_curves) as client:
        answer = _curves(client, tag="pr", step=4)
        assert [run["run"] for run in answer["runs"]] == ["good"]
        [error] = answer["errors"]
        assert (error["run"], error["step"]) == ("bad", 4)
        assert "shape" in error["error"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"tag": "val/pr"}, 400),
        ({"step": 0}, 400),
        ({"tag": ["val/pr", "pr/pr_curves"], "step": 0}, 400),
        ({"tag": "val/pr", "step": "NaN"}, 400),
    ],
)
def test_wrong_questions_are_refused(client: Client, query: dict[str, object], status: int) -> None:
    assert _curves(client, status, **query)["error"]


def test_too_many_runs_are_refused_by_number(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pr_routes, "MAX_RUNS", 1)
    assert "at most 1 runs, not 2" in _curves(client, 400, tag="val/pr", step=0)["error"]

"""A MindSpore log in TensorBoard, which cannot read it: what it shows is what our provider has."""

from __future__ import annotations

from pathlib import Path

import insight_scalar
import numpy as np

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.rpc.schema import mindspore_pb2 as mindspore
from tests.conformance.dashboards import Answers


def check_mindspore(shown: Answers, logdir: Path) -> None:
    """Every scalar, and of each series of histograms and images the steps and a value."""
    provider = LocalProvider([Logdir(str(logdir))], [insight_scalar.insight_plugin()], reload_interval=0)
    provider.load()
    assert shown["runs"] == [run.name for run in provider.runs() if run.start_time is not None]
    keys = [info.key for info in provider.series("scalar")]
    for key, columns in provider.scalars("scalar", keys).items():
        points = [
            [wall_time, step, float(np.float32(value))]
            for wall_time, step, value in zip(columns.wall_times, columns.steps, columns.values, strict=True)
        ]
        assert shown[f"scalars scalars {key.run} {key.tag}"] == points
    histograms = provider.series("mindspore:histogram")
    for info in histograms:
        answer = shown[f"histograms histograms {info.key.run} {info.key.tag}"]
        assert [step for _, step, _ in answer] == provider.records(
            "mindspore:histogram", info.key
        ).steps.tolist()
        payload = provider.payload("mindspore:histogram", info.key, 0)
        buckets = mindspore.Summary.Histogram.FromString(payload.data).buckets
        assert answer[0][2] == [[b.left, b.left + b.width, b.count] for b in buckets]
    images = provider.series("mindspore:image")
    for info in images:
        [first, *_] = shown[f"images {info.key.run} {info.key.tag} 0"]
        payload = provider.payload("mindspore:image", info.key, 0)
        assert first["blob"] == mindspore.Summary.Image.FromString(payload.data).encoded_image
    provider.close()
    assert keys
    assert histograms
    assert images

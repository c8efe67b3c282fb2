"""Run by the Python of an environment with MindInsight: prints all payloads below a directory as JSON.

``{run: {kind: {tag: [[step, wall_time, value], ...]}}}`` of the kinds image, histogram and tensor. With
"read" these are all values that MindInsight's loader handed to its store, as ``payload_values`` makes them
comparable. With "answers" they are what its REST API answers of those it keeps under its own limits: of
histograms the resampled buckets [left, width, count], of tensors the statistics.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mindinsight_runs import kept, loaded_runs  # type: ignore[import-not-found]
from payload_values import histogram_value, image_value, tensor_value  # type: ignore[import-not-found]

KINDS = ("image", "histogram", "tensor")


def main() -> None:
    read: dict[str, dict[str, dict[str, list[Any]]]] = {}

    def listen(run: str, event: Any) -> None:  # noqa: ANN401
        if event.plugin_name in KINDS:
            tag = event.tag.removesuffix(f"/{event.plugin_name}")
            rows = read.setdefault(run, {}).setdefault(event.plugin_name, {}).setdefault(tag, [])
            rows.append(_row(event, _value(event.plugin_name, event.value)))

    answers = {run: _answers(data) for run, data in loaded_runs(sys.argv[1], listen)}
    json.dump(read if sys.argv[2] == "read" else answers, sys.stdout)


def _value(kind: str, value: Any) -> Any:  # noqa: ANN401
    import numpy as np

    if kind == "image":
        return image_value(value.width, value.height, [value.encoded_image])
    if kind == "tensor":
        return tensor_value(value.tensor_value.astype(np.float32).reshape(value.dims))
    buckets = value.histogram._original_buckets
    lefts, rights = [bucket.left for bucket in buckets], [bucket.right for bucket in buckets]
    return histogram_value(lefts, rights, [bucket.count for bucket in buckets])


def _answers(data: Any) -> dict[str, dict[str, list[Any]]]:  # noqa: ANN401
    from mindinsight.datavisual.processors.histogram_processor import (  # type: ignore[import-not-found]
        HistogramProcessor,
    )
    from mindinsight.datavisual.processors.tensor_processor import TensorProcessor  # type: ignore[import-not-found]

    class OneRun:
        """What the processors of the REST API ask of MindInsight's data manager."""

        def list_tensors(self, train_id: str, tag: str) -> Any:  # noqa: ANN401
            return data.tensors(tag)

    found: dict[str, dict[str, list[Any]]] = {kind: {} for kind in KINDS}
    for tag, samples in kept(data, "image").items():
        found["image"][tag] = [_row(sample, _value("image", sample.value)) for sample in samples]
    for tag in kept(data, "histogram"):
        entries = HistogramProcessor(OneRun()).get_histograms("run", f"{tag}/histogram")["histograms"]
        found["histogram"][tag] = [
            [
                entry["step"],
                float(entry["wall_time"]).hex(),
                [list(map(float, one)) for one in entry["buckets"]],
            ]
            for entry in entries
        ]
    for tag in kept(data, "tensor"):
        [answer] = TensorProcessor(OneRun()).get_tensors(["run"], [f"{tag}/tensor"], None, None, "stats")[
            "tensors"
        ]
        found["tensor"][tag] = [
            [entry["step"], float(entry["wall_time"]).hex(), entry["value"]] for entry in answer["values"]
        ]
    return found


def _row(event: Any, value: Any) -> list[Any]:  # noqa: ANN401
    return [event.step, float(event.wall_time).hex(), value]


if __name__ == "__main__":
    main()

"""Run by the Python of an environment with TensorBoard: prints all payloads below a directory as JSON.

``{run: {kind: {tag: [[step, wall_time, value], ...]}}}`` of the kinds image, histogram and tensor, read by
EventAccumulator with nothing sampled. A value is what ``payload_values`` makes of it.
"""

from __future__ import annotations

from typing import Any

from payload_values import histogram_value, image_value, tensor_value  # type: ignore[import-not-found]
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray
from tensorboard_runs import print_runs  # type: ignore[import-not-found]

NOTHING_SAMPLED = {"images": 0, "histograms": 0, "tensors": 0}


def payloads_of(directory: str) -> dict[str, dict[str, list[Any]]]:
    accumulator = EventAccumulator(directory, size_guidance=NOTHING_SAMPLED)
    accumulator.Reload()
    tags = accumulator.Tags()
    found: dict[str, dict[str, list[Any]]] = {"image": {}, "histogram": {}, "tensor": {}}
    for tag in tags["images"]:
        found["image"][tag] = [
            _row(event, image_value(event.width, event.height, [event.encoded_image_string]))
            for event in accumulator.Images(tag)
        ]
    for tag in tags["histograms"]:
        found["histogram"][tag] = [
            _row(event, histogram_value(*_edges_and_counts(event.histogram_value)))
            for event in accumulator.Histograms(tag)
        ]
    for tag in tags["tensors"]:
        plugin = accumulator.SummaryMetadata(tag).plugin_data.plugin_name
        for event in accumulator.Tensors(tag):
            if plugin == "scalars":
                continue
            array = make_ndarray(event.tensor_proto)
            if plugin == "images":
                width, height, *encoded = array.tolist()
                row = _row(event, image_value(int(width), int(height), encoded))
                found["image"].setdefault(tag, []).append(row)
            elif plugin == "histograms":
                row = _row(event, histogram_value(*array.T.tolist()))
                found["histogram"].setdefault(tag, []).append(row)
            else:
                found["tensor"].setdefault(tag, []).append(_row(event, tensor_value(array)))
    return {kind: tags for kind, tags in found.items() if tags}


def _edges_and_counts(histogram: Any) -> tuple[list[float], list[float], list[float]]:  # noqa: ANN401
    """Buckets reach from one limit to the next, and no further than the smallest and the largest value."""
    limits = [min(max(limit, histogram.min), histogram.max) for limit in histogram.bucket_limit]
    return [histogram.min, *limits[:-1]], limits, list(histogram.bucket)


def _row(event: Any, value: Any) -> list[Any]:  # noqa: ANN401
    return [event.step, float(event.wall_time).hex(), value]


if __name__ == "__main__":
    print_runs(payloads_of)

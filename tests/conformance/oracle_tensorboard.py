"""Run by the Python of an environment with TensorBoard: prints all scalars below a directory as JSON.

``{run: {tag: [[step, wall_time, value], ...]}}``, numbers as the hexadecimal text of float64, read by
EventAccumulator with nothing sampled: its own scalars, and tensors of the plugin "scalars".
"""

from __future__ import annotations

from typing import Any

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray
from tensorboard_runs import print_runs  # type: ignore[import-not-found]


def scalars_of(directory: str) -> dict[str, list[list[Any]]]:
    accumulator = EventAccumulator(directory, size_guidance={"scalars": 0, "tensors": 0})
    accumulator.Reload()
    found: dict[str, list[list[Any]]] = {}
    for tag in accumulator.Tags()["scalars"]:
        found[tag] = [
            [event.step, float(event.wall_time).hex(), float(event.value).hex()]
            for event in accumulator.Scalars(tag)
        ]
    for tag in accumulator.Tags()["tensors"]:
        if accumulator.SummaryMetadata(tag).plugin_data.plugin_name == "scalars":
            found[tag] = [
                [
                    event.step,
                    float(event.wall_time).hex(),
                    float(make_ndarray(event.tensor_proto).item()).hex(),
                ]
                for event in accumulator.Tensors(tag)
            ]
    return found


if __name__ == "__main__":
    print_runs(scalars_of)

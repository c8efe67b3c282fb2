"""What TensorBoard's EventAccumulator reads of a directory of runs, in a form that can be compared."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageSequence
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from tensorboard.util.tensor_util import make_ndarray

_EVERYTHING = dict.fromkeys(("scalars", "images", "audio", "histograms", "tensors", "graph"), 0)


def accumulated(directory: Path) -> dict[str, dict[str, Any]]:
    """The reading of every run below a directory, by its relative path."""
    runs = sorted({file.parent for file in directory.rglob("*tfevents*")})
    return {str(run.relative_to(directory)): _reading(run) for run in runs}


def _reading(run: Path) -> dict[str, Any]:
    read = EventAccumulator(str(run), _EVERYTHING).Reload()
    tags = read.Tags()
    return {
        "scalars": {tag: [(one.step, one.value) for one in read.Scalars(tag)] for tag in tags["scalars"]},
        "images": {tag: [_image(one) for one in read.Images(tag)] for tag in tags["images"]},
        "audio": {
            tag: [
                (one.step, one.encoded_audio_string, one.content_type, one.sample_rate, one.length_frames)
                for one in read.Audio(tag)
            ]
            for tag in tags["audio"]
        },
        "histograms": {tag: [_histogram(one) for one in read.Histograms(tag)] for tag in tags["histograms"]},
        "tensors": {tag: [_tensor(one) for one in read.Tensors(tag)] for tag in tags["tensors"]},
        "described": {
            tag: (_content(one), one.plugin_data.plugin_name, one.display_name, one.summary_description)
            for tag, one in read.summary_metadata.items()
            if tag in tags["tensors"] or one.plugin_data.plugin_name == "hparams" or one.display_name
        },
        "graph": read.SerializedGraph() if tags["graph"] else None,
    }


def wall_times(run: Path, tag: str) -> list[float]:
    """The wall times of a scalar."""
    return [one.wall_time for one in EventAccumulator(str(run), _EVERYTHING).Reload().Scalars(tag)]


def _content(metadata: Any) -> object:  # noqa: ANN401
    """The data of a plugin, without regard to the order of entries in maps."""
    data = metadata.plugin_data
    return HParamsPluginData.FromString(data.content) if data.plugin_name == "hparams" else data.content


def _image(one: Any) -> tuple[Any, ...]:  # noqa: ANN401
    with Image.open(io.BytesIO(one.encoded_image_string)) as image:
        frames = [np.asarray(frame.convert("RGBA")) for frame in ImageSequence.Iterator(image)]
        shown = (image.format, image.info.get("duration"))
    return one.step, one.width, one.height, shown, [frame.tolist() for frame in frames]


def _histogram(one: Any) -> tuple[Any, ...]:  # noqa: ANN401
    value = one.histogram_value
    numbers = (value.min, value.max, value.num, value.sum, f"{value.sum_squares:.6g}")
    return one.step, numbers, list(value.bucket_limit), list(value.bucket)


def _tensor(one: Any) -> tuple[Any, ...]:  # noqa: ANN401
    array = make_ndarray(one.tensor_proto)
    return (
        one.step,
        array.dtype.name,
        array.shape,
        array.tobytes() if array.dtype != object else array.tolist(),
    )

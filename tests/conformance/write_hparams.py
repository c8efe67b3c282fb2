"""Run by the Python of an environment with TensorBoard: hparams with its own messages.

Below ``above``: the experiment is in the run above its sessions, and its metrics lie in runs below them, as
Keras has it; sessions of one group, of every status and of none. Below ``none``: sessions without an
experiment, so that all their scalars count.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.hparams import (
    api_pb2,
    metadata,
    plugin_data_pb2,
)
from tensorboard.summary.writer.event_file_writer import (
    EventFileWriter,
)


def _write(directory: Path, *summaries: Any) -> None:  # noqa: ANN401
    writer = EventFileWriter(str(directory))
    for step, one in enumerate(summaries):
        writer.add_event(event_pb2.Event(wall_time=1000.0 + step, step=step, summary=one))
    writer.close()


def _scalar(tag: str, value: float) -> Any:  # noqa: ANN401
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, simple_value=value)])


def _said(tag: str, **content: Any) -> Any:  # noqa: ANN401
    """Hparams as a value without data."""
    data = plugin_data_pb2.HParamsPluginData(**content)
    value = summary_pb2.Summary.Value(tag=tag, metadata=metadata.create_summary_metadata(data))
    value.tensor.CopyFrom(metadata.NULL_TENSOR)
    return summary_pb2.Summary(value=[value])


def _started(group: str, **hparams: Any) -> Any:  # noqa: ANN401
    info = plugin_data_pb2.SessionStartInfo(group_name=group)
    for name, value in hparams.items():
        kind = {bool: "bool_value", str: "string_value"}.get(type(value), "number_value")
        setattr(info.hparams[name], kind, value)
    return _said(metadata.SESSION_START_INFO_TAG, session_start_info=info)


def main() -> None:
    above, none = Path(sys.argv[1]) / "above", Path(sys.argv[1]) / "none"
    metrics = [
        api_pb2.MetricInfo(name=api_pb2.MetricName(group="", tag="loss")),
        api_pb2.MetricInfo(name=api_pb2.MetricName(group="validation", tag="acc")),
    ]
    infos = [api_pb2.HParamInfo(name="lr", type=api_pb2.DATA_TYPE_FLOAT64)]
    experiment = api_pb2.Experiment(hparam_infos=infos, metric_infos=metrics)
    _write(above, _said(metadata.EXPERIMENT_TAG, experiment=experiment))
    statuses = [api_pb2.STATUS_SUCCESS, api_pb2.STATUS_FAILURE, api_pb2.STATUS_RUNNING]
    for number in range(4):
        session = above / f"s{number}"
        started = _started(
            "" if number < 2 else "twins", lr=0.1 * min(number, 2), units=8, on=number > 1, name="é"
        )
        ended = []
        if number < 3:
            info = plugin_data_pb2.SessionEndInfo(status=statuses[number])
            ended.append(_said(metadata.SESSION_END_INFO_TAG, session_end_info=info))
        _write(session, started, _scalar("loss", 3.0), _scalar("loss", 0.5 + number), *ended)
        if number != 1:
            _write(session / "validation", _scalar("acc", 0.25 * number), _scalar("other", 1.0))
    _write(none / "a", _started("", lr=1.0), _scalar("x/y", 1.5))
    _write(none / "a" / "train", _scalar("loss", 2.5))
    _write(none / "b", _started("", lr=2.0, deep="x"), _scalar("x/y", -1.5))


if __name__ == "__main__":
    main()

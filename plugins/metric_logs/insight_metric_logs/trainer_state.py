"""``trainer_state.json`` of Hugging Face's Trainer, which is written whole at each checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, TypeAlias

from insight_core.plugin import Flaw, HyperParameters, Points, Reason, ReasonKind
from insight_core.plugin.worker import SMALL, decode_apart
from insight_metric_logs.objects import Objects, flat
from insight_metric_logs.reasons import LONG_NUMBER, NOT_UTF8, TOO_DEEP, at_line

_LARGEST = 256 << 20  # bytes: the file is one JSON value, which is parsed in memory
_SETTINGS = ("train_batch_size", "num_train_epochs", "max_steps")
_PARTS = {"eval_": "eval/", "test_": "test/"}  # of names, as the Trainer's TensorBoard callback writes them
_TOO_LARGE = ReasonKind("metric_logs_too_large", "larger than {most} MiB, the most that is read")
_ENTRY_NOT_AN_OBJECT = ReasonKind("metric_logs_entry_not_an_object", "log_history[{index}] is not an object")
_NOT_JSON = ReasonKind("metric_logs_not_json", "not JSON ({cause})")
_ENTRY = ReasonKind("metric_logs_entry", "log_history[{index}]: {cause}")


_Items: TypeAlias = list[Points | HyperParameters | Flaw]


def read(stream: BinaryIO, state: None) -> tuple[_Items, None]:
    """Reads the whole file. An unfinished one is read when it has changed."""
    start = stream.tell()
    end = stream.seek(0, 2)
    if end - start > _LARGEST:
        most = _LARGEST >> 20
        reason = _TOO_LARGE(most=most)
        return [Flaw(start, reason, end - start)], None
    stream.seek(start)
    pieces = iter(lambda: stream.read(SMALL), b"")
    data = stream.read() if end - start <= SMALL else pieces
    try:
        found: _Items = decode_apart("insight_metric_logs.trainer_state:points_of", data, start)
    except ValueError as error:
        stream.seek(start)
        return [Flaw(start, Reason.of(error), end - start)], None
    return found, None


def points_of(text: bytes, start: int) -> _Items:
    """Reads the items of a file that begins at ``start``. Raises ValueError for a file that the Trainer did
    not write. Runs in a worker for large ones."""
    if start and not text.strip():
        return []
    found: _Items = []
    objects = []
    state = _state(text)
    given = _settings(state)
    for index, entry in enumerate(state.pop("log_history")):  # where memory ends, nothing else holds it
        is_object = isinstance(entry, dict)
        if not is_object:
            found.append(Flaw(start, _ENTRY_NOT_AN_OBJECT(index=index)))
        objects.append({_tag(name): value for name, value in flat(entry).items()} if is_object else {})
    points = Objects(
        objects,
        0,
        True,
        lambda index, reason: found.append(Flaw(start, _at_entry(index, reason))),
        [],
    ).points()
    return [*points, *found, *([HyperParameters(given)] if given else [])]


def _settings(state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of the training, and the parameters of a trial of a search."""
    trial = state.get("trial_params")
    given = {name: state[name] for name in _SETTINGS if name in state} | (
        {name: value for name, value in trial.items() if name} if isinstance(trial, dict) else {}
    )
    return {name: value for name, value in given.items() if isinstance(value, (bool, int, float, str))}


def _state(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(NOT_UTF8) from error
    except json.JSONDecodeError as error:
        reason = _NOT_JSON(cause=error.msg)
        raise ValueError(at_line(error.lineno, reason)) from error
    except ValueError as error:
        raise ValueError(LONG_NUMBER) from error
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    if not isinstance(value, dict) or not isinstance(value.get("log_history"), list):
        raise ValueError(Reason("the list log_history is missing", "metric_logs_no_history"))
    return value


def _at_entry(index: int, reason: str) -> Reason:
    return _ENTRY(index=index, cause=reason)


def _tag(name: str) -> str:
    if name in ("step", "time"):
        return name
    for prefix, part in _PARTS.items():
        if name.startswith(prefix):
            return part + name.removeprefix(prefix)
    return f"train/{name}"

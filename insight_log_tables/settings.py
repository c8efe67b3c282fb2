"""Reads files of settings next to logs (YAML, JSON, TOML) as hyperparameters of the run."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from insight_core.plugin import Flaw
from insight_core.plugin.log_formats import HyperParameters, Item
from insight_log_tables.reasons import NOT_UTF8, TOO_DEEP, TOO_LARGE
from insight_log_tables.yaml_values import yaml_value
from insight_record.formats.reason import Reason, ReasonKind

LARGEST = 1 << 20  # bytes of a file
_MOST = 1_000  # settings of a file
_MOST_WITHIN = 100  # settings of a nested mapping; one of more is a table of data, and one text
_DEEPEST = 20
_LONGEST = 2_000  # characters of a text
_EXACT = 1 << 53  # beyond it not every integer is a float64
_SECRET = re.compile(
    r"(?:^|[._-])(?:passw(?:or)?d|secret|credentials?|api_?key|(?:access|private|secret|auth)_?key"
    r"|(?:access|auth|api|hub|hf|bearer|bot)_?token|token)$",
    re.IGNORECASE,
)
_HIDDEN = "(hidden)"
_NOT_SETTINGS = Reason("it holds no settings by name", "settings_none")
_NOT_VALID = ReasonKind("settings_not_valid", "it is not valid {kind} ({cause})")
_MORE = ReasonKind("settings_more", "{more:,} settings after the first {most:,} are not shown")


def read(stream: BinaryIO, state: None) -> tuple[list[Item], None]:
    """Reads the whole file, also where only its end is new. An unfinished one is read when it has changed."""
    begin = stream.tell()
    size = stream.seek(0, os.SEEK_END)
    if size > LARGEST:
        return [Flaw(begin, TOO_LARGE(most=LARGEST >> 20), size - begin)], None
    stream.seek(0)
    data = stream.read()
    if not data.strip():
        return [], None
    try:
        value = _value(data, stream.name)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            stem = os.path.splitext(os.path.basename(stream.name))[0]
            value = {stem: " ".join(value)}  # Hydra's overrides
        if not isinstance(value, dict):
            raise ValueError(_NOT_SETTINGS)
        given, more = _cells(value)
    except ValueError as error:
        stream.seek(begin)
        return [Flaw(begin, Reason.of(error), size - begin)], None
    flaws = [Flaw(0, _MORE(more=more, most=_MOST))] if more else []
    return [*flaws, *([HyperParameters(given)] if given else [])], None


def _value(data: bytes, path: str) -> Any:  # noqa: ANN401 - any value
    kind = os.path.splitext(path)[1].lower()
    if kind not in (".json", ".toml"):
        return yaml_value(data)
    try:
        text = data.decode("utf-8-sig")
        return json.loads(text) if kind == ".json" else tomllib.loads(text)
    except UnicodeDecodeError:
        raise ValueError(NOT_UTF8) from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except ValueError as error:
        raise ValueError(_NOT_VALID(kind=kind[1:].upper(), cause=str(error)[:200])) from None


def _cells(value: Mapping[str, Any]) -> tuple[dict[str, bool | int | float | str], int]:
    """The settings by name, and how many are left out."""
    found: dict[str, bool | int | float | str] = {}
    more = 0
    for name, leaf in _leaves(value, "", 0):
        if leaf is None or not name:
            continue
        if len(found) == _MOST:
            more += 1
            continue
        cell = _cell(leaf)
        found[name[:_LONGEST]] = _HIDDEN if isinstance(cell, str) and cell and _SECRET.search(name) else cell
    return found, more


def _leaves(value: Mapping[Any, Any], above: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        name = f"{above}{key}"
        if isinstance(inner, dict) and inner and len(inner) <= _MOST_WITHIN and depth < _DEEPEST:
            yield from _leaves(inner, f"{name}.", depth + 1)
        else:
            yield name, inner


def _cell(value: object) -> bool | int | float | str:
    if isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = str(value).encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,})"

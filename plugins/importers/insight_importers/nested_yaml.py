"""Reads the YAML that trackers write of plain values: nested mappings, lists, texts, numbers."""

from __future__ import annotations

import json
from typing import Any

_DEEPEST = 20
_CONSTANTS: dict[str, Any] = {
    "null": None,
    "~": None,
    "": None,
    "true": True,
    "false": False,
    "[]": [],
    "{}": {},
}


def nested_yaml(text: str) -> dict[str, Any]:
    """The mapping in a text of block style, as ``yaml.dump`` writes it; lines that are none are left out."""
    lines = [(len(line) - len(line.lstrip(" ")), line.strip()) for line in text.splitlines()]
    lines = [line for line in lines if line[1] and not line[1].startswith("#")]
    found, _ = _block(lines, 0, 0, 0)
    return found if isinstance(found, dict) else {}


def _block(lines: list[tuple[int, str]], at: int, indent: int, depth: int) -> tuple[Any, int]:
    """The mapping or list whose lines begin at ``at`` with this indent, and the line after it."""
    mapping: dict[str, Any] = {}
    items: list[Any] = []
    while at < len(lines) and lines[at][0] >= indent:
        if lines[at][0] > indent:  # of something that is not read
            at += 1
            continue
        line = lines[at][1]
        at += 1
        if line.startswith("- ") or line == "-":
            items.append(plain_value(line[2:].strip()))
            continue
        key, colon, value = line.partition(":")
        if not colon:
            continue
        value = value.strip()
        # a list may stand below its key without being indented further
        next_is_list = at < len(lines) and lines[at][0] == indent and lines[at][1].startswith("-")
        deeper = at < len(lines) and lines[at][0] > indent
        if not value and depth < _DEEPEST and (deeper or next_is_list):
            inner = lines[at][0]
            if next_is_list:
                end = at
                while end < len(lines) and (
                    lines[end][0] > indent or (lines[end][0] == indent and lines[end][1].startswith("-"))
                ):
                    end += 1
                mapping[str(plain_value(key))], _ = _block(lines[at:end], 0, inner, depth + 1)
                at = end
            else:
                mapping[str(plain_value(key))], at = _block(lines, at, inner, depth + 1)
        else:
            while at < len(lines) and lines[at][0] > indent:  # a long text goes on
                value += " " + lines[at][1]
                at += 1
            mapping[str(plain_value(key))] = plain_value(value)
    return (items if items and not mapping else mapping), at


def plain_value(text: str) -> Any:  # noqa: ANN401
    """A scalar: a text in quotes, a number, a truth, null, or the text as it is."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return json.loads(text)
        except ValueError:
            return text[1:-1]
    for kind in (int, float):
        try:
            return kind(text) if "_" not in text else text
        except ValueError:
            continue
    return text

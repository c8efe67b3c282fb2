"""Reads files of ``key: value`` lines in YAML, as MLflow writes ``meta.yaml``."""

from __future__ import annotations

import json


def flat_yaml(text: str) -> dict[str, str]:
    """The values as text; empty for null. Anything nested stays as it is written."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith((" ", "\t")) and lines:  # a long value goes on
            lines[-1] += " " + line.strip()
        elif line and not line.startswith(("#", "-")):
            lines.append(line)
    found = {}
    for line in lines:
        key, colon, value = line.partition(":")
        if colon:
            found[_plain(key.strip())] = _plain(value.strip())
    return found


def _plain(value: str) -> str:
    if value in ("null", "~"):
        return ""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value.replace("\\ ", " ")))
        except ValueError:
            return value[1:-1]
    return value

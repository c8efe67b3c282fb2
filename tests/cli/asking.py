"""What a host that runs answers over HTTP, now or as soon as it does."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from tests.waiting import PATIENCE, eventually


def get(url: str) -> Any:  # noqa: ANN401
    """The JSON of an answer."""
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return json.load(answer)


def ask(url: str) -> tuple[int, Any]:
    """Status and JSON of an answer, which may be an error."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def answered(url: str, holds: Callable[[int, Any], bool], pause: float = 0.02) -> Any:  # noqa: ANN401
    """The JSON of the first answer of which it holds, by status and JSON; ``pause``: seconds between two."""
    last: list[tuple[int, Any]] = []

    def found() -> bool:
        last[:] = [ask(url)]
        return holds(*last[0])

    eventually(found, pause)
    return last[0][1]


def got(url: str, holds: Callable[[Any], bool]) -> Any:  # noqa: ANN401
    """The JSON of the first answer without an error for which the condition holds."""
    return answered(url, lambda status, answer: status == 200 and holds(answer))

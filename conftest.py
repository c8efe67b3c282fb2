"""Lets tests import the plugins that are distributions of their own; hosts that tests start have no such tab.

They are not installed in the environment of the tests, so that a test can install others with the same names
and claims. Hosts in the process of the tests compute every answer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Request, Response

from insight_core.web.mounting import Endpoint
from insight_core.web.shared_answers import SharedAnswers

sys.path += [
    str(project.parent) for project in sorted(Path(__file__).parent.glob("plugins/*/pyproject.toml"))
]


@pytest.fixture(autouse=True)
def answers_are_computed_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that changes a constant and asks again is not given the answer of before."""

    def answer(
        shared: SharedAnswers,
        request: Request,
        version: str,
        endpoint: Endpoint,
        variables: Mapping[str, Any],
    ) -> Response:
        return endpoint.answer(request, variables)

    monkeypatch.setattr(SharedAnswers, "answer", answer)

"""Hosts in the process of the tests compute every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from werkzeug import Request, Response

from insight_core.web.mounting import Endpoint
from insight_core.web.shared_answers import SharedAnswers, Version

pytest_plugins = ["tests.importer_fixtures"]


@pytest.fixture(autouse=True)
def answers_are_computed_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that changes a constant and asks again is not given the answer of before."""

    def answer(
        shared: SharedAnswers,
        request: Request,
        now: Version,
        endpoint: Endpoint,
        variables: Mapping[str, Any],
        known: int | None = None,
    ) -> tuple[Response, Version]:
        return endpoint.answer(request, variables), now

    monkeypatch.setattr(SharedAnswers, "answer", answer)

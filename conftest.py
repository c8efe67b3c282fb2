"""Hosts in the process of the tests compute every answer."""

from __future__ import annotations

import pytest

from insight_core.web import shared_answers

pytest_plugins = ["tests.importer_fixtures"]


@pytest.fixture(autouse=True)
def answers_are_computed_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that changes a constant and asks again is not given the answer of before."""
    monkeypatch.setattr(shared_answers.SharedAnswer, "serves", lambda *_: False)

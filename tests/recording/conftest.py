"""A host that receives, and senders that are new for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from insight_record.sending import sender as sending_thread
from tests.receivers import TOKEN, Receivers


@pytest.fixture
def spools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where spools are made; senders of earlier tests are unknown to those of this one."""
    monkeypatch.setenv("INSIGHT_RECORD_TOKEN", TOKEN)
    monkeypatch.setenv("INSIGHT_RECORD_SPOOL", str(tmp_path / "spools"))
    monkeypatch.setattr(sending_thread, "_senders", {})
    return tmp_path / "spools"


@pytest.fixture
def host(tmp_path: Path, spools: Path) -> Iterator[Receivers]:
    made = Receivers(tmp_path / "received")
    yield made
    for sender in sending_thread._senders.values():
        sender.finish()
    made.stop()

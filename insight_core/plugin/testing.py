"""For tests of plugins: a host without a port, data in memory, and event files as training writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from insight_authoring.testing.contract_checks import provider_contract
from insight_authoring.testing.contract_data import WrittenSeries
from insight_authoring.testing.event_writer import EventWriter
from insight_authoring.testing.fake import FakeProvider
from insight_authoring.testing.formats import ReadLog, read_all
from insight_authoring.testing.host import HostClient, context_of, host_of
from insight_core.moved import old_names

__path__: list[str] = []  # of modules of the last release, which insight_core.moved finds

__all__ = [
    "EventWriter",
    "FakeProvider",
    "HostClient",
    "ReadLog",
    "WrittenSeries",
    "context_of",
    "host_of",
    "provider_contract",
    "read_all",
]

if not TYPE_CHECKING:  # type checkers would accept any name
    __getattr__ = old_names(__name__)

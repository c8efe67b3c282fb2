"""Names of the last release for what some providers could do: now each ``DataProvider`` has the methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from insight_core.plugin.data.base import ProviderBase
from insight_core.plugin.data.provider import DataProvider
from insight_record.formats.reason import Reason


class _Ability(type):
    """``isinstance`` with one of these classes says whether a provider has the ability."""

    has: Callable[[DataProvider], bool]

    def __instancecheck__(cls, provider: DataProvider) -> bool:
        return cls.has(provider)


def _places(provider: DataProvider) -> bool:
    method = getattr(type(provider), "payload_places", ProviderBase.payload_places)
    return method is not ProviderBase.payload_places


def _ability(name: str, method: str, has: Callable[[DataProvider], bool]) -> _Ability:
    instead = f"every provider has {method}, which answers None or nothing where it cannot"
    return _Ability(name, (), {"has": staticmethod(has), "instead": instead})


ComputingProvider = _ability("ComputingProvider", "compute()", lambda _: True)
LocatingProvider = _ability("LocatingProvider", "payload_places()", _places)
NoticingProvider = _ability("NoticingProvider", "notices()", lambda _: True)
RunFiles = _ability("RunFiles", "run_files()", lambda provider: provider.run_files() is not None)


def notices_of(provider: DataProvider) -> Sequence[Reason]:
    """What ``DataProvider.notices`` answers."""
    return provider.notices()

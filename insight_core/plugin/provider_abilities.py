"""Names of the last release for what some providers could do: now each ``DataProvider`` has the methods."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from insight_core.plugin.data import DataProvider
from insight_core.plugin.provider_base import ProviderBase
from insight_record.formats.reason import Reason


class _Ability(type):
    """``isinstance`` with one of these classes says whether a provider has the ability."""

    has: Callable[[DataProvider], bool]

    def __instancecheck__(cls, provider: DataProvider) -> bool:
        return cls.has(provider)


def _places(provider: DataProvider) -> bool:
    method = getattr(type(provider), "payload_places", ProviderBase.payload_places)
    return method is not ProviderBase.payload_places


def _files(provider: DataProvider) -> bool:
    return provider.run_files() is not None


def _notices_of(provider: DataProvider) -> Sequence[Reason]:
    return provider.notices()


OLD: dict[str, tuple[str, object]] = {  # replacement and meaning, by name
    "ComputingProvider": ("DataProvider.compute", _Ability("ComputingProvider", (), {"has": lambda _: True})),
    "LocatingProvider": ("DataProvider.payload_places", _Ability("LocatingProvider", (), {"has": _places})),
    "NoticingProvider": ("DataProvider.notices", _Ability("NoticingProvider", (), {"has": lambda _: True})),
    "RunFiles": ("DataProvider.run_files", _Ability("RunFiles", (), {"has": _files})),
    "notices_of": ("DataProvider.notices", _notices_of),
}


def old_name(name: str) -> object:
    """What a name meant in the last release; warns. Raises AttributeError for other names."""
    if name not in OLD:
        raise AttributeError(f"module 'insight_core.plugin' has no attribute {name!r}")
    replacement, meaning = OLD[name]
    warnings.warn(
        f"insight_core.plugin.{name} is deprecated: every provider has {replacement}, which answers None or "
        "nothing where it cannot",
        DeprecationWarning,
        stacklevel=3,
    )
    return meaning

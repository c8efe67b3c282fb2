"""What every data provider promises, as checks that authors of providers run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from insight_core.providers.contract_checks import ContractChecks
from insight_core.providers.contract_data import MakeProvider, WriteMore, WrittenSeries

__all__ = ["WrittenSeries", "provider_contract"]


def provider_contract(
    make_provider: MakeProvider, *, records: str | None = "image", write_more: WriteMore | None = None
) -> Mapping[str, Callable[[], None]]:
    """Checks by name, each to be called by a test; one that fails raises AssertionError.

    Parameters
    ----------
    make_provider : callable
        ``make_provider(directory, written, settings)`` returns a provider, started, that shows exactly these
        series, with data in an empty directory that is there until the check ends. The check closes it.
    records : str or None
        The plugin of series whose values are bytes; None: the provider has scalars only.
    write_more : callable, optional
        ``write_more(directory, written)`` appends to the data while a provider shows them: points of series
        that are there, or other series. Without it changes are not checked.
    """
    return ContractChecks(make_provider, records, write_more).by_name()

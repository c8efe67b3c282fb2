"""The data of the contract of providers, and the provider that shows them."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from attrs import frozen

from insight_core.isolation import DEFAULT_LIMITS
from insight_core.plugin import InsightError, Plugin, ProviderSettings
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.providers.guarded import guarded
from insight_core.providers.scalar_answers import ScalarAnswers

PATIENCE = 60.0  # seconds, for what another thread does
LOOK = 0.02  # seconds between two looks
SCALAR = "scalar"


@frozen(eq=False)
class WrittenSeries:
    """A series that a provider has to show, in the order of recording; columns of equal length.

    ``values`` are numbers of the plugin ``scalar``, or else the bytes of records, such as pictures: what
    ``payload`` answers contains them. A step that is smaller than the one before begins a new attempt.
    """

    plugin: str
    run: str
    tag: str
    steps: Sequence[int]
    wall_times: Sequence[float]
    values: Sequence[Any]

    @property
    def key(self) -> SeriesKey:
        """Its run and tag."""
        return SeriesKey(self.run, self.tag)


MakeProvider: TypeAlias = Callable[[Path, Sequence[WrittenSeries], ProviderSettings], DataProvider]
WriteMore: TypeAlias = Callable[[Path, Sequence[WrittenSeries]], None]


def same(what: str, found: object, wanted: object) -> None:
    """Raises AssertionError unless the two are equal."""
    if found != wanted:
        raise AssertionError(f"{what}: {found!r}, and not {wanted!r}")


@contextmanager
def raising(kind: type[InsightError], what: str) -> Iterator[None]:
    """Raises AssertionError unless the body raises this error."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{what} does not raise {kind.__name__}")


def wait_for(what: str, value: Callable[[], object]) -> None:
    """Waits until the value is true. Raises AssertionError after a minute."""
    until = time.monotonic() + PATIENCE
    while not value():
        if time.monotonic() > until:
            raise AssertionError(f"{what}: not within {PATIENCE:.0f} s")
        time.sleep(LOOK)


def scalars(run: str, tag: str, steps: Sequence[int], values: Sequence[float] | None = None) -> WrittenSeries:
    """Numbers, by default as large as their steps, a second apart."""
    numbers = [float(step) for step in steps] if values is None else values
    return WrittenSeries(SCALAR, run, tag, steps, [100.5 + at for at in range(len(steps))], numbers)


def settled(provider: DataProvider) -> int:
    """The generation after everything written was reported."""
    while True:
        before = provider.generation()
        time.sleep(0.4)
        if provider.generation() == before:
            return before


def _picture(shade: int) -> bytes:
    """A PNG file of one pixel."""
    content = zlib.compress(bytes([0, shade, shade, shade]))
    chunks = (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), (b"IDAT", content), (b"IEND", b"")
    file = b"\x89PNG\r\n\x1a\n"
    for kind, data in chunks:
        file += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return file


class ContractData:
    """Opens providers of written series for checks."""

    def __init__(self, make: MakeProvider, records: str | None, write_more: WriteMore | None) -> None:
        self._make, self.plugin, self.write_more = make, records or "", write_more

    @contextmanager
    def opened(self, *written: WrittenSeries) -> Iterator[tuple[DataProvider, Path]]:
        """A provider that shows these series, its answers checked, and its directory."""
        names = {SCALAR, self.plugin} - {""}
        plugins = {name: Plugin(name, name) for name in names}
        with TemporaryDirectory(prefix="insight-contract-", ignore_cleanup_errors=True) as place:
            settings = ProviderSettings(plugins, reload_interval=0.05, answer_scalars=ScalarAnswers())
            made = self._make(Path(place), written, settings)
            provider = guarded(made, type(made).__name__, "make_provider()", DEFAULT_LIMITS)
            try:
                wait_for("progress().loaded_once", lambda: provider.progress().loaded_once)
                wanted = {each.key for each in written}
                wait_for("every series", lambda: wanted <= self.keys(provider))
                yield provider, Path(place)
            finally:
                provider.close()

    def keys(self, provider: DataProvider, **chosen: Collection[str]) -> set[SeriesKey]:
        """The keys of all series, or of those chosen."""
        names = [SCALAR, self.plugin] if self.plugin else [SCALAR]
        return {info.key for name in names for info in provider.series(name, **chosen)}

    def pictures(self, tag: str, steps: Sequence[int]) -> WrittenSeries:
        """Pictures, of one shade of grey each."""
        contents = [_picture(at) for at in range(len(steps))]
        times = [200.5 + at for at in range(len(steps))]
        return WrittenSeries(self.plugin, "a", tag, steps, times, contents)

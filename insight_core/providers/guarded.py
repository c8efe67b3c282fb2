"""Data providers of other distributions, called like plugins: with deadlines, and errors that name them."""

from __future__ import annotations

import functools
import inspect
import io
import logging
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from attrs import evolve

from insight_core.isolation import (
    DEFAULT_LIMITS,
    Busy,
    Calls,
    Limits,
    Overdue,
    in_one_line,
    waiting_elsewhere,
)
from insight_core.plugin import InsightError, Plugin, Reason, ReasonKind, Unavailable
from insight_core.plugin.data import (
    Changes,
    Damage,
    DataProvider,
    NotComputed,
    Payload,
    PayloadStream,
    Progress,
    ProviderBase,
    RecordTable,
    Run,
    RunFile,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
)
from insight_core.providers import answer_checks as checks
from insight_core.summaries import ScalarSummaries

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

log = logging.getLogger(__name__)

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")

_CLOSING = 1.0  # seconds
_IMPATIENT = 1.0  # seconds to say which runs and series there are, while another such call hangs
_PACE = 1.0  # seconds of a wait for changes in which a provider that does not wait is not asked again
_PIECE = 1 << 20  # bytes that are read from a stream at a time
_SILENT = ReasonKind("provider_silent", "the data provider {provider} did not answer for {seconds} s")
_FAILED = ReasonKind("provider_failed", "the data provider {provider} failed in {method}(): {cause}")
_NONSENSE = ReasonKind("provider_nonsense", "the data provider {provider} answered {method}() with {what}")
_NEEDED = (
    *("plugins", "runs", "series", "series_tables", "scalars", "records", "payload", "open_payload"),
    *("damage", "progress", "location", "generation", "changes", "close"),
)
_OPTIONAL = ("start", "admit", "notices", "compute", "payload_places", "run_files", "scalar_summaries")
_OWN = {*_OPTIONAL, "damage", "progress", "location", "generation", "changes", "close"}  # of ProviderBase


def guarded(provider: object, name: str, what: str, limits: Limits = DEFAULT_LIMITS) -> GuardedProvider:
    """The provider, called with deadlines. Raises Unavailable with all methods that it lacks.

    ``name`` is the location, for the user; ``what`` says who returned the provider.
    """
    missing = [f"{method}()" for method in _NEEDED if not callable(getattr(provider, method, None))]
    faults = [f"it has no {_listed(missing)}"] if missing else []
    faults += [fault for method in _NEEDED if (fault := _fault_of(provider, method))]
    if faults:
        raise Unavailable(
            f"{what} returned a {type(provider).__name__}, not a DataProvider: {'; '.join(faults)} "
            "(a class that derives from insight_core.plugin.ProviderBase needs few methods)"
        )
    if lacking := _lacking(provider):
        methods = ", ".join(f"{method}()" for method in lacking)
        warnings.warn(
            f"{type(provider).__name__} has no {methods}: derive it from insight_core.plugin.ProviderBase",
            DeprecationWarning,
            stacklevel=2,
        )
    return GuardedProvider(provider, name, limits)


def _lacking(provider: object) -> list[str]:
    """The methods that providers of the last release need not have."""
    return [method for method in _OPTIONAL if not callable(getattr(provider, method, None))]


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _fault_of(provider: object, method: str) -> str | None:
    """Why a method that there is cannot be called as the host does."""
    function = getattr(provider, method, None)
    if not callable(function):
        return None
    _, *parameters = inspect.signature(getattr(DataProvider, method)).parameters.values()
    by_name = {each.name: None for each in parameters if each.kind is each.KEYWORD_ONLY}
    try:
        inspect.signature(function).bind(*[None] * (len(parameters) - len(by_name)), **by_name)
    except TypeError as error:
        return f"{method}() cannot be called: {error}"
    except ValueError:  # a function without a signature
        pass
    return None


def _asked(
    method: Callable[Concatenate[Any, Rest], Answer],
    check: Callable[[Any], Any],
    seconds: Callable[[Limits], float] = lambda limits: limits.listed,
) -> Callable[Concatenate[Any, Rest], Answer]:
    """A method with the signature of ``method`` that asks the provider in a thread of its own."""
    name = method.__name__

    @functools.wraps(method)
    def call(self: GuardedProvider, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Answer:
        function = self.functions[name]
        if name in self.own:
            own: Answer = function(*args, **kwargs)
            return own
        asked: Answer = self.ask(name, seconds(self.limits), lambda: check(function(*args, **kwargs)))
        return asked

    return call


def _reads(limits: Limits) -> float:
    return limits.read


class GuardedProvider:
    """A ``StartableProvider``, made by ``guarded``.

    What is a method of ``ProviderBase`` that calls no code of the author is called directly. A method that
    does not answer in time is not called again before it has returned. Errors other than InsightError
    become Unavailable, so that the other parts of a ``MergedProvider`` go on.
    """

    def __init__(self, provider: Any, name: str, limits: Limits) -> None:  # noqa: ANN401
        self.limits = limits
        self._name = name
        self._calls = Calls(f"the data provider {name}", limits)
        self._late: dict[str, threading.Event] = {}
        self._troubles: dict[str, Reason] = {}  # by method, until it works
        self._ended = threading.Event()
        lacking = _lacking(provider)
        self.functions: dict[str, Callable[..., Any]] = {
            method: getattr(_Defaults if method in lacking else provider, method)
            for method in (*_NEEDED, *_OPTIONAL)
        }
        self.own = {  # called directly
            method
            for method in _OWN
            if method in lacking or getattr(type(provider), method, None) is getattr(ProviderBase, method)
        }

    plugins = _asked(DataProvider.plugins, checks.all_of_kind(str, Collection))
    runs = _asked(DataProvider.runs, checks.all_of_kind(Run))
    series = _asked(DataProvider.series, checks.all_of_kind(SeriesInfo))
    series_tables = _asked(DataProvider.series_tables, checks.all_of_kind(SeriesTable))
    scalars = _asked(DataProvider.scalars, checks.checked_scalars, _reads)
    records = _asked(DataProvider.records, checks.one_of(RecordTable), _reads)
    payload = _asked(DataProvider.payload, checks.one_of(Payload), _reads)
    damage = _asked(DataProvider.damage, checks.all_of_kind(Damage))
    progress = _asked(DataProvider.progress, checks.one_of(Progress))
    location = _asked(DataProvider.location, checks.one_of(str))
    generation = _asked(DataProvider.generation, checks.one_of(int))
    payload_places = _asked(DataProvider.payload_places, checks.optional(checks.places), _reads)
    run_files = _asked(DataProvider.run_files, checks.optional(checks.all_of_kind(RunFile)), _reads)
    scalar_summaries = _asked(
        DataProvider.scalar_summaries, checks.optional(checks.all_of_kind(ScalarSummaries)), _reads
    )
    start = _asked(ProviderBase.start, checks.nothing)

    def notices(self) -> Sequence[Reason]:
        """Those of the provider, and which of its methods failed and have not worked since."""
        found: Sequence[Reason] = ()
        function = self.functions["notices"]
        with suppress(InsightError):
            found = (
                function()
                if "notices" in self.own
                else self.ask("notices", self.limits.listed, lambda: checks.notices(function()))
            )
        return list(dict.fromkeys([*found, *self._troubles.copy().values()]))

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin; an error is in the log."""
        with suppress(InsightError):
            self.ask("admit", self.limits.listed, lambda: self.functions["admit"](plugin))

    def open_payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        offset: int = 0,
        length: int | None = None,
    ) -> PayloadStream:
        """The bytes of one record as a stream, of which each read has a deadline."""

        def opened() -> PayloadStream:
            return _STREAM(
                self.functions["open_payload"](plugin, key, index, attempts, offset=offset, length=length)
            )

        stream = self.ask("open_payload", self.limits.read, opened)
        if type(stream.file) is io.BytesIO:
            return stream
        return evolve(stream, file=io.BufferedReader(_GuardedFile(self, stream.file), _PIECE))

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """What changed; a provider that does not wait is asked once a second at most."""
        function = self.functions["changes"]
        if "changes" in self.own:
            return function(since, timeout=timeout)  # type: ignore[no-any-return]
        began = time.monotonic()
        answer = self.ask(
            "changes",
            timeout + self.limits.listed,
            lambda: checks.checked_changes(function(since, timeout=timeout)),
        )
        if answer.generation == since:
            self._ended.wait(min(timeout, _PACE) - (time.monotonic() - began))
        return answer

    def compute(self, plugin: str, name: str, request: bytes) -> Iterator[bytes]:
        """The answers of a computation, each with a deadline of its own."""
        function, seconds = self.functions["compute"], self.limits.read
        if "compute" in self.own:
            raise NotComputed(f"the data provider {self._name} computes nothing")
        pieces = self.ask("compute", seconds, lambda: iter(function(plugin, name, request)))
        while (piece := self.ask("compute", seconds, lambda: _PIECES(next(pieces, None)))) is not None:
            yield piece

    def close(self) -> None:
        """Closes the provider; nobody waits long for it."""
        self._ended.set()
        with suppress(InsightError):
            self.ask("close", _CLOSING, self.functions["close"])

    def ask(self, method: str, seconds: float, function: Callable[[], Answer]) -> Answer:
        """What the function returns, called as this method of the provider.

        Raises the InsightErrors of the provider, and Unavailable for all that it should not do.
        """
        if self._late and seconds == self.limits.listed:
            late = [name for name, ended in self._late.copy().items() if not ended.is_set()]
            seconds = min(_IMPATIENT, seconds) if late else seconds
        ended = self._late.get(method)
        if ended is not None and not ended.is_set():
            raise self._silent(self.limits.listed)
        try:
            with waiting_elsewhere():
                answer = self._calls.run(f"{method}()", function, seconds)
        except InsightError:
            raise
        except (Overdue, Busy) as error:
            if isinstance(error, Overdue):
                self._late[method] = error.ended
            failure = self._silent(seconds if isinstance(error, Overdue) else self.limits.slow)
            cause: Exception | None = None
        except checks.Nonsense as error:
            failure = Unavailable(_NONSENSE(provider=self._name, method=method, what=str(error)))
            cause = None
        except Exception as error:
            text = in_one_line(error)
            failure = Unavailable(_FAILED(provider=self._name, method=method, cause=text))
            cause = error
        else:
            if method in self._troubles:
                self._troubles.pop(method, None)
            return answer
        before = self._troubles.get(method)
        reason = self._troubles[method] = Reason.of(failure)
        if before != reason:
            log.error("%s", failure, exc_info=cause)
        raise failure from cause

    def _silent(self, seconds: float) -> Unavailable:
        return Unavailable(_SILENT(provider=self._name, seconds=round(seconds)))


class _GuardedFile(io.RawIOBase):
    """The file of a stream of a provider."""

    def __init__(self, provider: GuardedProvider, file: Any) -> None:  # noqa: ANN401
        self._provider, self._file = provider, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._ask(self._file.seekable))

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._ask(lambda: self._file.seek(offset, whence)))

    def readinto(self, buffer: WriteableBuffer) -> int:
        into = memoryview(buffer).cast("B")
        content = self._ask(lambda: _BYTES(self._file.read(len(into))))
        into[: len(content)] = content
        return len(content)

    def close(self) -> None:
        if not self.closed:
            with suppress(InsightError):
                self._ask(self._file.close)
        super().close()

    def _ask(self, function: Callable[[], Answer]) -> Answer:
        return self._provider.ask("open_payload", self._provider.limits.read, function)


class _Defaults:
    """What providers of the last release lack."""

    @staticmethod
    def start() -> None:
        pass

    @staticmethod
    def admit(plugin: Plugin) -> None:
        pass

    @staticmethod
    def notices() -> tuple[()]:
        return ()

    compute = payload_places = run_files = scalar_summaries = staticmethod(lambda *_, **__: None)


_STREAM: Callable[[PayloadStream], PayloadStream] = checks.one_of(PayloadStream)
_BYTES: Callable[[bytes], bytes] = checks.one_of(bytes)
_PIECES: Callable[[bytes | None], bytes | None] = checks.optional(checks.one_of(bytes))

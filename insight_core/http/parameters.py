"""Readers of parameters: a route declares them, and its view gets the values."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from keyword import iskeyword
from types import MappingProxyType
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast, overload

from attrs import evolve, frozen
from werkzeug import Request

from insight_core.errors import InvalidArgument
from insight_core.plugin.data.provider import DataProvider, SeriesKey, ShownAttempts
from insight_record.formats.reason import ReasonKind

_EMPTY_PARAMETER = ReasonKind("empty_parameter", "{name} must not be empty")
_WRONG_ORDER = ReasonKind("wrong_order", "from must not be greater than to, but {low} is greater than {high}")
_NOT_ALLOWED = ReasonKind("not_allowed", "{name} must be {allowed}, not {value!r}")
_NOT_FINITE = ReasonKind("not_finite", "{name} must be a finite number, not {value!r}")
_MISSING_PARAMETER = ReasonKind("missing_parameter", "{name} is missing")
_NOT_WHOLE = ReasonKind("not_whole", "{name} must be a whole number from {low} to {high}, not {value!r}")

TEXT: Mapping[str, Any] = MappingProxyType({"type": "string"})
_NO_CODES: Mapping[int, Sequence[str]] = MappingProxyType({})
P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@frozen
class Parameter:
    """A parameter of the query, or a header, as ``/openapi.json`` describes it; ``schema`` is JSON Schema."""

    name: str
    schema: Mapping[str, Any] = TEXT
    is_required: bool = False
    where: str = "query"


@frozen(eq=False)
class Reader(Generic[T_co]):
    """What a route reads of a request: ``read(request)`` is the argument ``keyword`` of its view.

    ``parameters`` are those that it reads, ``codes`` those of its errors by status, beyond those of every
    route that reads data. ``read`` raises InvalidArgument for a value that is missing or malformed.
    """

    keyword: str
    read: Callable[[Request], T_co]
    parameters: Sequence[Parameter]
    codes: Mapping[int, Sequence[str]] = _NO_CODES

    def __call__(self, request: Request) -> T_co:
        """The value, for a view that reads by itself."""
        return self.read(request)

    def named(self, keyword: str) -> Reader[T_co]:
        """The same for another argument of the view."""
        return evolve(self, keyword=keyword)

    def optional(self) -> Reader[T_co]:
        """The same for a view that reads it only sometimes: no parameter has to be given."""
        return evolve(self, parameters=[evolve(one, is_required=False) for one in self.parameters])

    @staticmethod
    def values(readers: Iterable[Reader[Any]], request: Request) -> dict[str, Any]:
        """What all of them read, by keyword."""
        return {one.keyword: one.read(request) for one in readers}


class _ReaderFactory(Protocol[P, T_co]):
    """Makes a reader; with a request before all arguments, reads at once, as views of older plugins do."""

    @overload
    def __call__(self, request: Request, /, *given: P.args, **named: P.kwargs) -> T_co: ...
    @overload
    def __call__(self, *given: P.args, **named: P.kwargs) -> Reader[T_co]: ...


def reader(make: Callable[P, Reader[T]]) -> _ReaderFactory[P, T]:
    """Decorates a function that makes a reader, so that a request may precede its arguments."""

    @wraps(make)
    def call(*given: Any, **named: Any) -> object:  # noqa: ANN401
        if given and isinstance(given[0], Request):
            return make(*given[1:], **named).read(given[0])
        return make(*given, **named)

    return cast("_ReaderFactory[P, T]", call)


def headers(*names: str, codes: Mapping[int, Sequence[str]] = _NO_CODES) -> Reader[None]:
    """Describes headers that a view reads by itself, for ``Route.also_reads``."""
    return Reader("", lambda request: None, [Parameter(name, where="header") for name in names], codes)


def _of(
    name: str,
    parse: Callable[[str], T] | None,
    schema: Mapping[str, Any],
    default: T | None = None,
    *,
    required: bool = False,
) -> Reader[Any]:
    """A reader of one text, as it is or parsed. A name that Python reserves gets an underscore."""

    def read(request: Request) -> T | str | None:
        value = request.args.get(name)
        if value is None:
            if required:
                raise InvalidArgument(_MISSING_PARAMETER(name=name))
            return default
        return value if parse is None else parse(value)

    return Reader(_keyword(name), read, (Parameter(name, schema, required),))


def _keyword(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name


def empty(name: str) -> InvalidArgument:
    """The error for a parameter that has to have a value."""
    return InvalidArgument(_EMPTY_PARAMETER(name=name))


def check_order(low: float | None, high: float | None) -> None:
    """Raises InvalidArgument if the parameter ``from`` is greater than ``to``."""
    if low is not None and high is not None and low > high:
        raise InvalidArgument(_WRONG_ORDER(low=low, high=high))


@reader
def text(
    name: str, default: str | None = None, *, required: bool = False, filled: bool = False
) -> Reader[Any]:
    """Reads a text, or the default; ``required``: it has to be given, ``filled``: it must not be empty."""

    def parse(value: str) -> str:
        if not value:
            raise empty(name)
        return value

    return _of(name, parse if filled else None, TEXT, default, required=required)


@reader
def texts(name: str, *, required: bool = False) -> Reader[list[str]]:
    """Reads all values of a parameter that may come more than once; one has to be given if ``required``."""

    def read(request: Request) -> list[str]:
        found = request.args.getlist(name)
        if required and not found:
            raise InvalidArgument(_MISSING_PARAMETER(name=name))
        return found

    schema = {"type": "array", "items": dict(TEXT)}
    return Reader(_keyword(name), read, (Parameter(name, schema, required),))


@reader
def choice(name: str, allowed: Sequence[str]) -> Reader[str]:
    """Reads one of a few words, the first of them by default."""

    def parse(value: str) -> str:
        if value not in allowed:
            raise InvalidArgument(_NOT_ALLOWED(name=name, allowed=" or ".join(allowed), value=value))
        return value

    return _of(name, parse, {**TEXT, "enum": list(allowed), "default": allowed[0]}, allowed[0])


@reader
def flag(name: str) -> Reader[bool]:
    """Reads whether the parameter is ``1``; without it, or with ``0``, it is not."""
    words = choice(name, ("0", "1"))
    return Reader(_keyword(name), lambda request: words.read(request) == "1", words.parameters)


_ATTEMPTS = choice("attempts", ("last", "all"))
attempts = cast("Reader[ShownAttempts]", _ATTEMPTS)  # Reads ``attempts``: ``last`` (the default) or ``all``.


@reader
def number(name: str, *, required: bool = False) -> Reader[float | None]:
    """Reads a finite number, None without it."""

    def parse(value: str) -> float:
        try:
            found = float(value)
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise InvalidArgument(_NOT_FINITE(name=name, value=value))
        return found

    return _of(name, parse, {"type": "number"}, required=required)


@reader
def whole_number(
    name: str, low: int, high: int, default: int | None = None, *, required: bool = False
) -> Reader[Any]:
    """Reads a whole number from ``low`` to ``high``, or the default."""
    longest = max(len(str(abs(low))), len(str(abs(high))))

    def parse(value: str) -> int:
        digits = value.removeprefix("-") if low < 0 else value
        whole = digits.isascii() and digits.isdecimal() and len(digits) <= longest
        if not whole or not low <= int(value) <= high:
            raise InvalidArgument(_NOT_WHOLE(name=name, low=low, high=high, value=value))
        return int(value)

    schema = {"type": "integer", "minimum": low, "maximum": high}
    if default is not None:
        schema["default"] = default
    return _of(name, parse, schema, default, required=required)


@reader
def required_number(name: str) -> Reader[float]:
    """``number`` with ``required``."""
    return cast("Reader[float]", number(name, required=True))


@reader
def required_whole_number(name: str, low: int, high: int) -> Reader[int]:
    """``whole_number`` with ``required``."""
    return cast("Reader[int]", whole_number(name, low, high, required=True))


@reader
def required_text(name: str) -> Reader[str]:
    """``text`` with ``required``."""
    return cast("Reader[str]", text(name, required=True))


_RUN, _TAG = text("run", required=True), text("tag", required=True)
_KEY = Reader(
    "key",
    lambda request: SeriesKey(_RUN.read(request), _TAG.read(request)),
    (*_RUN.parameters, *_TAG.parameters),
)
series_key: Reader[SeriesKey] = _KEY  # Reads the one series that ``run`` and ``tag`` name; both are required.


@reader
def series_keys(data: DataProvider, plugin: str) -> Reader[list[SeriesKey]]:
    """Reads every existing pair of the runs and tags asked for, tag by tag; all runs when none is named."""
    runs_named, tags_named = texts("run"), texts("tag", required=True)

    def read(request: Request) -> list[SeriesKey]:
        tags = list(dict.fromkeys(tags_named.read(request)))
        named: Collection[str] | None = dict.fromkeys(runs_named.read(request)) or None
        tables = data.series_tables(plugin, (), runs=named, tags=tags)
        existing = {table.run: set(table.tags) for table in tables}
        runs = named or existing
        return [SeriesKey(run, tag) for tag in tags for run in runs if tag in existing.get(run, ())]

    return Reader("keys", read, (*tags_named.parameters, *runs_named.parameters))

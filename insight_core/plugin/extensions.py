"""What a plugin module may add besides tabs: flags, commands, data sources, run columns, middleware."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from attrs import Attribute, converters, field, frozen

from insight_core.checks import TEXT, check_function, has_form
from insight_core.formats.dialects import Dialect
from insight_core.plugin.context import PluginContext
from insight_core.plugin.contract import CachePolicy, Plugin
from insight_core.plugin.data.provider import DataProvider, ScalarColumns
from insight_core.references import reference

ENVIRONMENT_PREFIX = "INSIGHT_HOST_"

Cell: TypeAlias = str | int | float | bool | None  # A cell of the run table; None without a value.


def _without_hyphens(name: str) -> str:
    return name.lstrip("-").replace("_", "-")


def _check_type(option: Option, attribute: Attribute[Any], value: object) -> None:
    if not callable(value):
        raise TypeError(f"the type of --{option.name} is not a function from text to a value")


@frozen
class Option:
    """A flag of the command line, which is also an environment variable, ``INSIGHT_HOST_<NAME>``.

    ``type`` turns text into the value; it raises ValueError or ArgumentTypeError for text that it cannot
    read. ``bool`` makes a switch: ``--name`` and ``--no-name``. With ``split`` the flag can be repeated and
    its value is a list; ``split`` separates the values in the variable. Both functions may be given by name,
    ``"package.module:name"``. ``ctx.options`` has the value under ``key``: the name with underscores for
    hyphens.
    """

    name: str = field(
        converter=_without_hyphens,
        validator=has_form(
            r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*", "words of letters and digits with - between"
        ),
    )
    help: str = field(validator=TEXT)
    default: Any = None
    type: Callable[[str], Any] = field(default=str, converter=reference, validator=_check_type)
    metavar: str | None = None
    aliases: tuple[str, ...] = ()
    split: Callable[[str], Sequence[str]] | None = field(
        default=None, converter=converters.optional(reference), validator=check_function
    )

    @property
    def key(self) -> str:
        """The name as Python has it: ``cache_dir`` for ``--cache-dir``."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The environment variable: ``INSIGHT_HOST_CACHE_DIR`` for ``--cache-dir``."""
        return ENVIRONMENT_PREFIX + self.key.upper()

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Adds the flag to a parser, without its default: None says that the flag was not given."""
        names = [f"--{name}" for name in (self.name, *self.aliases)]
        common: dict[str, Any] = {"dest": self.key, "default": None, "help": self.help}
        if self.type is bool:
            parser.add_argument(*names, action=argparse.BooleanOptionalAction, **common)
        else:
            action = "append" if self.split else "store"
            parser.add_argument(*names, action=action, type=self.type, metavar=self.metavar, **common)

    def from_environment(self, environment: Mapping[str, str]) -> object:
        """The value of the variable, None if it is unset or empty. Raises ArgumentTypeError with its name."""
        text = environment.get(self.variable, "")
        if not text:
            return None
        try:
            if self.type is bool:
                return truth(text)
            if self.split:
                return [self.type(part) for part in self.split(text)]
            return self.type(text)
        except (argparse.ArgumentTypeError, ValueError) as error:
            raise argparse.ArgumentTypeError(f"environment variable {self.variable}: {error}") from error


def truth(text: str) -> bool:
    """Whether a text means yes. Raises ArgumentTypeError for other texts than yes and no."""
    word = text.strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off"}:
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


@frozen
class Command:
    """A subcommand: ``insight-host NAME [ARGUMENTS]`` calls ``run`` with the arguments.

    ``run`` is called in the main thread, prints what it likes, answers ``--help`` itself, and returns the
    exit code of the process. The text of an InsightError is printed, and the exit code is 1. ``run`` may be
    given by name, ``"package.module:name"``, and is then imported for this command only.
    """

    name: str = field(
        validator=has_form(r"[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)?", "one or two words in lower case")
    )
    help: str = field(validator=TEXT)
    run: Callable[[Sequence[str]], int] = field(converter=reference, validator=check_function)


class CommandHost(Protocol):
    """What the host does for a command: the argument ``host`` of the hook ``insight_commands``."""

    def serve(
        self,
        arguments: Sequence[str],
        *,
        prepare: Callable[[], None] = ...,
        at_end: Callable[[], None] = ...,
    ) -> int:
        """Runs ``insight-host`` with these flags until a signal ends it; returns the exit code.

        ``prepare`` is called first, in a thread of its own: a signal ends the wait for it, and an exception
        the start. ``at_end`` is called at the end in any case.
        """

    def loaded(
        self,
        arguments: Sequence[str],
        plugin: str,
        *,
        follows: bool = False,
        runs: Callable[[str], bool] | None = None,
    ) -> AbstractContextManager[PluginContext]:
        """What routes of a plugin receive, with logs that were read to their end once.

        ``arguments`` are flags of ``insight-host``. Nothing is served, and what is written later is not
        read. With ``follows`` it is, and the context is given when reading begins: ``ctx.data.progress()``
        tells how far it is. Of logs on this machine only runs whose names ``runs`` accepts are read (None:
        all), though ``ctx.data.run_files()`` lists the files of all. Raises NotFound for an unknown plugin,
        and InvalidArgument for flags that cannot be.
        """

    def status(self, text: str) -> None:
        """Shows a line below the output of the terminal until the next one replaces it."""

    def print(self, text: str) -> None:
        """Prints a line to stderr, above the status."""


@frozen
class ProviderSettings:
    """What a data source needs to know of the host: see ``insight_open_provider``."""

    plugins: Mapping[str, Plugin]
    reload_interval: float = 1.0  # seconds; 0: load once
    cache_directory: Path | None = None  # None: nothing may be kept for the next start
    options: Mapping[str, Any] = field(factory=dict)  # of the module's insight_options, by key
    policies: Mapping[str, CachePolicy] = field(factory=dict)  # by plugin, where they differ from its own
    logdirs: Sequence[tuple[str, str]] = ()  # prefix of the names of its runs, and path
    token_file: str | None = None  # the first line is the token for the server of the location
    ca_file: str | None = None  # certificates (PEM) that may sign that of the server
    # opens the host's own reader of the logs of these dialects in the logdirs; None without a logdir
    open_local: Callable[[Collection[Dialect]], DataProvider] | None = None
    answer_scalars: Callable[..., ScalarColumns] | None = None  # as the host's own reader does; None in tests


class OpenWith(Protocol):
    """Adds a parameter to the query of the host's address."""

    def __call__(self, name: str, value: str, *, printed: bool = True) -> None:
        """``--open`` opens the address with this parameter; the start prints it if ``printed``."""


def _nothing(*_: object, **__: object) -> None:
    pass


@frozen
class AppSettings:
    """What a WSGI middleware needs to know of the host, and may add to its start: see ``insight_wrap_app``.

    ``open_with(name, value)`` adds a parameter to the address that the host prints and opens in a browser.
    ``say(text)`` prints a line once the host listens. ``declare_guard()`` says that the middleware decides
    who may look, or has refused ``bound_host`` itself: without such a middleware, a host that other machines
    can reach starts only with ``--insecure`` (``insecure``). Where readers of a link need a token, the
    middleware sets ``insight.link_token`` of the environ: to the one for guests, or to "" without one.
    """

    path_prefix: str = ""  # "/a/b", or empty
    window_title: str = ""
    bound_host: str = "127.0.0.1"
    allowed_hosts: Sequence[str] = ()
    options: Mapping[str, Any] = field(factory=dict)  # of the module's insight_options, by key
    frame_ancestors: Sequence[str] = ()
    encrypted: bool = False  # whether the host itself speaks TLS
    open_with: OpenWith = _nothing
    say: Callable[[str], None] = _nothing
    insecure: bool = False
    declare_guard: Callable[[], None] = _nothing


def _no_values(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
    return {}


@frozen
class RunColumn:
    """A column of the run table. ``values(data, runs)`` returns the cells by run; runs may be left out.

    ``titles`` holds translations of ``title`` by locale, ``group`` a name under which the page gathers
    columns. The cells of kind ``time`` are seconds since the epoch, those of kind ``duration`` seconds. A
    column named ``status`` says how a run ended, for the host's own: ``success`` or ``failure``, or
    ``presumed_failure``, which counts where no other column says how. With
    ``at_first`` False it is not among the columns that the table has until the user chooses some; of these,
    columns of a small ``order`` come first. ``goal`` says of a result whether small or large values are
    better: the table marks the best. Columns that ``RunColumns.columns`` returns need no ``values``.
    ``values`` may be given by name, ``"package.module:name"``.
    """

    name: str = field(validator=TEXT)
    title: str = field(validator=TEXT)
    values: Callable[[DataProvider, Sequence[str]], Mapping[str, Cell]] = field(
        default=_no_values, converter=reference, validator=check_function
    )
    titles: Mapping[str, str] = field(factory=dict)
    kind: Literal["number", "text", "time", "duration", "boolean"] = "text"
    group: str = ""
    at_first: bool = True
    order: int = 0
    goal: Literal["min", "max"] | None = None


_ListColumns: TypeAlias = Callable[[PluginContext], Iterable[RunColumn]]
_ColumnCells: TypeAlias = Callable[
    [PluginContext, Sequence[str], Sequence[str]], Mapping[str, Mapping[str, Cell]]
]


@frozen(init=False)
class RunColumns:
    """Columns of the run table that depend on the logs.

    ``columns(ctx)`` returns the columns that there are, ``values(ctx, names, runs)`` the cells of the named
    columns: by name of the column, then by run. ``ctx`` is the context of the first plugin of the module.
    Both may be given by name, ``"package.module:name"``.
    """

    columns: _ListColumns = field(converter=reference, validator=check_function)
    values: _ColumnCells = field(converter=reference, validator=check_function)

    def __init__(
        self,
        columns: _ListColumns | str | None = None,
        values: _ColumnCells | str | None = None,
        *,
        list: _ListColumns | str | None = None,
    ) -> None:
        """``list`` is the name that ``columns`` had in the last release."""
        if list is not None:
            warnings.warn(
                "RunColumns(list=...) is deprecated: write columns=...", DeprecationWarning, stacklevel=2
            )
            columns = list
        self.__attrs_init__(columns, values)  # type: ignore[arg-type]

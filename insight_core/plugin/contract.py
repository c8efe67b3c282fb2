"""What a plugin contributes: its decoder, cache policy, routes and front end."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from attrs import Attribute, converters, field, frozen, validators

from insight_core.checks import TEXT, check_function, check_texts, has_form, is_a
from insight_core.encoding import nbytes_of, plain
from insight_core.formats.batch import Flaw
from insight_core.plugin.claims import Claim, FileName, checked_claims
from insight_core.plugin.context import PluginContext
from insight_core.plugin.data.computations import Computation
from insight_core.plugin.data.provider import Payload
from insight_core.references import reference
from insight_core.run_profiles import RunProfile

if TYPE_CHECKING:  # a data server loads decoders, never the web half
    from werkzeug import Response

    from insight_core.http.parameters import Reader


API_VERSION = 3  # Version of the plugin API: docs/reference/stability.md.


class PluginNameEnum(enum.StrEnum):
    """Names reserved for the plugins of this distribution; any other plugin picks its own."""

    SCALAR = "scalar"
    HISTOGRAM = "histogram"
    GRAPH = "graph"
    IMAGE = "image"
    TENSOR = "tensor"
    LINEAGE = "lineage"
    PROFILER = "profiler"
    LANDSCAPE = "landscape"


class DataKind(enum.StrEnum):
    """How a series is kept: numbers in columns, or locators of payloads that stay on disk."""

    SCALAR = "scalar"
    RECORD = "record"


def _kind(given: DataKind | str) -> DataKind:
    return DataKind(given) if isinstance(given, str) else given  # the validator says why not


@frozen
class RecordDecoder:
    """Which values of an event a plugin takes, and how the host decodes one.

    The host alone calls ``decode``: when a client asks for a value, never while a file is scanned. It
    raises ``ValueError`` for bytes that it cannot read. ``encode`` turns a decoded value into one that
    ``encode_json`` accepts (for ``/value``), ``size_of`` returns its bytes in memory. Numbers of kind SCALAR
    arrive decoded; a claimed file cannot be of kind SCALAR.

    All functions may be given by name, ``"package.module:name"``, and are imported at their first call.

    With ``last_content``, ``SeriesInfo.content`` comes from the last value of a series instead of the first:
    for plugins that record nothing but this content, as hparams do.

    ``check`` finds the places of a file claimed by its name that cannot be read: they are listed as
    damage of the run. The loader calls it once for each version of a file, so the file should be small.
    """

    claims: frozenset[Claim] = field(converter=checked_claims)
    kind: DataKind = field(default=DataKind.RECORD, converter=_kind, validator=is_a(DataKind, "a DataKind"))
    decode: Callable[[Payload], Any] | None = field(
        default=None, converter=converters.optional(reference), validator=check_function
    )
    encode: Callable[[Any], object] = field(default=plain, converter=reference, validator=check_function)
    size_of: Callable[[Any], int] = field(default=nbytes_of, converter=reference, validator=check_function)
    check: Callable[[BinaryIO, FileName], Iterable[Flaw]] | None = field(
        default=None, converter=converters.optional(reference), validator=check_function
    )
    last_content: bool = field(default=False, validator=is_a(bool, "True or False"))

    def __attrs_post_init__(self) -> None:
        if self.kind is not DataKind.SCALAR:
            return
        if any(isinstance(claim, FileName) for claim in self.claims):
            raise ValueError("files that are claimed by their names hold no numbers")
        if self.decode is not None:
            raise ValueError("values of kind SCALAR arrive decoded: leave decode out")


class Keep(enum.StrEnum):
    """Which points of a series stay when it is longer than its cache policy allows."""

    ALL = "all"
    UNIFORM = "uniform"  # a uniform sample of all points, always with the last
    LATEST = "latest"  # the newest points


@frozen
class CachePolicy:
    """How much of a plugin's data is retained. Plain data, so that it can cross a process."""

    keep: Keep = Keep.ALL
    points: int = field(default=0, validator=validators.ge(0))  # per series; 0 is unlimited
    series: int = field(default=0, validator=validators.ge(0))  # per run; 0 is unlimited
    payload_bytes: int = field(default=64 << 20, validator=validators.ge(0))  # decoded values; 0 keeps none


@frozen
class Route:
    """One URL below ``/data/plugin/<name>``: ``view(request, **path_variables, **values)`` answers it.

    ``path`` is a rule of werkzeug's routing that begins with a slash. ``view`` may be given by name,
    ``"package.module:name"``, and is then imported at the first request. Malformed ones raise ValueError.

    A ``GET`` route also answers ``POST`` unless the plugin has a ``POST`` route at this path: the view gets a
    ``GET`` request with the parameters of the body, a form or a JSON object, as its query.
    Clients that may not save receive 403 for all other methods than ``GET`` and ``HEAD``, and the view is not
    called. ``only_reads``: the view changes nothing whatever the method, so they may use it.
    ``takes_where``: in the place of ``run`` clients may give ``where``, an expression over columns of the run
    table (``lr < 0.1``). The view gets the names of the runs that match as ``run``, or one empty ``run`` if
    none does; of ``run`` and ``where`` the runs of both.
    ``age``: seconds for which clients that ask the same share an answer although data change, or 20 times as
    long as it took. One with ``no-store`` is given to those who waited for it alone.
    ``reads``: parameters, by ``plugin.http``, that are checked before the view is called, which gets each
    value by name. ``also_reads``: those that the view reads itself. ``answers`` (media types) and ``codes``
    (of errors, by status) are for ``/openapi.json``.
    """

    path: str = field(validator=has_form(r"/.*", "it begins with a slash"))
    view: Callable[..., Response] = field(converter=reference, validator=check_function)
    methods: tuple[str, ...] = ("GET",)
    only_reads: bool = False
    takes_where: bool = False
    age: float = field(default=0.0, validator=validators.ge(0))
    reads: Sequence[Reader[Any]] = ()
    also_reads: Sequence[Reader[Any]] = ()
    answers: Sequence[str] = ()
    codes: Mapping[int, Sequence[str]] = field(factory=dict)


def _no_routes(ctx: PluginContext) -> Sequence[Route]:
    return ()


def _named(given: Mapping[str, Callable[..., Any] | str]) -> Mapping[str, Callable[..., Any]]:
    if not isinstance(given, Mapping):
        return given  # the validator says why not
    return {name: reference(function) for name, function in given.items()}


def _check_functions(plugin: Plugin, attribute: Attribute[Any], given: object) -> None:
    if not isinstance(given, Mapping) or not all(map(callable, given.values())):
        raise TypeError(f"its {attribute.name} are not a mapping of functions or 'package.module:name'")


@frozen
class Plugin:
    """A tab, or without ``tab`` contributions alone. A value, not a base class: there is nothing to override.

    ``titles`` holds translations of ``title`` by locale (``{"zh-CN": "标量"}``). ``frontend`` is the
    directory of the built ES module; the page imports its ``index.js``. ``cache`` limits retained points and
    decoded values, ``presets`` replaces the retention for a word of ``--cache-preset``. ``routes`` and
    ``is_active`` may be given by name, ``"package.module:name"``. ``is_active`` returns whether the tab has
    anything to show; by default, whether any run has a series of this plugin. ``step_state`` are
    keys of the tab's state in the URL that show one step, ``{step}`` (``{"step": "{step}", "link": "1"}`` for
    sliders of the kit), in a tab about one run also ``{run}``, as ``codecs.name`` reads it: points of charts
    and the palette lead to it. ``tag_state`` are those that show the tags which a
    regular expression matches, ``{pattern}`` (``{"tags": "{pattern}"}`` for boards of the kit): the palette
    finds tags, a tree lists them. ``run_state`` are those that show two to ten runs next to each other,
    ``{runs}`` as ``codecs.names`` reads them (``{"diff": "{runs}"}``): the run panel compares runs there.
    ``computations`` are functions by name that ``compute`` calls where the data is, ``(data, request)`` with
    the bytes of a request; they return the bytes of each answer, and may be given by name, too. A data
    server may have another version of the plugin: a changed computation gets another name.
    ``services`` are functions by name that Python users reach without knowing which plugin has them (docs/
    writing_a_plugin.md, "Services"): the first one in tab order is asked. They may be given by name, too.
    ``profiles(ctx, run, name)`` gives the profiles of a run that rules examine, or the one of this name.
    ``address`` is a path of one word at the root of the host, such as ``/mcp``, for protocols that fix it:
    requests there, and below it, reach the routes of the plugin as those of ``/data/plugin/<name>`` do.
    ``tab=False``: the plugin has no tab, and its front end no ``index.js``. The page loads its
    ``contributions.js`` while ``is_active`` is true, or always without it and without a decoder.
    Tabs with the same ``tab_group`` are one in the line of tabs: a menu for the groups media, model
    and diagnosis, else the first tab, which has the others as its modes; those of ``more`` are in the menu
    of the page. ``order`` places the tab: small first. A host with an API below ``requires_api`` refuses it.
    """

    name: str = field(
        validator=has_form(r"[A-Za-z][A-Za-z0-9_-]*", "letters, digits, - and _, a letter first")
    )
    title: str = field(validator=TEXT)
    titles: Mapping[str, str] = field(factory=dict, validator=check_texts)
    decoder: RecordDecoder | None = field(
        default=None, validator=is_a(RecordDecoder, "a RecordDecoder", optional=True)
    )
    cache: CachePolicy = field(default=CachePolicy(), validator=is_a(CachePolicy, "a CachePolicy"))
    presets: Mapping[str, CachePolicy] = field(
        factory=dict, validator=is_a(Mapping, "a mapping of CachePolicy")
    )
    routes: Callable[[PluginContext], Sequence[Route]] = field(
        default=_no_routes, converter=reference, validator=check_function
    )
    frontend: Path | None = field(default=None, validator=is_a(Path, "a pathlib.Path", optional=True))
    is_active: Callable[[PluginContext], bool] | None = field(
        default=None, converter=converters.optional(reference), validator=check_function
    )
    step_state: Mapping[str, str] = field(factory=dict, validator=check_texts)
    tag_state: Mapping[str, str] = field(factory=dict, validator=check_texts)
    run_state: Mapping[str, str] = field(factory=dict, validator=check_texts)
    computations: Mapping[str, Computation] = field(
        factory=dict, converter=_named, validator=_check_functions
    )
    services: Mapping[str, Callable[..., Any]] = field(
        factory=dict, converter=_named, validator=_check_functions
    )
    profiles: Callable[[PluginContext, str, str | None], Iterable[RunProfile]] | None = field(
        default=None, converter=converters.optional(reference), validator=check_function
    )
    address: str = field(
        default="",
        validator=has_form(
            r"(?!/(data|static|healthz)$)(/[a-z][a-z0-9-]*)?",
            "a slash and one word in lower case, such as /mcp; the host has /data, /static and /healthz",
        ),
    )
    tab_group: str = field(default="", validator=has_form(r"[a-z]*", "small letters"))
    order: int = field(default=1000, validator=is_a(int, "an integer"))
    tab: bool = field(default=True, validator=is_a(bool, "True or False"))
    requires_api: int = field(default=1, validator=is_a(int, "an integer"))

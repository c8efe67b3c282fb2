"""Names and modules of the last release of the public API that have moved: they work, with a warning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import MappingProxyType, ModuleType
from typing import Any, Final
from warnings import warn

_PLUGIN: Final = "insight_core.plugin"
_DATA, _FINDINGS, _LAB, _SQL = f"{_PLUGIN}.data", f"{_PLUGIN}.findings", f"{_PLUGIN}.lab", f"{_PLUGIN}.sql"
_RESULTS, _ABILITIES = "insight_core.old_findings", "insight_core.old_abilities"
_TABLES = f"{_DATA}.tables"


def _names(text: str, module: str) -> Mapping[str, str]:
    return dict.fromkeys(text.split(), module)


_OLD_FINDINGS: Final = _names("CheckedRule Highlight HighlightSource RuleChecks", _RESULTS)
MOVED_NAMES: Final[Mapping[str, Mapping[str, str]]] = {  # by module and name; "module:other" is renamed
    _PLUGIN: {
        **_names("Changes Damage DataProvider MOST_AT_ONCE NotComputed Payload PayloadPlaces", _DATA),
        **_names("PayloadStream Progress RecordPlace RecordTable Run RunFile ScalarColumns", _DATA),
        **_names("ScalarQuery SeriesField SeriesFigures SeriesInfo SeriesKey SeriesTable", _DATA),
        **_names(
            "ShownAttempts TAG_ROLES TagRole compute figures_of place_in record_at united_tables", _DATA
        ),
        **_names("Examined Finding FindingPlace NotChecked Rule SEVERITIES", _FINDINGS),
        **_OLD_FINDINGS,
        **_names("ColumnType ColumnValues ContributedTable Labels QueryColumn QueryTable Rows", _SQL),
        **_names("WantedRows", _SQL),
        **_names("AnswerScalars Severity check_elements file_reference plain role_of", _LAB),
        **_names("CheckRules FindHighlights HIGHLIGHT_TONES HighlightTone", _RESULTS),
        **_names("RunHighlights SourceHighlights", _RESULTS),
        **_names("chosen_tables joined_table missing_tags runs_with_equal_tags", _TABLES),
        **_names("tables_of tags_by_run", _TABLES),
        **_names("ComputingProvider LocatingProvider NoticingProvider RunFiles notices_of", _ABILITIES),
        "Annotation": f"{_PLUGIN}.annotations",
        "Authorship": f"{_PLUGIN}.annotations",
        "Computation": f"{_DATA}.computations",
        "X": f"{_DATA}:XAxis",
        "nbytes_of": "insight_core.encoding",
        "physical_memory": f"{_PLUGIN}.worker",
    },
    _FINDINGS: _OLD_FINDINGS,
    f"{_PLUGIN}.http": _names(
        "empty required_number required_text required_whole_number", "insight_core.http.parameters"
    ),
    f"{_PLUGIN}.payloads": {
        **_names("HEADER_SIZE RecordProblem record", "insight_record.formats.framing"),
        **_names("MINDSPORE_TYPES TENSORFLOW_TYPES tensorflow_type_name", "insight_record.formats.dtypes"),
    },
    f"{_PLUGIN}.testing": {
        **_names("START_TIME", "insight_authoring.testing.event_writer"),
        **_names("scalar_events", "insight_authoring.testing.scalar_block"),
    },
    "insight_host.client": {  # which re-exported them
        **_names("Claim InsightError InvalidArgument NotFound TooLarge Unavailable Undecodable", _PLUGIN),
        **_names("Changes Damage NotComputed Payload PayloadStream Run ScalarColumns ScalarQuery", _DATA),
        **_names("SeriesField SeriesInfo SeriesKey SeriesTable ShownAttempts", _DATA),
        "LoggedPayload": "insight_host.records",
    },
}
MOVED_MODULES: Final[
    Mapping[str, str]
] = {  # where they are now; a module of the API offers most of their names
    **{
        f"{_PLUGIN}.http.{name}": f"insight_core.http.{name}"
        for name in ("answers", "parameters", "records", "tags")
    },
    **{
        f"{_PLUGIN}.http.{name}": "insight_core.http.answers"
        for name in ("clients", "csv_text", "encodings", "identity")
    },
    f"{_PLUGIN}.http.histograms": "insight_core.histogram_routes",
    f"{_PLUGIN}.http.matching": "insight_core.matching",
    f"{_PLUGIN}.http.own_page": "insight_core.own_page",
    **{
        f"{_PLUGIN}.testing.{name}": f"insight_authoring.testing.{name}"
        for name in ("event_writer", "fake", "scalar_block", "tensors", "wire")
    },
    f"{_PLUGIN}.testing.contexts": "insight_authoring.testing.host",
    f"{_PLUGIN}.testing.histograms": "insight_authoring.testing.tensors",
}
MOVED_ROOMS: Final[Mapping[str, str]] = {  # packages of the host that are in a plugin now
    "insight_core.mirror": "insight_remote.mirror",
    "insight_core.providers.rust_server": "insight_tensorboard.client.rust_server",
    "insight_core.providers.tensorboard_client": "insight_tensorboard.client",
    "insight_core.rpc.tensorboard_service": "insight_tensorboard.service",
    "insight_core.rpc.tensorboard_view": "insight_tensorboard.view",
    "insight_core.tensorboard": "insight_tensorboard.hosted",
}


def _old_name(module: str, name: str) -> object:
    """The value of a name of the last release, with a warning. Raises AttributeError for other names."""
    found = MOVED_NAMES[module].get(name)
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    place, _, renamed = found.partition(":")
    value = getattr(import_module(place), renamed or name)
    instead = getattr(value, "instead", None) or f"import {renamed or 'it'} from {place}"
    warn(f"{module}.{name} is deprecated: {instead}", DeprecationWarning, stacklevel=2)
    return value


def old_names(module: str) -> Callable[[str], object]:
    """The ``__getattr__`` of a module: names of the last release, with a warning that says what to use."""
    return partial(_old_name, module)


def _moved_room(name: str) -> str | None:
    """The name that a module of a room of MOVED_ROOMS has now."""
    for old, new in MOVED_ROOMS.items():
        if name == old or name.startswith(f"{old}."):
            return new + name.removeprefix(old)
    return None


def accept_old_arguments(kind: type, adapter: str) -> None:
    """Lets a class take the arguments that it had in the last release.

    ``adapter`` names a function of old_findings that gives those of now, with a warning if they were old.
    """
    made: Callable[..., None] = kind.__init__  # type: ignore[misc]

    @wraps(made)
    def init(self: object, *given: object, **named: object) -> None:
        given, named = getattr(import_module("insight_core.old_findings"), adapter)(given, named)
        made(self, *given, **named)

    kind.__init__ = init  # type: ignore[misc]


class OldContext:
    """What ``PluginContext`` had in the last release."""

    __slots__ = ()

    def check_rules(self, runs: Sequence[str], roles: Mapping[str, str] = MappingProxyType({})) -> Any:  # noqa: ANN401
        """Deprecated: ``findings``. What rules say, by run and rule."""
        warn("check_rules(runs) is deprecated: findings(runs)", DeprecationWarning, stacklevel=2)
        return import_module(_RESULTS).checks_of(self.findings(runs, roles))  # type: ignore[attr-defined]

    def highlights(self, runs: Sequence[str]) -> Any:  # noqa: ANN401
        """Deprecated: ``findings``. What matters about runs taken together."""
        warn("highlights(runs) is deprecated: findings(runs)", DeprecationWarning, stacklevel=2)
        return import_module(_RESULTS).highlights_of(self.findings(runs))  # type: ignore[attr-defined]


class MovedModules(MetaPathFinder, Loader):
    """Finds modules by their names in the last release, with a warning. One is on ``sys.meta_path``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module, if this is the name of one that has moved."""
        if fullname in MOVED_MODULES:
            return spec_from_loader(fullname, self)
        return spec_from_loader(fullname, self, is_package=True) if _moved_room(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module the names of the one that is there now."""
        name = module.__name__
        place = _moved_room(name)
        text = f"{name} is deprecated: import from {place or name.rpartition('.')[0]}"
        warn(text, DeprecationWarning, stacklevel=2)
        names = vars(import_module(place or MOVED_MODULES[name]))
        vars(module).update({name: value for name, value in names.items() if not name.startswith("__")})

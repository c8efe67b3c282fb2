"""Entry points to plugins by name, and why others did not load."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType

import pluggy
from attrs import define, field, frozen

from insight_core.isolation import DEFAULT_LIMITS, Call, Calls, Limits, Overdue, in_one_line, in_turn
from insight_core.plugin import (
    CachePolicy,
    Claim,
    DataKind,
    FileName,
    Plugin,
    PluginNameEnum,
    RecordDecoder,
)
from insight_core.plugin import hooks as hookspecs

log = logging.getLogger(__name__)

GROUP = "insight.plugins"
DISTRIBUTION = "insight-host"


@frozen
class PluginFailure:
    """Why one entry point gave no plugin."""

    entry_point: str
    distribution: str
    reason: str  # one line, fit for the user
    traceback: str  # for the log


@frozen
class Origin:
    """The installed distribution a plugin comes from."""

    distribution: str
    version: str


class Registry:
    """The plugins that loaded, in tab order, and the failures of the others by entry point.

    Modules of this distribution are imported by the caller. All others are imported in threads, for which the
    caller waits ``limits.start`` seconds; plugins that load later come later: see ``follow``.
    """

    plugins: Mapping[str, Plugin]
    failures: Mapping[str, PluginFailure]
    origins: Mapping[str, Origin]
    disabled: frozenset[str]  # names that were found and left out as asked

    def __init__(
        self,
        candidates: Sequence[_Candidate],
        disabled: Collection[str] = (),
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._disabled = frozenset(disabled)
        self._registration = _Registration()
        self._failed: dict[_Candidate, PluginFailure] = {}
        self._left_out: set[str] = set()
        self._late: list[Plugin] | None = None  # None: the start still waits
        self._followers: list[tuple[Callable[[Plugin], None], Callable[[], None]]] = []
        self._left_out.update(each.name for each in candidates if each.name in disabled)
        wanted = [each for each in candidates if each.name not in disabled]
        others = [each for each in wanted if each.origin.distribution != DISTRIBUTION]
        self.has_others = bool(others)
        self._pending = set(others)
        for each in wanted:
            if each.origin.distribution == DISTRIBUTION:
                self._load(each)
        self._publish()
        self._importer = threading.Thread(target=self._import, args=(others,), name="importer", daemon=True)
        if others:
            self._importer.start()
            self._importer.join(limits.start)
        with self._lock:
            self._late = []

    @classmethod
    def discover(cls, disabled: Collection[str] = (), limits: Limits = DEFAULT_LIMITS) -> Registry:
        """Loads every installed entry point of the group, except the disabled ones."""
        candidates = []
        for point in entry_points(group=GROUP):
            distribution = point.dist.name if point.dist is not None else ""
            version = point.dist.version if point.dist is not None else ""
            candidates.append(_Candidate(point.name, Origin(distribution, version), point.load))
        # this distribution first: a foreign plugin can take neither its names nor its claims
        candidates.sort(key=lambda c: (c.origin.distribution != DISTRIBUTION, c.origin.distribution, c.name))
        return cls(candidates, disabled, limits)

    @classmethod
    def of(
        cls,
        modules: Iterable[tuple[str, Callable[[], object]]],
        *,
        distribution: str = DISTRIBUTION,
        disabled: Collection[str] = (),
        limits: Limits = DEFAULT_LIMITS,
    ) -> Registry:
        """Loads the given (entry-point name, loader) pairs as if ``distribution`` had brought them."""
        origin = Origin(distribution, "")
        return cls([_Candidate(name, origin, load) for name, load in modules], disabled, limits)

    def follow(self, came: Callable[[Plugin], None], changed: Callable[[], None] = lambda: None) -> None:
        """``came`` is called with each plugin that loaded too late for the start, the earlier ones included,
        ``changed`` when ``failures`` has changed. Any thread may call them."""
        with self._lock:
            late = list(self._late or ())
            self._followers.append((came, changed))
        for plugin in late:
            came(plugin)

    def wait_until_loaded(self) -> None:
        """Waits until every plugin has loaded or failed."""
        if self.has_others:
            self._importer.join()

    @property
    def pending(self) -> set[str]:
        """Entry points whose modules are still being imported."""
        with self._lock:
            return {candidate.name for candidate in self._pending}

    # --- loading ---

    def _load(self, candidate: _Candidate) -> None:
        """Imports in this thread. What fails is kept; Ctrl-C is not the plugin's."""
        call: Call[Plugin] = Call("its import", self._limits.imports)
        try:
            call.value = _plugin_of(candidate, call, self._limits)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin that exits while it is imported must not end the host
            call.error = error
        self._loaded(candidate, call)

    def _import(self, candidates: Sequence[_Candidate]) -> None:
        def begin(candidate: _Candidate) -> Call[Plugin]:
            return Calls(f"plugin {candidate.name}", self._limits).start(
                f"its import ({candidate.name})",
                lambda call: _plugin_of(candidate, call, self._limits),
                self._limits.imports,
                lambda call: self._loaded(candidate, call),
            )

        def give_up(candidate: _Candidate, call: Call[Plugin]) -> None:
            with self._lock:
                if candidate not in self._pending:
                    return
                self._fail(candidate, Overdue(call.overdue()))
            self._tell(None)

        in_turn(candidates, begin, self._limits.turn, give_up)

    def _loaded(self, candidate: _Candidate, call: Call[Plugin]) -> None:
        plugin = call.value
        with self._lock:
            self._failed.pop(candidate, None)  # it took longer than it may, and is here now
            self._pending.discard(candidate)
            if call.error is None and plugin is not None and plugin.name in self._disabled:
                self._left_out.add(str(plugin.name))
                plugin = None
            try:
                if call.error is not None:
                    raise call.error
                if plugin is not None:
                    self._registration.add(plugin, candidate.origin, is_late=self._late is not None)
            except BaseException as error:
                plugin = None
                self._fail(candidate, error)
            if self._late is not None and plugin is not None:
                self._late.append(plugin)
            self._publish()
            started = self._late is not None
        if started:
            self._tell(plugin)

    def _fail(self, candidate: _Candidate, error: BaseException) -> None:
        """The lock is held."""
        failure = self._failed[candidate] = _failure(candidate, error)
        log.warning(
            "plugin %s of %s did not load: %s%s",
            failure.entry_point,
            failure.distribution or "an unknown distribution",
            failure.reason,
            "" if isinstance(error, Overdue) else f"\n{failure.traceback}",
        )
        self._publish()

    def _publish(self) -> None:
        """Replaces what others see. The lock is held, or nobody knows this yet."""
        plugins = self._registration.plugins
        ordered = sorted(plugins.values(), key=lambda plugin: (plugin.order, plugin.name))
        self.origins = MappingProxyType(dict(self._registration.origins))
        self.disabled = frozenset(self._left_out)
        self.failures = MappingProxyType(_by_free_name(self._failed.values(), plugins))
        self.plugins = MappingProxyType({str(plugin.name): plugin for plugin in ordered})

    def _tell(self, plugin: Plugin | None) -> None:
        with self._lock:
            followers = list(self._followers)
        for came, changed in followers:
            if plugin is not None:
                came(plugin)
            changed()


@frozen(eq=False)
class _Candidate:
    name: str
    origin: Origin
    load: Callable[[], object]


class _Refusal(Exception):
    """The plugin breaks a rule; the text says which."""


@define
class _Registration:
    """What has loaded so far, against which the next plugin is checked."""

    plugins: dict[str, Plugin] = field(factory=dict)
    origins: dict[str, Origin] = field(factory=dict)
    claims: dict[Claim, str] = field(factory=dict)

    def add(self, plugin: Plugin, origin: Origin, *, is_late: bool = False) -> None:
        name = str(plugin.name)
        if name in self.plugins:
            owner = self.origins[name].distribution
            raise _Refusal(
                f"a plugin named {name!r} is already there, from {owner or 'an unknown distribution'}"
            )
        if name in set(PluginNameEnum) and origin.distribution != DISTRIBUTION:
            raise _Refusal(f"the name {name!r} is reserved for {DISTRIBUTION}")
        claimed = plugin.decoder.claims if plugin.decoder is not None else frozenset()
        # what an event holds goes to one plugin; a file may be taken by several
        claims = {claim for claim in claimed if not isinstance(claim, FileName)}
        for claim in sorted(claims, key=str):
            if claim in self.claims:
                raise _Refusal(f"both {self.claims[claim]!r} and {name!r} claim {claim}")
        if is_late and plugin.decoder is not None and plugin.decoder.kind is DataKind.SCALAR:
            # values are decoded as numbers, or are not, when they are loaded
            raise _Refusal("it takes numbers, and its module was imported too late: import less in it")
        self.claims.update(dict.fromkeys(claims, name))
        self.plugins[name] = plugin
        self.origins[name] = origin


def _plugin_of(candidate: _Candidate, call: Call[Plugin], limits: Limits) -> Plugin:
    module = candidate.load()
    call.proceed(f"insight_plugin() of {candidate.name}", limits.hook)
    # a manager for each module: what one of them does to its hooks cannot reach another
    manager = pluggy.PluginManager("insight")
    manager.add_hookspecs(hookspecs)
    manager.register(module, candidate.name)
    manager.check_pending()
    if not manager.hook.insight_plugin.get_hookimpls():
        raise _Refusal("it has no function insight_plugin() marked with @hookimpl")
    [plugin] = manager.hook.insight_plugin() or [None]
    if not isinstance(plugin, Plugin):
        raise _Refusal(f"insight_plugin() returned {_kind(plugin)}, not a Plugin")
    _check_fields(plugin)
    return plugin


def _check_fields(plugin: Plugin) -> None:
    """A field of a wrong type would break the host later, far from its cause."""
    rules: list[tuple[str, bool, str]] = [
        ("name", isinstance(plugin.name, str), "a string"),
        ("title", isinstance(plugin.title, str), "a string"),
        (
            "titles",
            isinstance(plugin.titles, Mapping)
            and all(isinstance(text, str) for pair in plugin.titles.items() for text in pair),
            "a mapping of strings",
        ),
        ("decoder", plugin.decoder is None or isinstance(plugin.decoder, RecordDecoder), "a RecordDecoder"),
        ("cache", isinstance(plugin.cache, CachePolicy), "a CachePolicy"),
        ("routes", callable(plugin.routes), "a function"),
        ("frontend", plugin.frontend is None or isinstance(plugin.frontend, Path), "a pathlib.Path"),
        ("is_active", plugin.is_active is None or callable(plugin.is_active), "a function"),
        ("order", isinstance(plugin.order, int), "an integer"),
    ]
    for name, holds, wanted in rules:
        if not holds:
            raise _Refusal(f"its {name} is {_kind(getattr(plugin, name))}, not {wanted}")


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _failure(candidate: _Candidate, error: BaseException) -> PluginFailure:
    text = " ".join(str(error).split())
    if not isinstance(error, (_Refusal, Overdue)):
        text = in_one_line(error)
    return PluginFailure(
        entry_point=candidate.name,
        distribution=candidate.origin.distribution,
        reason=text,
        traceback="".join(traceback.format_exception(error)),
    )


def _by_free_name(failures: Iterable[PluginFailure], taken: Collection[str]) -> dict[str, PluginFailure]:
    """Failures by entry point; one whose name is in use also carries its distribution or a number."""
    named: dict[str, PluginFailure] = {}
    for failure in failures:
        name = failure.entry_point
        if name in taken or name in named:
            name = f"{name} ({failure.distribution})"
        base, count = name, 1
        while name in taken or name in named:
            count += 1
            name = f"{base} #{count}"
        named[name] = failure
    return named

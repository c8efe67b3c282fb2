"""The plugins that loaded, the hooks of their modules, and why other modules did not load."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from insight_core.isolation import DEFAULT_LIMITS, Call, Calls, Limits, Overdue, in_turn
from insight_core.plugin import Claim, DataKind, Plugin, PluginNameEnum
from insight_core.registry.failures import TOLD, PluginFailure, by_free_name, failure_of
from insight_core.registry.modules import (
    DISTRIBUTION,
    Candidate,
    Contribution,
    Module,
    ModuleLoader,
    Origin,
    Refusal,
    all_of,
    called,
    installed,
)
from insight_core.registry.origins import author_traceback
from insight_core.registry.rules import Contender, Verdict, conflicting_options, same_distribution, settle

log = logging.getLogger(__name__)


class Registry:
    """The plugins that loaded, in tab order, and the failures of the others by entry point.

    Modules of this distribution are imported by the caller. All others are imported in threads, for which the
    caller waits ``limits.start`` seconds; plugins that load later come later: see ``follow``.

    ``choices`` are distributions by name of plugin: where several plugins have one name or one claim, the
    chosen one is taken, without a choice none of them. The caller waits for modules of chosen distributions,
    and for middleware. ``flags`` are keys of the host's own flags.
    """

    plugins: Mapping[str, Plugin]
    failures: Mapping[str, PluginFailure]
    origins: Mapping[str, Origin]
    disabled: frozenset[str]  # names that were found and left out as asked
    modules: Sequence[Module]  # with a plugin or not
    options: Mapping[str, Mapping[str, Any]]  # values of the modules' flags, by entry point and by plugin

    def __init__(
        self,
        candidates: Sequence[Candidate],
        disabled: Collection[str] = (),
        limits: Limits = DEFAULT_LIMITS,
        *,
        choices: Mapping[str, str] | None = None,
        flags: Collection[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._limits = limits
        self._choices = dict(choices or {})
        self._flags = frozenset(flags)
        self._environment = os.environ if environment is None else environment
        self._lock = threading.Lock()
        self._disabled = frozenset(disabled)
        self._order = {candidate: place for place, candidate in enumerate(candidates)}
        self._loader = ModuleLoader(limits)
        self._modules: dict[Candidate, Module] = {}
        self._failed: dict[object, PluginFailure] = {}  # by candidate, contender, or module and hook
        self._verdict = Verdict()
        self._collected: dict[tuple[str, Module], tuple[Any, ...]] = {}
        self._late: list[Plugin] | None = None  # None: the start still waits
        self._followers: list[tuple[Callable[[Plugin], None], Callable[[], None]]] = []
        self._left_out = {each.name for each in candidates if self._is_disabled(each)}
        self._wanted = [each for each in candidates if not self._is_disabled(each)]
        others = [each for each in self._wanted if each.origin.distribution != DISTRIBUTION]
        self.has_others = bool(others)
        self._pending = set(others)
        for each in self._wanted:
            if each not in self._pending:
                self._load(each)
        self._importer = threading.Thread(target=self._import, args=(others,), name="importer", daemon=True)
        if others:
            self._importer.start()
            self._importer.join(limits.start)
            self._wait_for_required()
        with self._lock:
            self._settle()
            self._late = []
            self._publish()

    @classmethod
    def discover(
        cls,
        disabled: Collection[str] = (),
        limits: Limits = DEFAULT_LIMITS,
        *,
        built_in: Iterable[tuple[str, Callable[[], object]]] = (),
        files: Iterable[Candidate] = (),
        choices: Mapping[str, str] | None = None,
        flags: Collection[str] = (),
    ) -> Registry:
        """Loads the built-in modules, every installed entry point and files, without the disabled ones."""
        parts = [Candidate(name, Origin(DISTRIBUTION), load, built_in=True) for name, load in built_in]
        return cls([*parts, *installed(), *files], disabled, limits, choices=choices, flags=flags)

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
        origin = Origin(distribution)
        return cls([Candidate(name, origin, load) for name, load in modules], disabled, limits)

    def follow(self, came: Callable[[Plugin], None], changed: Callable[[], None] = lambda: None) -> None:
        """``came`` is called with each plugin that loaded too late for the start, the earlier ones included,
        ``changed`` when ``failures`` or ``modules`` has changed. Any thread may call them."""
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

    # --- what plugins can do ---

    @property
    def plugin_of_scalars(self) -> str:
        """The name of the plugin whose values are numbers: the reserved one, else the first in tab order."""
        decoders = ((name, plugin.decoder) for name, plugin in self.plugins.items())
        names = [name for name, each in decoders if each and each.kind is DataKind.SCALAR]
        default = str(PluginNameEnum.SCALAR)
        return default if not names or default in names else names[0]

    def decoding(self, claim: Claim) -> Plugin | None:
        """The plugin that takes values with this claim."""
        has_it = (one for one in self.plugins.values() if one.decoder and claim in one.decoder.claims)
        return next(has_it, None)

    def service(self, name: str) -> tuple[str, Callable[..., Any]] | None:
        """A plugin with this service, the first in tab order, and the function. See ``Plugin.services``."""
        found = ((one.name, one.services[name]) for one in self.plugins.values() if name in one.services)
        return next(found, None)

    # --- hooks ---

    def implementing(self, hook: str) -> list[Module]:
        """The modules with this hook that have loaded by now."""
        return [module for module in self.modules if hook in module.hooks]

    def collected(self, hook: str, kind: Any, **arguments: object) -> list[Contribution]:  # noqa: ANN401
        """The values of this hook from all modules that have loaded by now; each module is asked once.

        A hook that takes ``options`` gets the flags of its module. A module whose hook raises, hangs or
        returns values of another ``kind`` (a class or several) is a failure and gives none.
        """
        calls: dict[Module, Call[tuple[Any, ...]]] = {}
        modules = self.implementing(hook)

        def begin(module: Module) -> Call[tuple[Any, ...]]:
            name, given = f"{hook}()", {"options": MappingProxyType(module.values), **arguments}
            calls[module] = module.calls.start(
                f"{name} of {module.name}",
                lambda _: all_of(kind, called(module.hooks[hook], **given), name),
                self._limits.hook,
            )
            return calls[module]

        unasked = [module for module in modules if (hook, module) not in self._collected]
        in_turn(unasked, begin, self._limits.turn, lambda module, call: None)
        for module, call in calls.items():
            try:
                self._collected[hook, module] = call.result()
            except Exception as error:
                self._collected[hook, module] = ()
                self.hook_failed(module, hook, error)
        return self.given(hook)

    def given(self, hook: str) -> list[Contribution]:
        """The values of this hook that were collected until now."""
        return [
            Contribution(module, value)
            for module in self.implementing(hook)
            for value in self._collected.get((hook, module), ())
        ]

    def hook_failed(self, module: Module, hook: str, error: BaseException) -> None:
        """Lists the failure of a hook. The other hooks of the module go on."""
        with self._lock:
            self._fail((module, hook), module.candidate, error, hook=hook, name=module.name)
            self._publish()
        self._tell(None)

    def lost_middleware(self) -> list[PluginFailure]:
        """Modules of the group for middleware that did not load, and why: no host may run without them."""
        with self._lock:
            lost = [each for each in self._wanted if each.is_middleware and each not in self._modules]
            unknown = Refusal("it has not loaded")
            return [self._failed.get(each) or failure_of(each, unknown) for each in lost]

    def lost_files(self) -> list[PluginFailure]:
        """Why files of plugins that the user named did not load, or have a plugin that is refused."""
        with self._lock:
            refused = [one for one in self._verdict.refused if one.module.candidate.is_file]
            lost = [*(each for each in self._wanted if each.is_file), *refused]
            return [self._failed[key] for key in lost if key in self._failed]

    def take_flags(self, given: Mapping[str, Any]) -> None:
        """Sets the values of modules' flags that the command line gives; by key, None for those not given."""
        with self._lock:
            for module in self._modules.values():
                for option in module.options:
                    if given.get(option.key) is not None:
                        module.values[option.key] = given[option.key]

    # --- loading ---

    def _is_disabled(self, candidate: Candidate) -> bool:
        return candidate.name in self._disabled and not candidate.built_in

    def _load(self, candidate: Candidate) -> None:
        """Imports in this thread. What fails is kept; Ctrl-C is not the plugin's."""
        call: Call[Module] = Call("its import", self._limits.imports)
        try:
            call.value = self._loader.load(candidate, call)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin that exits while it is imported must not end the host
            call.error = error
        self._loaded(candidate, call)

    def _import(self, candidates: Sequence[Candidate]) -> None:
        def begin(candidate: Candidate) -> Call[Module]:
            return Calls(f"plugin {candidate.name}", self._limits).start(
                f"its import ({candidate.name})",
                lambda call: self._loader.load(candidate, call),
                self._limits.imports,
                lambda call: self._loaded(candidate, call),
            )

        def give_up(candidate: Candidate, call: Call[Module]) -> None:
            with self._lock:
                if candidate not in self._pending:
                    return
                self._fail(candidate, candidate, Overdue(call.overdue()))
                self._publish()
            self._tell(None)

        in_turn(candidates, begin, self._limits.turn, give_up)

    def _wait_for_required(self) -> None:
        """Waits for the modules without which nobody wants a host: middleware, and chosen distributions."""
        until = time.monotonic() + self._limits.imports + self._limits.hook
        while time.monotonic() < until:
            with self._lock:
                waited_for = [each for each in self._pending - self._failed.keys() if self._is_required(each)]
            if not waited_for:
                return
            self._importer.join(0.05)

    def _is_required(self, candidate: Candidate) -> bool:
        return (
            candidate.is_middleware
            or candidate.is_file
            or any(same_distribution(candidate.origin.distribution, one) for one in self._choices.values())
        )

    def _loaded(self, candidate: Candidate, call: Call[Module]) -> None:
        module = call.value
        plugins: list[Plugin] = []
        with self._lock:
            self._failed.pop(candidate, None)  # it took longer than it may, and is here now
            self._pending.discard(candidate)
            started = self._late is not None
            try:
                if call.error is not None:
                    raise call.error
                assert module is not None
                for option in module.options:
                    given = option.from_environment(self._environment)
                    module.values[option.key] = option.default if given is None else given
                names = {str(plugin.name) for plugin in module.plugins}
                self._left_out |= names & self._disabled
                stays = candidate.built_in or candidate.is_middleware  # only its tabs can be left out
                if stays or not names or names - self._disabled:
                    if started:
                        plugins = self._admit(module)
                    self._modules[candidate] = module
            except BaseException as error:
                self._fail(candidate, candidate, error)
            if self._late is not None:
                self._late += plugins
                self._publish()
        for plugin in plugins:
            self._tell(plugin)
        if started:
            self._tell(None)

    def _settle(self) -> None:
        """Takes those of the modules loaded so far that do not conflict. The lock is held."""
        self._modules = dict(sorted(self._modules.items(), key=lambda pair: self._order[pair[0]]))
        for module, reason in conflicting_options([*self._modules.values()], self._flags).items():
            del self._modules[module.candidate]
            self._fail(module.candidate, module.candidate, Refusal(reason))
        self._verdict = settle(self._contenders(self._modules.values()), self._choices)
        self._note(self._verdict)

    def _admit(self, module: Module) -> list[Plugin]:
        """The plugins of a module that loaded late. Raises Refusal. The lock is held."""
        conflicts = conflicting_options([*self._modules.values(), module], self._flags)
        if conflicts:  # the other one is being served, whoever would win
            raise Refusal(conflicts.get(module) or next(iter(conflicts.values())))
        taken, new = self._verdict.taken, self._contenders([module])
        verdict = settle([*taken, *new], self._choices)
        beaten = [one for one in taken if one in verdict.refused]
        if beaten:  # they are being served: nothing is taken away from a host that runs
            reason = f"its module was imported too late, after {beaten[0].name!r}: import less in it"
            for one in [each for each in verdict.taken if each in new]:
                verdict.taken.remove(one)
                verdict.refused[one] = reason
        for one in beaten:
            del verdict.refused[one]
        verdict.left_out.extend(self._verdict.left_out)
        self._verdict = Verdict([*taken, *(one for one in verdict.taken if one in new)], {}, verdict.left_out)
        self._note(verdict)
        return [one.plugin for one in verdict.taken if one in new]

    def _contenders(self, modules: Iterable[Module]) -> list[Contender]:
        return [
            Contender(plugin, module)
            for module in modules
            for plugin in module.plugins
            if plugin.name not in self._disabled
        ]

    def _note(self, verdict: Verdict) -> None:
        for one, reason in verdict.refused.items():
            several = len(one.module.plugins) > 1
            self._fail(one, one.module.candidate, Refusal(reason), name=one.name if several else None)

    def _fail(
        self,
        key: object,
        candidate: Candidate,
        error: BaseException,
        *,
        hook: str = "",
        name: str | None = None,
    ) -> None:
        """The lock is held."""
        failure = self._failed[key] = failure_of(candidate, error, hook=hook, name=name)
        told = isinstance(error, TOLD)
        log.warning(
            "plugin %s of %s did not load: %s",
            failure.entry_point,
            failure.distribution or "an unknown distribution",
            failure.reason,
            exc_info=None if told else (type(error), error, author_traceback(error)),
        )

    def _publish(self) -> None:
        """Replaces what others see. The lock is held."""
        taken = sorted(self._verdict.taken, key=lambda one: (one.plugin.order, one.name))
        lost = {f"{one.name} ({one.distribution})" for one in self._verdict.left_out}
        unwanted = {one.module for one in self._verdict.left_out if not one.module.candidate.is_middleware}
        unwanted -= {one.module for one in taken}
        self.modules = tuple(module for module in self._modules.values() if module not in unwanted)
        self.origins = MappingProxyType({one.name: one.module.candidate.origin for one in taken})
        self.disabled = frozenset(self._left_out | lost)
        self.options = MappingProxyType(
            {module.candidate.name: module.values for module in self.modules}
            | {one.name: one.module.values for one in taken}
        )
        self.failures = MappingProxyType(by_free_name(self._failed.values(), self.origins))
        self.plugins = MappingProxyType({one.name: one.plugin for one in taken})

    def _tell(self, plugin: Plugin | None) -> None:
        with self._lock:
            followers = list(self._followers)
        for came, changed in followers:
            if plugin is not None:
                came(plugin)
            changed()

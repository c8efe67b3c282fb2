"""Where the data come from, as the flags say: this process, a child of it, or a server somebody runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from attrs import evolve

from insight_core.cli.flag_types import without_token
from insight_core.cli.flags import Options
from insight_core.cli.logdirs import asked, modules_with, without_password
from insight_core.cli.other_program import other_program
from insight_core.cli.policies import cache_policies
from insight_core.cli.storage import cache_directory, open_local
from insight_core.ingest.discover import run_prefixes
from insight_core.ingest.logdir import Logdir, is_remote
from insight_core.plugin import (
    InvalidArgument,
    ProviderSettings,
)
from insight_core.registry import Module, Registry

if TYPE_CHECKING:
    from insight_core.providers.common import StartableProvider

_LOCATIONS = re.compile(r",(?=[A-Za-z][A-Za-z0-9+.-]*:[^0-9])")  # between them; an address may contain commas
_HOOK = "insight_open_provider"
_OPENING = 10.0  # seconds that a module may take to open a location


def open_data(
    options: Options,
    registry: Registry,
    logdirs: Sequence[Logdir],
    accepts_run: Callable[[str], bool] | None = None,
) -> StartableProvider:
    """The provider that the flags ask for, not started yet. Raises InvalidArgument for what cannot be.

    In this process only runs whose names are accepted are read. Of several sources the others are shown while
    some of them are away.
    """
    opened: list[StartableProvider] = []
    names: list[str] = []
    try:
        if logdirs or options.data_provider is None:
            opened.append(_of_logdirs(options, registry, logdirs, accepts_run))
            names += [",".join(without_password(logdir.path) for logdir in logdirs)]
        if options.data_provider is not None:
            settings = _settings(options, registry)
            for location in _LOCATIONS.split(options.data_provider):
                server = _server_at(location, settings, registry)
                flag = options.origin("data_provider")
                opened.append(server or _opened_by_hook(location, flag, settings, registry))
                names.append(without_token(location))
        provider = opened[0]
        if len(opened) > 1:
            from insight_core.providers.merged import MergedProvider  # gRPC is loaded where it is needed

            provider = MergedProvider(opened, names)
    except BaseException:
        for one in opened:
            one.close()
        raise
    registry.follow(provider.admit)
    return provider


def _of_logdirs(
    options: Options,
    registry: Registry,
    logdirs: Sequence[Logdir],
    accepts_run: Callable[[str], bool] | None,
) -> StartableProvider:
    if options.load == "server":
        return _server(options, logdirs)
    policies = cache_policies(options, registry.plugins)

    def open_of(logdirs: Sequence[Logdir]) -> StartableProvider:
        return open_local(options, logdirs, registry, policies, options.reload_interval, accepts_run)

    if options.load == "inprocess":
        return open_of(logdirs)
    for logdir in logdirs:
        if is_remote(logdir.path):
            raise InvalidArgument(
                f"{options.origin('load')} {options.load}: it cannot read {without_password(logdir.path)}; "
                "leave it out, or use --load server"
            )
    named = [
        evolve(logdir, name=prefix or None)
        for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)
    ]
    settings = evolve(
        _settings(options, registry),
        policies=policies,
        logdirs=[(each.name or "", each.path) for each in named],
        open_local=lambda dialects: open_of([evolve(each, dialects=frozenset(dialects)) for each in named]),
    )
    return _opened_by_hook(f"{options.load}:", options.origin("load"), settings, registry)


def _settings(options: Options, registry: Registry) -> ProviderSettings:
    cache = cache_directory(options) if options.cache else None
    from insight_core.providers.scalar_answers import ScalarAnswers

    return ProviderSettings(
        registry.plugins,
        options.reload_interval,
        cache,
        answer_scalars=ScalarAnswers(),
        token_file=options.data_provider_token_file,
        ca_file=options.data_provider_ca,
    )


def _server_at(location: str, settings: ProviderSettings, registry: Registry) -> StartableProvider | None:
    """The provider of a data server; None for other locations. Raises InvalidArgument."""
    from insight_core.providers.locations import credentials_for, is_location, parse_location, require_grpc

    if not is_location(location):
        return None
    server = parse_location(location)
    require_grpc()
    from insight_core.providers.opened_later import OpenedProvider

    other = other_program(registry)
    return OpenedProvider(
        server.address,
        settings.plugins.values(),
        credentials=credentials_for(server, settings.token_file, settings.ca_file),
        interval=settings.reload_interval,
        other_client=None if other is None else other.client,
    )


def _opened_by_hook(
    location: str, flag: str, settings: ProviderSettings, registry: Registry
) -> StartableProvider:
    for module in modules_with(_HOOK, registry):
        provider = _asked(module, location, evolve(settings, options=module.values))
        if provider is not None:
            return provider
    failed = ", ".join(sorted(registry.failures))
    hint = f" (plugins that failed: {failed})" if failed else ""
    raise InvalidArgument(f"{flag}: no plugin opens {location!r}{hint}")


def _asked(module: Module, location: str, settings: ProviderSettings) -> StartableProvider | None:
    answer = asked(module, _HOOK, _OPENING, location=location, settings=settings)
    if answer is None or module.is_of_host:
        return cast("StartableProvider | None", answer)
    from insight_core.providers.guarded import guarded  # most hosts have no provider of others

    return guarded(answer, without_token(location), f"{_HOOK}() of {module.name}")


def ignored_flags(options: Options) -> list[str]:
    """The flags and variables given that say how to load, which is the server's affair."""
    names = (
        "follow_symlinks",
        "fold",
        "samples_per_plugin",
        "cache_preset",
        "cache_dir",
        "cache_size",
        "cache",
        "max_memory",
    )
    given = [options.origin(name) for name in names if name in options.origins]
    return given if options.data_provider is not None and not options.logdir else []


def _server(options: Options, logdirs: Sequence[Logdir]) -> StartableProvider:
    from insight_core.providers.locations import require_grpc

    require_grpc()
    from insight_core.providers.child import PrivateChildLink
    from insight_core.providers.insight_client import InsightProvider

    command = [sys.executable, "-P", "-m", "insight_core.cli.data_server"]
    return InsightProvider(PrivateChildLink([*command, *_server_flags(options, logdirs)]))


def _server_flags(options: Options, logdirs: Sequence[Logdir]) -> list[str]:
    """The flags that concern loading, for the child."""
    flags = [
        f"--logdir={logdir.name}:{logdir.path}" if logdir.name else f"--logdir={logdir.path}"
        for logdir in logdirs
    ]
    flags.append(f"--reload={options.reload_interval:g}" if options.reload_interval else "--reload=once")
    flags += [f"--samples-per-plugin={name}={count}" for name, count in options.samples_per_plugin.items()]
    flags += [f"--disable-plugin={name}" for name in options.disable_plugin]
    flags += [f"--plugin={name}={distribution}" for name, distribution in options.plugin.items()]
    flags += [f"--plugin-file={path}" for path in options.plugin_file]
    if options.cache_preset is not None:
        flags.append(f"--cache-preset={options.cache_preset}")
    if options.cache_dir is not None:
        flags.append(f"--cache-dir={cache_directory(options)}")
    if not options.cache:
        flags.append("--no-cache")
    flags.append("--follow-symlinks" if options.follow_symlinks else "--no-follow-symlinks")
    flags.append("--fold" if options.fold else "--no-fold")
    if options.cache_size is not None:
        flags.append(f"--cache-size={options.cache_size}")
    if options.max_memory is not None:
        flags.append(f"--max-memory={options.max_memory}")
    flags.append(f"--verbosity={options.verbosity}")
    return flags

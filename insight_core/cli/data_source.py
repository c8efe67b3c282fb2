"""Where the data come from, as the flags say: this process, a child of it, or a server somebody runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from insight_core.cli.options import Options
from insight_core.cli.policies import cache_policies
from insight_core.cli.storage import cache_directory, open_local
from insight_core.ingest.discover import Logdir, run_prefixes
from insight_core.plugin import Dialect, InvalidArgument
from insight_core.registry import Registry

if TYPE_CHECKING:  # gRPC is loaded where it is needed
    from insight_core.providers.merged import StartableProvider


def open_data(options: Options, registry: Registry, logdirs: Sequence[Logdir]) -> StartableProvider:
    """The provider that the flags ask for, not started yet. Raises InvalidArgument for what cannot be."""
    provider = _opened(options, registry, logdirs)
    registry.follow(provider.admit)
    return provider


def _opened(options: Options, registry: Registry, logdirs: Sequence[Logdir]) -> StartableProvider:
    if options.data_provider is not None:
        from insight_core.providers.opened_later import OpenedProvider

        return OpenedProvider(
            options.data_provider, registry.plugins.values(), interval=options.reload_interval
        )
    if options.load == "server":
        return _server(options, logdirs)
    if options.load == "rust":
        return _rust(options, registry, logdirs)
    return _in_process(options, registry, logdirs)


def ignored_flags(options: Options) -> list[str]:
    """The flags and variables given that say how to load, which is the server's affair."""
    names = ("samples_per_plugin", "cache_preset", "cache_dir", "cache", "max_memory")
    given = [options.origin(name) for name in names if name in options.origins]
    return given if options.data_provider is not None else []


def _in_process(options: Options, registry: Registry, logdirs: Sequence[Logdir]) -> StartableProvider:
    policies = cache_policies(options, registry.plugins)
    return open_local(options, logdirs, registry.plugins, policies, options.reload_interval)


def _server(options: Options, logdirs: Sequence[Logdir]) -> StartableProvider:
    from insight_core.providers.child import ChildLink
    from insight_core.providers.insight_client import InsightProvider

    command = [sys.executable, "-P", "-m", "insight_core.cli.data_server"]
    return InsightProvider(ChildLink([*command, *_server_flags(options, logdirs)]))


def _server_flags(options: Options, logdirs: Sequence[Logdir]) -> list[str]:
    """The flags that concern loading, for the child."""
    flags = [
        f"--logdir={logdir.name}:{logdir.path}" if logdir.name else f"--logdir={logdir.path}"
        for logdir in logdirs
    ]
    flags.append(f"--reload={options.reload_interval:g}" if options.reload_interval else "--reload=once")
    flags += [f"--samples-per-plugin={name}={count}" for name, count in options.samples_per_plugin.items()]
    flags += [f"--disable-plugin={name}" for name in options.disable_plugin]
    if options.cache_preset is not None:
        flags.append(f"--cache-preset={options.cache_preset}")
    if options.cache_dir is not None:
        flags.append(f"--cache-dir={cache_directory(options)}")
    if not options.cache:
        flags.append("--no-cache")
    if options.max_memory is not None:
        flags.append(f"--max-memory={options.max_memory}")
    flags.append(f"--verbosity={options.verbosity}")
    return flags


def _rust(options: Options, registry: Registry, logdirs: Sequence[Logdir]) -> StartableProvider:
    from insight_core.providers.rust_server import open_rust_servers

    mindspore = [
        evolve(logdir, name=prefix or None, dialects=frozenset({Dialect.MINDSPORE}))
        for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)
    ]
    policies = cache_policies(options, registry.plugins)
    provider = open_local(options, mindspore, registry.plugins, policies, options.reload_interval)
    try:
        return open_rust_servers(logdirs, registry.plugins, policies, options.reload_interval, provider)
    except (ImportError, OSError) as error:
        raise InvalidArgument(f"{options.origin('load')}: {error}") from error

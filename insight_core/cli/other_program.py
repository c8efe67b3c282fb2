"""What a module knows of another program, such as TensorBoard: its plugins, its names, its gRPC service."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.cli.flags import Options
from insight_core.ingest.discover import run_prefixes
from insight_core.ingest.logdir import Logdir, is_remote
from insight_core.own_hooks import Guests, GuestSettings, OtherProgram
from insight_core.plugin.data import DataProvider
from insight_core.registry import Contribution, Registry

_HOOK = "insight_other_program"


def other_program(registry: Registry) -> OtherProgram | None:
    """The first one that a module knows; None without such a module."""
    found = _found(registry)
    return None if found is None else found.value


def open_guests(
    options: Options, data: DataProvider, logdirs: Sequence[Logdir], registry: Registry
) -> Guests | None:
    """The hosted plugins and page of the other program, not started yet; None without such a module."""
    found = _found(registry)
    if found is None:
        return None
    taken = {*registry.plugins, *registry.failures}
    settings = GuestSettings(
        logdirs=[
            (prefix, logdir.path)
            for prefix, logdir in zip(run_prefixes(logdirs), logdirs, strict=True)
            if not is_remote(logdir.path)
        ],
        path_prefix=options.path_prefix,
        window_title=options.window_title,
        host=options.host,
        samples=options.samples_per_plugin,
        reload_interval=options.reload_interval,
        taken=taken,
        known=taken | registry.disabled | registry.pending,
        disabled=options.disable_plugin,
        options=found.module.values,
    )
    guests: Guests = found.value.guests(data, settings)
    return guests


def _found(registry: Registry) -> Contribution | None:
    return next(iter(registry.collected(_HOOK, OtherProgram)), None)

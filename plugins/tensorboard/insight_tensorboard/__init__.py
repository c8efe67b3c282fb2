"""TensorBoard: its plugins and page hosted, its gRPC service for others and as a source, ``--load rust``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable

from insight_core.plugin import Dialect, Option, ProviderSettings, hookimpl
from insight_core.plugin.data import DataProvider
from insight_core.plugin.own import OtherProgram

_RUST = "rust:"  # the location that --load rust opens


def _plugin_flag(text: str) -> str:
    """Checks that the text is a flag with hyphens and its value, quoted as in a shell."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} has an open quotation") from error
    if not words or not words[0].startswith("-"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a flag such as '--name value'")
    return text


@hookimpl
def insight_options() -> Iterable[Option]:
    """Adds ``--plugin-flag``, which passes flags to plugins made for TensorBoard."""
    return [
        Option(
            "plugin-flag",
            "a flag of a plugin made for TensorBoard: --plugin-flag='--greeting hello'; may be repeated",
            type=_plugin_flag,
            metavar="'--NAME VALUE'",
            split=lambda text: [text],
            default=(),
        )
    ]


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> DataProvider | None:
    """Opens ``--load rust``: TensorBoard's data server for each logdir. Raises InvalidArgument."""
    if location != _RUST or settings.open_local is None:
        return None
    from insight_core.plugin.servers import require_grpc

    require_grpc()
    from insight_tensorboard.client.rust_server import open_rust_servers  # gRPC is loaded where it is needed

    return open_rust_servers(settings, settings.open_local({Dialect.MINDSPORE}))


@hookimpl
def insight_other_program() -> OtherProgram:
    """Its plugins and page in this host, and its gRPC service."""
    return OtherProgram(
        guests="insight_tensorboard.hosted.mount:open_guests",
        names="insight_tensorboard.hosted.discovery:names_of_guests",
        claims="insight_tensorboard.view.translation:claims_of",
        services="insight_tensorboard.service:services",
        client="insight_tensorboard.client.provider:open_client",
    )

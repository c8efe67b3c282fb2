"""What the host adds through hooks: ``inspect``, ``plugin ...``, locations of servers, ``--load rust``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, DataProvider, Dialect, InvalidArgument, ProviderSettings, hookimpl

RUST = "rust:"  # the location that --load rust opens
_AUTHORING = {
    "new": "write the package of a new plugin",
    "build": "build the front end of a plugin with npm",
    "dev": "show a plugin without installing it, and again after every save",
    "types": "give a plugin the types and modules of the installed host, after an upgrade",
}


@hookimpl
def insight_commands() -> Iterable[Command]:
    """Adds ``insight-host inspect`` and ``insight-host plugin ...``."""
    text = "load everything once and print runs, tags, points and damage"

    def run(arguments: Sequence[str]) -> int:
        from insight_core.cli.host_flags import INSPECT_FLAGS
        from insight_core.cli.inspect import inspect
        from insight_core.cli.options import read_flags

        return inspect(read_flags("inspect", text, INSPECT_FLAGS, arguments))

    return [Command("inspect", text, run), *(_authoring(*each) for each in _AUTHORING.items())]


def _authoring(name: str, text: str) -> Command:
    def run(arguments: Sequence[str]) -> int:
        from insight_core.cli.authoring.commands import COMMANDS

        return COMMANDS[name](arguments, text)

    return Command(f"plugin {name}", text, run)


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> DataProvider | None:
    """Opens ``grpc://HOST:PORT``, the URL of a host and ``--load rust``; None for others.

    Raises InvalidArgument.
    """
    if location == RUST and settings.open_local is not None:
        from insight_core.providers.rust_server import open_rust_servers  # gRPC is loaded where it is needed

        return open_rust_servers(settings, settings.open_local({Dialect.MINDSPORE}))
    if location.startswith(("http:", "https:")):
        from insight_core.providers.http_client.provider import HttpProvider
        from insight_core.providers.http_client.session import Address

        return HttpProvider(Address.of(location), interval=settings.reload_interval)
    if not location.startswith("grpc:"):
        return None
    address = re.fullmatch(r"grpc://([^/]+:([0-9]{1,5}))", location)
    if address is None:
        raise InvalidArgument(f"{location!r} is not of the form grpc://HOST:PORT")
    if int(address[2]) > 65535:
        raise InvalidArgument(f"{location!r} has a port number above 65535")
    from insight_core.providers.opened_later import OpenedProvider

    return OpenedProvider(address[1], settings.plugins.values(), interval=settings.reload_interval)

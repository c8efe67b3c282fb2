"""What the host adds through hooks: ``inspect``, ``plugin ...``, locations of servers, ``--load rust``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, Dialect, ProviderSettings, hookimpl
from insight_core.plugin.data import DataProvider

INSPECT_HELP = "load everything once and print runs, tags, points and damage"
RUST = "rust:"  # the location that --load rust opens
_AUTHORING = {
    "new": "write the package of a new plugin",
    "build": "build the front end of a plugin with npm",
    "dev": "show a plugin without installing it, and again after every save",
    "check": "build a plugin, load it and check its names, routes, texts and wheel",
    "types": "give a plugin the types and modules of the installed host, after an upgrade",
}


@hookimpl
def insight_commands() -> Iterable[Command]:
    """Adds ``insight-host inspect`` and ``insight-host plugin ...``."""

    def run(arguments: Sequence[str]) -> int:
        from insight_core.cli.flags import INSPECT_FLAGS
        from insight_core.cli.inspect import inspect
        from insight_core.cli.options import read_flags

        return inspect(read_flags("inspect", INSPECT_HELP, INSPECT_FLAGS, arguments))

    return [Command("inspect", INSPECT_HELP, run), *(_authoring(*each) for each in _AUTHORING.items())]


def _authoring(name: str, text: str) -> Command:
    def run(arguments: Sequence[str]) -> int:
        from insight_authoring.commands import COMMANDS

        return COMMANDS[name](arguments, text)

    return Command(f"plugin {name}", text, run)


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> DataProvider | None:
    """Opens locations of data servers, the URL of a host and ``--load rust``; None for others.

    Raises InvalidArgument.
    """
    if location == RUST and settings.open_local is not None:
        from insight_core.providers.rust_server import open_rust_servers  # gRPC is loaded where it is needed

        return open_rust_servers(settings, settings.open_local({Dialect.MINDSPORE}))
    if location.startswith(("http:", "https:")):
        from insight_core.providers.http_client.provider import HttpProvider
        from insight_core.providers.http_client.session import Address
        from insight_core.rpc.tokens import read_token

        token = None if settings.token_file is None else read_token(settings.token_file, "token file")
        address = Address.of(location, token=token, ca_file=settings.ca_file)
        return HttpProvider(address, interval=settings.reload_interval)
    from insight_core.providers.locations import is_location, parse_location

    if not is_location(location):
        return None
    server = parse_location(location)
    from insight_core.providers.credentials import credentials_for
    from insight_core.providers.opened_later import OpenedProvider

    return OpenedProvider(
        server.address,
        settings.plugins.values(),
        credentials=credentials_for(server, settings.token_file, settings.ca_file),
        interval=settings.reload_interval,
    )

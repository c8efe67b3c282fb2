"""Lakes: logs as Delta tables in a bucket or a directory, for teams, engines and any number of hosts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from insight_core.plugin import Command, CommandHost, Messages, ProviderSettings, Unavailable, hookimpl
from insight_core.plugin.data import DataProvider

_PREFIX = "lake:"
_COMMANDS = {
    "build": "write logs into a lake: Delta tables in a directory or on object storage",
    "check": "read every object of a lake, and compare checksums and counts of rows",
    "compact": "join small segments of a lake into large ones",
    "expire": "remove old runs from a lake",
    "files": "print the Parquet files of a table of a lake, for other engines",
    "info": "print what is in a lake",
}


@hookimpl
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """``insight-host lake build`` and the commands that keep a lake in order."""
    return [_command(host, name, text) for name, text in _COMMANDS.items()]


def _command(host: CommandHost, name: str, text: str) -> Command:
    def run(arguments: Sequence[str]) -> int:
        _require_libraries()
        from insight_lake.commands import run_command

        return run_command(host, name, text, arguments)

    return Command(f"lake {name}", text, run)


def _require_libraries() -> None:
    """Raises Unavailable without the extra ``lake``."""
    missing = [name for name in ("deltalake", "obstore", "pyarrow") if find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        are = "are" if len(missing) > 1 else "is"
        raise Unavailable(f"lakes need {names}, which {are} not installed: pip install 'insight-host[lake]'")


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> DataProvider | None:
    """The data of ``lake:DIR`` or ``lake:s3://BUCKET/PREFIX``."""
    if not location.startswith(_PREFIX):
        return None
    _require_libraries()
    from insight_lake.provider import LakeProvider
    from insight_lake.store import LakeStore

    return LakeProvider(LakeStore(location.removeprefix(_PREFIX)), settings)


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The notice of a lake that is away."""
    return Messages.of(Path(__file__).parent / "locales")

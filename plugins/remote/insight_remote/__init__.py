"""Opens logs of other machines: logdirs in object stores, with SSH, in other file systems; running hosts."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import InvalidArgument, Messages, ProviderSettings, RemoteFiles, hookimpl

if TYPE_CHECKING:
    from insight_remote.host_client.provider import HttpProvider
    from insight_remote.mirror.mirrors import Mirrors

OBJECT_STORES = frozenset({"s3", "s3a", "gs", "az", "abfs", "abfss", "azure"})  # schemes
_LIBRARIES = {
    "ssh": "sshfs",
    "sftp": "sshfs",
    "hf": "huggingface_hub",
}  # of file systems, where not in fsspec
_LOCAL = {"file", "local", "http", "https"}  # a logdir without a scheme; the address of a host


@hookimpl
def insight_open_files(location: str) -> RemoteFiles | None:
    """The files of an object store or of a file system that fsspec knows."""
    scheme = location.partition(":")[0].lower()
    if scheme in OBJECT_STORES:
        _need(scheme, "obstore", "insight-host[remote]")
        from insight_remote.object_store import ObjectStoreFiles  # imported only if needed

        return ObjectStoreFiles(location)
    if scheme in _LOCAL:
        return None
    if find_spec("fsspec") is None:
        if scheme in _LIBRARIES:
            _need(scheme, "fsspec", "insight-host[remote]")
        return None
    from insight_remote.file_system import FileSystemFiles, is_known

    if not is_known(scheme):
        return None
    if (library := _LIBRARIES.get(scheme)) is not None:
        _need(scheme, library, "insight-host[remote]" if library == "sshfs" else library)
    return FileSystemFiles(location)


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> HttpProvider | None:
    """Reads a running host, ``http://HOST:PORT/PREFIX/?token=TOKEN``. Raises InvalidArgument."""
    if not location.startswith(("http:", "https:")):
        return None
    from insight_remote.host_client.provider import open_host  # gRPC is loaded where it is needed

    return open_host(location, settings)


@hookimpl
def insight_mirror(cache: Path | None, most_bytes: int, interval: float) -> Mirrors:
    """Mirrors that fetch what is read."""
    from insight_remote.mirror.mirrors import Mirrors

    return Mirrors(cache, most_bytes, interval)


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """What users should know of stores that are away."""
    return Messages.of(Path(__file__).parent / "locales")


def _need(scheme: str, library: str, package: str) -> None:
    if find_spec(library) is None:
        raise InvalidArgument(f"{scheme}:// needs {library}: pip install '{package}'")

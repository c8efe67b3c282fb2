"""Flags, sampling hints and the log directory that plugins made for TensorBoard get."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from insight_tensorboard.hosted.adapter import Refused
from insight_tensorboard.hosted.settings import TensorBoardSettings

EVERY_POINT = 1 << 41  # more points than any series has: the user asked for all
UNSAID = 1 << 40  # as many, unless the answer would be too long for a page: the user said nothing


class SamplingHints(dict[str, int]):
    """How many points of each series a plugin should request: as the user said, else UNSAID.

    ``samples`` 0 means all. TensorBoard's plugins would request no point at all for a hint of 0, although
    its documentation says that 0 means all.
    """

    def __init__(self, samples: Mapping[str, int]) -> None:
        super().__init__({name: count or EVERY_POINT for name, count in samples.items()})

    def get(self, key: str, default: object = None, /) -> int:
        """The hint for a plugin; ``default`` is ignored, because it is for TensorBoard's own server."""
        return super().get(key, UNSAID)

    def __bool__(self) -> bool:
        return True  # plugins say ``sampling_hints or {}``

    def __missing__(self, key: str) -> int:
        return UNSAID


def host_flags(settings: TensorBoardSettings, logdir: str) -> dict[str, Any]:
    """TensorBoard's own flags, with the values of this host."""
    return {
        "logdir": logdir,
        "logdir_spec": "",
        "host": settings.host,
        "bind_all": False,
        "port": None,
        "reuse_port": False,
        "load_fast": "false",
        "extra_data_server_flags": "",
        "grpc_creds_type": "local",
        "grpc_data_provider": "",
        "purge_orphaned_data": True,
        "db": "",
        "db_import": False,
        "inspect": False,
        "version_tb": False,
        "tag": "",
        "event_file": "",
        "path_prefix": settings.path_prefix,
        "window_title": settings.window_title,
        "max_reload_threads": 1,
        "reload_interval": settings.reload_interval,
        "reload_task": "auto",
        "reload_multifile": True,
        "reload_multifile_inactive_secs": -1,
        "generic_data": "true",
        "samples_per_plugin": SamplingHints(settings.samples),
        "detect_file_replacement": None,
    }


class _Parser(argparse.ArgumentParser):
    """The parser of one plugin: flags of plugins cannot collide, and errors never end the process."""

    def error(self, message: str) -> NoReturn:
        raise Refused(f"its flags do not fit: {message}; set them with --plugin-flag='--name value'")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Refused(f"its flags end the program: {message or status}")


def plugin_flags(
    loader: object, host: Mapping[str, Any], words: Sequence[str] = ()
) -> tuple[argparse.Namespace, Collection[str]]:
    """The flags of the host and of a loader, and the flags among ``words`` that the loader does not define.

    ``words`` are the user's flags for all plugins. Raises Refused.
    """
    flags = argparse.Namespace(**host)
    define, fix = getattr(loader, "define_flags", None), getattr(loader, "fix_flags", None)
    rest = list(words)
    if define is not None:
        parser = _Parser(prog="insight-host", add_help=False, allow_abbrev=False)
        define(parser)
        _, rest = parser.parse_known_args(rest, flags)
    if fix is not None:
        fix(flags)
    return flags, {word for word in rest if word.startswith("-")}


class LogdirForPlugins:
    """The ``logdir`` of plugins that read files themselves.

    Several log directories become one directory of symbolic links, each named by the prefix of its runs:
    a path below it is the name of a run. As in TensorBoard, the path is empty if the data are elsewhere.
    """

    def __init__(self, logdirs: Sequence[tuple[str, str]]) -> None:
        self._links: tempfile.TemporaryDirectory[str] | None = None
        self.path = ""
        if len(logdirs) == 1 and not logdirs[0][0]:
            self.path = os.path.abspath(logdirs[0][1])
        elif logdirs:
            self._links = tempfile.TemporaryDirectory(prefix="insight-host-", ignore_cleanup_errors=True)
            self.path = self._links.name
            for name, path in logdirs:
                link = Path(self.path, name)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(os.path.abspath(path), target_is_directory=True)

    def close(self) -> None:
        """Deletes the directory of links."""
        if self._links is not None:
            self._links.cleanup()

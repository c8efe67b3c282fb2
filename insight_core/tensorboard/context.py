"""What a plugin of TensorBoard is told when it is made: flags, and the TBContext."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from insight_core.tensorboard.adapter import Refused
from insight_core.tensorboard.settings import StockSettings

EVERY_POINT = 1 << 41  # points of a series: more than any has
UNSAID = 1 << 40  # as well, but for answers that would be too long for a page


class SamplingHints(dict[str, int]):
    """Points that a plugin is to ask for of each series: what the user said, else UNSAID.

    TensorBoard's plugins ask for no point at all where the hint is 0, which its own documentation
    says is all.
    """

    def __init__(self, samples: Mapping[str, int]) -> None:
        super().__init__({name: count or EVERY_POINT for name, count in samples.items()})

    def get(self, key: str, default: object = None, /) -> int:
        return super().get(key, UNSAID)

    def __bool__(self) -> bool:
        return True  # plugins say ``sampling_hints or {}``

    def __missing__(self, key: str) -> int:
        return UNSAID


def host_flags(settings: StockSettings, logdir: str) -> dict[str, Any]:
    """TensorBoard's own flags as they would be set for this host."""
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
    """Of one plugin: it cannot collide with that of another, and never ends the process."""

    def error(self, message: str) -> NoReturn:
        raise Refused(f"its flags do not fit: {message}; set them with --plugin-flag='--name value'")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Refused(f"its flags end the program: {message or status}")


def plugin_flags(
    loader: object, host: Mapping[str, Any], words: Sequence[str] = ()
) -> tuple[argparse.Namespace, Collection[str]]:
    """The flags of the host and those that a loader defines, if it does; and the flags that it does not know.

    ``words`` are flags of plugins as the user gave them, of whichever plugin they are. Raises Refused.
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
    """The one directory that plugins may read for themselves.

    Of several log directories, one of symbolic links to them, each named as its runs begin: a path
    below it is the name of the run. Empty where the data are not on this machine, as in TensorBoard.
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
        if self._links is not None:
            self._links.cleanup()

"""``insight-host cache info`` and ``cache clear``: reports and deletes the index and plugin caches."""

from __future__ import annotations

import json
import os
import shutil
from datetime import datetime
from pathlib import Path

from insight_core.cli.flags import Options
from insight_core.cli.storage import cache_directory
from insight_core.cli.terminal import megabytes, open_terminal
from insight_core.cli.text_table import printable
from insight_core.ingest.index.upkeep import clear, contents
from insight_core.plugin import InsightError


def info(options: Options) -> int:
    """Prints size and location of the cache, as text or JSON. Returns the exit status."""
    open_terminal(options.verbosity)
    directory = cache_directory(options)
    held, by_plugin = contents(directory), _kept_by_plugins(directory)
    oldest = None if held.oldest_use is None else datetime.fromtimestamp(held.oldest_use).astimezone()
    if options.json:
        report = {
            "directory": printable(str(directory)),
            "entries": held.entries,
            "bytes": held.bytes,
            "existing": held.existing,
            "unusable": held.unusable,
            "oldest_use": None if oldest is None else oldest.isoformat(timespec="seconds"),
            "plugins": by_plugin,
        }
        print(json.dumps(report, indent=2))
        return 0
    print(f"directory    {printable(str(directory))}")
    print(f"entries      {held.entries}, {held.existing} of them of event files that exist")
    if held.unusable:
        print(f"unusable     {held.unusable} (damaged, or of another version)")
    print(f"size         {megabytes(held.bytes)}")
    if oldest is not None:
        print(f"oldest use   {oldest:%Y-%m-%d %H:%M}")
    if by_plugin:
        print(f"of plugins   {', '.join(f'{name} {megabytes(size)}' for name, size in by_plugin.items())}")
    return 0


def delete(options: Options) -> int:
    """Deletes the cache. Returns the exit status; raises InsightError if a file cannot be removed."""
    open_terminal(options.verbosity)
    directory = cache_directory(options)
    try:
        removed = clear(directory)
        removed.bytes += _clear_plugin_caches(directory)
    except OSError as error:
        raise InsightError(
            f"{printable(str(error.filename))} cannot be removed: {error.strerror or error}"
        ) from error
    if options.json:
        report = {"directory": printable(str(directory)), "entries": removed.entries, "bytes": removed.bytes}
        print(json.dumps(report))
    else:
        size = megabytes(removed.bytes)
        print(f"removed {removed.entries} entries, {size}, from {printable(str(directory))}")
    return 0


def _kept_by_plugins(directory: Path) -> dict[str, int]:
    """Bytes by plugin, without plugins that keep nothing."""
    found = {}
    try:
        places = sorted((directory / "plugins").iterdir())
    except OSError:
        return {}
    for place in places:
        size = sum(_size(Path(root, name)) for root, _, names in os.walk(place) for name in names)
        if size:
            found[place.name] = size
    return found


def _clear_plugin_caches(directory: Path) -> int:
    """Deletes all files of plugins; returns their bytes. Raises OSError."""
    size = sum(_kept_by_plugins(directory).values())
    place = directory / "plugins"
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    return size


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # gone meanwhile
        return 0

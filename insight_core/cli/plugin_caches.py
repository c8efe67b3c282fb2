"""Measures and deletes the files of plugins in the cache directory (PluginContext.cache_directory)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def kept_by_plugins(directory: Path) -> dict[str, int]:
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


def clear_plugin_caches(directory: Path) -> int:
    """Deletes all files of plugins; returns their bytes. Raises OSError."""
    size = sum(kept_by_plugins(directory).values())
    place = directory / "plugins"
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    return size


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # gone meanwhile
        return 0

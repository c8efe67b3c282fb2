"""``--plugin-file``: plugins in one Python file each, which need no package."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

from insight_core.plugin import InvalidArgument
from insight_core.registry.modules import Candidate, Origin


def plugin_files(paths: Iterable[str]) -> list[Candidate]:
    """The modules in these files, each once. Raises InvalidArgument if two have one name."""
    by_name: dict[str, str] = {}
    for path in paths:
        other = by_name.setdefault(Path(path).stem, path)
        if other != path:
            raise InvalidArgument(f"{path} and {other} are modules of one name: rename one")
    return [
        Candidate(name, Origin(path), partial(_module_of, name, path), is_file=True)
        for name, path in by_name.items()
    ]


def _module_of(name: str, path: str) -> object:
    """Imports the file under its name, so that functions in it have the name ``file:function``.

    Its directory is the last on the path: the file can import others there, and workers can import the file.
    """
    place = str(Path(path).parent)
    if place not in sys.path:
        sys.path.append(place)
    found = find_spec(name)
    if found is not None and not (found.origin and Path(found.origin).resolve() == Path(path).resolve()):
        raise InvalidArgument(f"{name} is also the name of a module in {found.origin}: rename {path}")
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

"""The compiled modules: what to do where one is missing, and what they use."""

from __future__ import annotations

import importlib.util


class NotCompiled(ImportError):
    """A compiled module is missing: its text says what to install or build."""

    def __init__(self, module: str) -> None:
        super().__init__(
            f"{module} is not compiled: install a wheel of insight-host for this machine and version of "
            "Python, or a C compiler, and build it (pip install, or python hatch_build.py in a checkout)",
            name=module,
        )


_KERNEL = "insight_core.ingest.scanner._kernel"


def _is_there(module: str) -> bool:
    """Whether a module can be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ValueError:  # an import of it has failed
        return False


def require(module: str) -> None:
    """Says at a start what a request would, which imports the module. Raises NotCompiled."""
    if not _is_there(module):
        raise NotCompiled(module)


def kernel_name() -> str:
    """The name of the scanner in use, for ``--version``; without one, what to do about it."""
    if not _is_there(_KERNEL):
        return str(NotCompiled(_KERNEL))
    try:
        from insight_record.formats import _crc32c
    except ImportError:
        return "compiled, with checksums in numpy"
    return f"compiled, {_crc32c.name}"

"""The compiled modules: what to do where one is missing, and what they use."""

from __future__ import annotations


class NotCompiled(ImportError):
    """A compiled module is missing: its text says what to install or build."""

    def __init__(self, module: str) -> None:
        super().__init__(
            f"{module} is not compiled: install a wheel of insight-host for this machine and version of "
            "Python, or a C compiler, and build it (pip install, or python hatch_build.py in a checkout)",
            name=module,
        )


def kernel_name() -> str:
    """The name of the scanner in use, for ``--version``; without one, what to do about it."""
    try:
        from insight_core.ingest.scanner import _kernel  # noqa: F401
    except ImportError:
        return str(NotCompiled("insight_core.ingest.scanner._kernel"))
    try:
        from insight_record.formats import _crc32c
    except ImportError:
        return "compiled, with checksums in numpy"
    return f"compiled, {_crc32c.name}"

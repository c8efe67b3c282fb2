"""Whether the libraries of the extra ``lake`` are installed. Imports none of them."""

from __future__ import annotations

from importlib.util import find_spec

from insight_core.plugin import Unavailable


def require_libraries() -> None:
    """Raises Unavailable without the extra ``lake``."""
    missing = [name for name in ("deltalake", "obstore", "pyarrow") if find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        are = "are" if len(missing) > 1 else "is"
        text = f"lakes need {names}, which {are} not installed: pip install 'insight-host[lake]'"
        raise Unavailable(text)

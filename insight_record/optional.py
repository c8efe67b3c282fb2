"""Imports packages that only some values need."""

from __future__ import annotations

import importlib
from typing import Any


def needed(module: str, package: str, purpose: str) -> Any:  # noqa: ANN401
    """The module. Raises ModuleNotFoundError that says what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise
        text = f"{purpose} needs {package}: pip install {package}"
        raise ModuleNotFoundError(text, name=error.name) from None

"""The logging of absl, which is that of Python with a handler of its own."""

from __future__ import annotations

from logging import basicConfig
from logging import debug as debug
from logging import error as error
from logging import exception as exception
from logging import info as info
from logging import warning as warning


def use_absl_handler() -> None:
    """Has messages go to stderr where nobody has said otherwise."""
    basicConfig()

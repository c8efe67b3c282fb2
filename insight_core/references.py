"""Fields that take a function, or its name, from which it is imported at its first call."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from attrs import Attribute, field, frozen

_FORM = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def _check_form(_: Reference, attribute: Attribute[str], text: str) -> None:
    if not _FORM.fullmatch(text):
        raise ValueError(f"{text!r} does not name a function: write 'package.module:name'")


@frozen
class Reference:
    """A function named as ``package.module:name``. Calling it imports the module; equal by text."""

    text: str = field(validator=_check_form)

    def resolve(self) -> Callable[..., Any]:
        """The function. Raises ImportError, AttributeError if it does not exist, TypeError if it is none."""
        module, _, name = self.text.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), name)
        if not callable(found):
            raise TypeError(f"{self.text} is a {type(found).__name__}, not a function")
        return found

    def __call__(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        return self.resolve()(*arguments, **named)


def reference(target: Callable[..., Any] | str) -> Callable[..., Any]:
    """Converts a field that takes a function or its name, ``package.module:name``."""
    return Reference(target) if isinstance(target, str) else target


def name_of(function: Callable[..., Any]) -> str:
    """The name by which another process finds a function, ``package.module:name``.

    Raises ValueError for one that is not in a module under its own name, such as a lambda.
    """
    if isinstance(function, Reference):
        return function.text
    module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
    if getattr(sys.modules.get(module), name, None) is not function:
        raise ValueError(
            f"{name or function!r} is not a function of a module, which another process can call"
        )
    return f"{module}:{name}"

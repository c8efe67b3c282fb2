"""Texts for users with a code and details, from which the page has them in the user's language."""

from __future__ import annotations

import errno
import json
import os
import string
from collections.abc import Mapping

from insight_record.formats.json_text import encode_json

_END = "\0"  # between the text and the JSON of a stored reason; the JSON never contains it


class Reason(str):
    """Why something failed: a text in English that also has a code.

    Use it wherever the plugin API takes or raises a text that users read: as the ``reason`` of a ``Flaw``, as
    the argument of the ``ValueError`` of a decoder, or in an answer (``fields``). As a ``str`` it is
    its text.

    Parameters
    ----------
    text : str
        For the user, in English.
    code : str
        A word for programs. The page takes the text of ``reason.<code>`` in the user's language from the
        messages of the tab, or, for damage, from the hook ``insight_messages``. That of a plugin begins
        with its name.
    **details
        JSON values that the text names; a Reason as well, such as the cause.

    See Also
    --------
    ReasonKind : says the text and the names of its details once, for a text that has details.
    """

    __slots__ = ("code", "details")
    code: str
    details: Mapping[str, object]

    def __new__(cls, text: str = "", code: str = "", /, **details: object) -> Reason:
        self = super().__new__(cls, text)
        self.code, self.details = code, details
        return self

    @classmethod
    def of(cls, cause: object) -> Reason:
        """Returns the reason that an error was raised with, or one that has a text only.

        An error with a ``code`` and ``details`` (``InsightError``) has them.
        """
        if isinstance(cause, BaseException):
            if isinstance(code := getattr(cause, "code", None), str) and hasattr(cause, "details"):
                return cls(str(cause), code, **cause.details)
            cause = cause.args[0] if len(cause.args) == 1 else str(cause)
        return cause if isinstance(cause, Reason) else cls(str(cause))

    def fields(self, name: str = "error") -> dict[str, object]:
        """For an answer: the text as ``name``, and ``code`` and ``details`` if there are any."""
        found: dict[str, object] = {name: str(self)}
        if self.code:
            found["code"] = self.code
        if self.code and self.details:
            found["details"] = json_details(self.details)
        return found

    def stored(self) -> str:
        """Writes text, code and details into one text, which ``restored`` reads."""
        known = self.fields()
        text = str(known.pop("error"))
        return f"{text}{_END}{encode_json(known).decode()}" if known or _END in text else text

    @classmethod
    def restored(cls, stored: str) -> Reason:
        """Reads a text that ``stored`` wrote. Raises ValueError for any other text."""
        text, end, known = stored.rpartition(_END)
        if not end:
            return cls(stored)
        match json.loads(known):
            case {"code": str(code), **rest} if isinstance(details := rest.get("details", {}), dict):
                return cls(text, code, **details)
            case {**rest} if not rest:
                return cls(text)
        raise ValueError(f"not a stored reason: {known:.100}")


class ReasonKind:
    """Makes the reasons of one code: called with the details, it returns the ``Reason``.

    ``SAW = ReasonKind("calextra_saw", "{tag}: error {ece} at step {step}")`` is called as
    ``SAW(tag=tag, ece=ece, step=step)``.

    Parameters
    ----------
    code : str
        As that of a ``Reason``.
    text : str
        In English, with ``{name}`` for each detail, as ``str.format`` has it: ``{size:,}``, ``{tag!r}``.
    *unsaid : str
        Details that the text does not name, for other languages and for programs.

    Raises
    ------
    ValueError
        A text that is malformed, or has a place without a plain name.
    """

    __slots__ = ("code", "names", "text")

    def __init__(self, code: str, text: str, /, *unsaid: str) -> None:
        self.code, self.text = code, text
        self.names = frozenset(unsaid).union(_names_in(text))

    def __call__(self, /, **details: object) -> Reason:
        """The reason with these details. Raises TypeError if one is missing or the kind does not have it."""
        if details.keys() != self.names:
            wrong = (("missing", self.names - details.keys()), ("unknown", details.keys() - self.names))
            parts = [f"{', '.join(sorted(names))} ({word})" for word, names in wrong if names]
            raise TypeError(f"wrong details of the reason {self.code}: {', '.join(parts)}")
        return Reason(self.text.format_map(details), self.code, **details)

    def __repr__(self) -> str:
        return f"ReasonKind({self.code!r}, {self.text!r})"


def _names_in(text: str) -> set[str]:
    """The names of the details that a text has places for, in the format of a place as well."""
    names: set[str] = set()
    for _, name, form, _ in string.Formatter().parse(text):
        if name is None:
            continue
        if not name.isidentifier():
            raise ValueError(f"{{{name}}} in {text!r} is not the name of a detail")
        names |= {name, *_names_in(form or "")}
    return names


def system_reason(error: OSError) -> Reason:
    """Why the system refused something. Each of its errors has a code, such as ``system_eacces``."""
    name = errno.errorcode.get(error.errno or 0, "")
    if name and error.strerror == os.strerror(error.errno or 0):
        return Reason(error.strerror, f"system_{name.lower()}")
    return Reason(error.strerror) if error.strerror else Reason.of(error)


def json_details(details: Mapping[str, object]) -> dict[str, object]:
    """Details as JSON values: a Reason among them as its fields, or its text if it has no code.

    A value that JSON cannot hold becomes its text: the mistake of a plugin must not cost a list of damage.
    """
    return {name: _json_value(value) for name, value in details.items()}


def _json_value(value: object) -> object:
    if isinstance(value, Reason):
        return value.fields() if value.code else str(value)
    try:
        encode_json(value)
    except (TypeError, ValueError, RecursionError):
        return str(value)
    return value

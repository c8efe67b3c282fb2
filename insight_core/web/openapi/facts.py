"""What is known of a view: its parameters, the media types of its answers, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import define, field
from werkzeug import Response

from insight_core import own_page
from insight_core.plugin import InsightError
from insight_core.plugin.http import answers, csv_text, parameters
from insight_core.web.answers import json_answer

Schema: TypeAlias = dict[str, Any]
Arguments: TypeAlias = Mapping[str, Any]  # of a call, by name; those whose value is not known are missing

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
_JSON, _BYTES, _ANY = "application/json", "application/octet-stream", "*/*"


@define
class Parameter:
    """A parameter of the query, or a header. ``schemas``: one for each way in which the view reads it."""

    name: str
    where: str = "query"
    is_required: bool = False
    schemas: list[Schema] = field(factory=list)

    @property
    def schema(self) -> Schema:
        """What a value has to be. A parameter that may come more than once is a list."""
        if TEXTS in self.schemas:
            return TEXTS
        return (self.schemas or [TEXT])[0] if len(self.schemas) < 2 else {"anyOf": self.schemas}


@define
class ViewFacts:
    """What the source of a view says; codes of errors by status."""

    parameters: dict[tuple[str, str], Parameter] = field(factory=dict)
    media_types: set[str] = field(factory=set)
    errors: dict[int, set[str]] = field(factory=dict)
    statuses: set[int] = field(factory=lambda: {200})
    has_body: bool = False  # a JSON object

    def read(
        self, name: str, schema: Schema | None = None, *, required: bool = False, where: str = "query"
    ) -> None:
        """Notes that the view reads a parameter; without a ``schema``, that it asks whether it is there."""
        found = self.parameters.setdefault((where, name), Parameter(name, where))
        found.is_required |= required
        if schema is not None and schema not in found.schemas:
            found.schemas.append(schema)

    def raises(self, error: type[InsightError], code: str | None) -> None:
        """Notes an error that the view may answer."""
        self.errors.setdefault(error.status, set()).add(code or error.code)


def _choice(known: Arguments) -> Schema:
    allowed = known.get("allowed")
    return {**TEXT, "enum": list(allowed), "default": allowed[0]} if isinstance(allowed, Sequence) else TEXT


def _number(known: Arguments) -> Schema:
    return {"type": "number"}


def _whole(known: Arguments) -> Schema:
    bounds = {"low": "minimum", "high": "maximum", "default": "default"}
    numbers = {word: known[name] for name, word in bounds.items() if isinstance(known.get(name), int)}
    return {"type": "integer", **numbers}


# Readers of one parameter, with what its value has to be, and whether it has to be given.
READERS: dict[Callable[..., Any], tuple[Callable[[Arguments], Schema], bool]] = {
    parameters.choice: (_choice, False),
    parameters.number: (_number, False),
    parameters.required_number: (_number, True),
    parameters.whole_number: (_whole, False),
    parameters.required_whole_number: (_whole, True),
    parameters.required_text: (lambda known: TEXT, True),
}


def _named(name: str) -> Callable[[Arguments], str]:
    return lambda known: str(known.get(name) or _ANY).partition(";")[0]


# Functions that make an answer, with its media type.
ANSWERS: dict[Callable[..., Any], Callable[[Arguments], str]] = {
    json_answer: lambda known: _JSON,
    answers.json_response: lambda known: _JSON,
    answers.safetensors_response: lambda known: _BYTES,
    csv_text.csv_response: lambda known: "text/csv",
    answers.bytes_response: _named("mimetype"),
    answers.streamed_response: _named("content_type"),
    Response: lambda known: str(known.get("mimetype") or known.get("content_type") or _ANY).partition(";")[0],
}
BODY_OF = own_page.body_of

"""A tool: its definition as agents see it, and which arguments it accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from insight_core.plugin import InvalidArgument, PluginContext
from insight_mcp.answers import LEAST, MOST, USUAL, Page, ToolAnswer

Arguments = Mapping[str, Any]  # checked: of the types of the schema, without those that are missing

_LONGEST_TEXT = 20_000  # characters
_MOST_TEXTS = 1000
_TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "array": list,
}
_ARTICLES = {"array": "a list of strings", "integer": "an integer"}
_PAGE: Mapping[str, Mapping[str, Any]] = {"budget": {"type": "integer"}, "cursor": {"type": "string"}}


@frozen(eq=False)
class Tool:
    """A tool: ``call`` gets the context and checked arguments. ``properties`` are a JSON Schema."""

    name: str
    text: str
    properties: Mapping[str, Mapping[str, Any]]
    call: Callable[[PluginContext, Arguments], ToolAnswer]
    required: tuple[str, ...] = ()

    @property
    def schema(self) -> Mapping[str, Mapping[str, Any]]:
        """The properties with those of pages."""
        return {**self.properties, **_PAGE}

    def described(self) -> dict[str, Any]:
        """The definition for ``tools/list``."""
        schema: dict[str, Any] = {"type": "object", "properties": self.schema}
        if self.required:
            schema["required"] = list(self.required)
        return {
            "name": self.name,
            "description": self.text,
            "inputSchema": schema,
            "annotations": {"readOnlyHint": True},
        }

    def checked(self, given: object) -> tuple[Arguments, Page]:
        """The arguments, and the page that is asked for. Raises InvalidArgument."""
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise InvalidArgument("the arguments must be an object")
        schema = self.schema
        if given.keys() - schema.keys():
            raise InvalidArgument(f"unknown argument; {self.name} has: {', '.join(schema)}")
        for name, value in given.items():
            _check(name, value, schema[name]["type"])
        for name in self.required:
            if not given.get(name):
                raise InvalidArgument(f"{name} is missing")
        arguments = {name: value for name, value in given.items() if name not in _PAGE}
        budget = given.get("budget", USUAL)
        return arguments, Page(min(max(budget, LEAST), MOST), given.get("cursor"), arguments)


def _check(name: str, value: object, kind: str) -> None:
    is_right = isinstance(value, _TYPES[kind]) and not isinstance(value, bool)
    if kind == "array" and is_right:
        assert isinstance(value, list)
        if len(value) > _MOST_TEXTS:
            raise InvalidArgument(f"{name} must have at most {_MOST_TEXTS} names: use /expressions/")
        is_right = all(isinstance(text, str) and len(text) <= _LONGEST_TEXT for text in value)
    if not is_right:
        raise InvalidArgument(f"{name} must be {_ARTICLES.get(kind, f'a {kind}')}")
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        raise InvalidArgument(f"{name} must have at most {_LONGEST_TEXT} characters")
    if isinstance(value, int) and not -(1 << 62) < value < 1 << 62:
        raise InvalidArgument(f"{name} is out of range")

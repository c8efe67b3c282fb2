"""Reads YAML of others as PyYAML's safe loader reads it, with limits.

A value that cannot be made, such as a date in month 13 or a program's object, is its text, list or mapping
as it stands: it does not cost the rest of the file.
"""

from __future__ import annotations

from typing import Any

import yaml

from insight_record.formats.reason import Reason, ReasonKind

_DEEPEST = 100  # lists and mappings
_MOST = 200_000  # values, those of an alias counted each time
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, unless PyYAML was built without it
_MERGE = "tag:yaml.org,2002:merge"
_TOO_DEEP = Reason("it is nested too deeply", "yaml_too_deep")
_NO_YAML_LINE = ReasonKind("yaml_line", "it is not valid YAML (line {line})")
_YAML_LARGE = ReasonKind("yaml_large", "it has more than {most:,} values")


def yaml_value(data: bytes) -> Any:  # noqa: ANN401 - any value
    """The value of a text in YAML; dates are texts, and keys of mappings are, too.

    Raises ValueError for a text that is not YAML, is nested too deeply, or has too many values.
    """
    text = data.decode("utf-8", "replace")
    try:
        _check_depth(text)
        loader = _LOADER(text)
        try:
            node = loader.get_single_node()
            return None if node is None else _Values(loader).of(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark is None:
            raise ValueError(Reason("it is not valid YAML", "yaml")) from None
        line = mark.line + 1
        raise ValueError(_NO_YAML_LINE(line=line)) from None


def _check_depth(text: str) -> None:
    """Before the nodes are made: that is done recursively."""
    depth = 0
    for event in yaml.parse(text, _LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise ValueError(_TOO_DEEP)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Values:
    """Makes values of nodes, and counts them."""

    def __init__(self, loader: Any) -> None:  # noqa: ANN401
        self._loader = loader
        self._count = 0
        self._within: set[int] = set()  # nodes that are being made

    def of(self, node: yaml.Node) -> Any:  # noqa: ANN401
        """The value of a node. Raises ValueError beyond the limits."""
        self._count += 1
        if self._count > _MOST:
            raise ValueError(_YAML_LARGE(most=_MOST))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._within or len(self._within) >= _DEEPEST:  # an alias may lead back
            raise ValueError(_TOO_DEEP)
        self._within.add(id(node))
        value = (
            self._mapping(node) if isinstance(node, yaml.MappingNode) else [self.of(x) for x in node.value]
        )
        self._within.discard(id(node))
        return value

    def _scalar(self, node: yaml.ScalarNode) -> Any:  # noqa: ANN401
        if node.tag not in self._loader.yaml_constructors:
            return node.value
        try:
            value = self._loader.construct_object(node)
        except (ValueError, KeyError, IndexError, OverflowError, yaml.YAMLError):
            return node.value
        plain = value is None or isinstance(value, (str, bool, int, float))
        return value if plain else node.value

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag == _MERGE:
                one = self.of(value)
                for part in reversed(one if isinstance(one, list) else [one]):
                    merged |= part if isinstance(part, dict) else {}
            else:
                name = key.value if isinstance(key, yaml.ScalarNode) else str(self.of(key))
                found[name] = self.of(value)
        return merged | found

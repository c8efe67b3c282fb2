"""Answers questions about counts and extremes of points from the table ``summaries``, without the points.

DuckDB gives the tree of a query and takes it back as a text. Where the tree has nothing but the names of runs
and tags, and counts and extremes of steps and values, ``scalars`` becomes ``summaries``, and ``min(value)``
``min(least)``. Any other question is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import duckdb

_POINTS, _SUMMARIES = "scalars", "summaries"
_OF_POINTS = frozenset(("step", "wall_time", "value"))
_LABELS = frozenset(("run", "tag"))
_EXTREMES = {
    ("min", "value"): "least",
    ("max", "value"): "greatest",
    ("min", "step"): "first_step",
    ("max", "step"): "last_step",
}
_OF_SUMMARIES = frozenset(("points", *_EXTREMES.values()))
_COUNTS = frozenset(("count", "count_star"))
_FUNCTIONS = frozenset(
    (
        *("lower", "upper", "concat", "length", "replace", "substring", "split_part", "string_split"),
        *("starts_with", "ends_with", "contains", "prefix", "suffix", "regexp_matches", "regexp_extract"),
        *("regexp_replace", "array_extract", "like_escape", "ilike_escape", "round", "coalesce"),
    )
)
_KEPT = frozenset(
    ("CONSTANT", "COMPARISON", "CONJUNCTION", "CAST", "CASE", "OPERATOR", "BETWEEN", "COLUMN_REF", "FUNCTION")
)


class _NeedsPoints(Exception):
    """A part of a query is about the points themselves."""


def summarised(connection: Any, found: Any, sql: str) -> Any:  # noqa: ANN401
    """The rows and columns of ``found``, the relation of a query, from summaries where these have them."""
    try:
        tree = json.loads(_value(connection, "select json_serialize_sql(?)", sql))
        [statement] = tree["statements"]
        count = json.loads(
            _value(connection, "select json_serialize_sql(?)", "select coalesce(sum(points), 0)::bigint")
        )
        _Rewriting(count["statements"][0]["node"]["select_list"][0]).select(statement["node"])
        shorter = connection.sql(_value(connection, "select json_deserialize_sql(?)", json.dumps(tree)))
    except (duckdb.Error, _NeedsPoints, KeyError, IndexError, TypeError, ValueError):
        return found
    names = [name.replace('"', '""') for name in found.columns]  # min(least) is called min(value)
    return shorter.project(", ".join(f'#{place} as "{name}"' for place, name in enumerate(names, 1)))


def _value(connection: Any, sql: str, text: str) -> str:  # noqa: ANN401
    return str(connection.execute(sql, [text]).fetchall()[0][0])


class _Rewriting:
    """Changes the tree of a query. Raises _NeedsPoints, and others for a tree of another form."""

    def __init__(self, count: Any) -> None:  # noqa: ANN401
        self._count = count
        self._names: set[str] = set()  # of the table
        self._aliases: set[str] = set()  # of columns of the answer
        self._is_grouped = False

    def select(self, node: Any) -> None:  # noqa: ANN401
        """The query itself."""
        table = node["from_table"]
        others = [table.get("schema_name"), table.get("catalog_name"), table.get("sample")]
        others += [table.get("at_clause"), table.get("column_name_alias"), node["cte_map"]["map"]]
        others += [node.get("sample"), node.get("qualify")]
        is_plain = node["type"] == "SELECT_NODE" and table["type"] == "BASE_TABLE" and not any(others)
        if not is_plain or table["table_name"].lower() != _POINTS:
            raise _NeedsPoints
        self._names = {(table["alias"] or _POINTS).lower()}
        self._aliases = {one["alias"].lower() for one in node["select_list"] if one.get("alias")}
        self._is_grouped = bool(node["group_expressions"]) or node["aggregate_handling"] == "FORCE_AGGREGATES"
        for name in ("where_clause", "group_expressions", "having", "select_list", "modifiers"):
            node[name] = self._walked(node[name])
        if not self._is_grouped:  # a row for each point
            raise _NeedsPoints
        renamed = {"table_name": _SUMMARIES, "alias": table["alias"] or _POINTS}
        path = {"qualified_name": {"path": [_SUMMARIES]}} if "qualified_name" in table else {}
        table.update(renamed | path)

    def _walked(self, node: Any) -> Any:  # noqa: ANN401
        if isinstance(node, list):
            return [self._walked(one) for one in node]
        if not isinstance(node, dict):
            return node
        kind = node.get("class")
        if "null_order" in node and node["expression"]["class"] == "STAR":  # order by all
            return node
        if kind is not None and kind not in _KEPT:
            raise _NeedsPoints
        if kind == "COLUMN_REF":
            return self._label(node)
        if kind == "FUNCTION":
            return self._function(node)
        self._is_grouped |= node.get("type") == "DISTINCT_MODIFIER"
        return {name: self._walked(value) for name, value in node.items()}

    def _label(self, node: Any) -> Any:  # noqa: ANN401
        *table, name = [part.lower() for part in node["column_names"]]
        is_alias = not table and name in self._aliases - _OF_POINTS - _OF_SUMMARIES
        if not is_alias and (name not in _LABELS or any(part not in self._names for part in table)):
            raise _NeedsPoints
        return node

    def _function(self, node: Any) -> Any:  # noqa: ANN401
        name, arguments = node["function_name"].lower(), _arguments(node)
        column = _column(arguments)
        is_changed = bool(node["filter"] or node["order_bys"]["orders"] or node["distinct"])
        if name in _COUNTS and not is_changed and (not arguments or column in _OF_POINTS | _LABELS):
            self._is_grouped = True
            return {**self._count, "alias": node["alias"]}
        if name in ("min", "max", *_COUNTS) and column in _LABELS and not node["filter"]:
            self._is_grouped = True
        elif (other := _EXTREMES.get((name, column))) is not None and not node["filter"]:
            self._is_grouped = True
            arguments[0]["column_names"] = [other]
            return node
        elif is_changed or not (node["is_operator"] or name in _FUNCTIONS):
            raise _NeedsPoints
        return {key: self._walked(value) for key, value in node.items()}


def _arguments(node: Any) -> list[Any]:  # noqa: ANN401
    """The expressions that a function gets, which newer DuckDB wraps with names."""
    found = node.get("arguments", node.get("children"))
    return [one["expression"] if "class" not in one else one for one in found]


def _column(arguments: Sequence[Any]) -> str:
    """The column that is the one argument, or nothing."""
    if len(arguments) != 1 or arguments[0]["class"] != "COLUMN_REF":
        return ""
    return str(arguments[0]["column_names"][-1]).lower()

"""Pages of answers: every row once, within the budget of tokens, however the logs change."""

from __future__ import annotations

import re
from typing import Any

import pytest
from insight_mcp.answers import LoggedRows, Page, ToolAnswer, tokens_of
from insight_mcp.definitions import Tool
from insight_mcp.toolbox import BY_NAME, TOOLS
from insight_mcp.tools.catalogue import chosen, in_order

from insight_core.plugin import InvalidArgument, encode_json
from tests.agent_hosts import cursor_of, rows_of

Content = list[dict[str, str]]


def pages(rows: LoggedRows, budget: int) -> list[Content]:
    found: list[Content] = []
    cursor: str | None = None
    while True:
        found.append(Page(budget, cursor, {"a": 1}).content(ToolAnswer(["Ours."], rows)))
        cursor = cursor_of(found[-1])
        if cursor is None:
            return found


@pytest.mark.parametrize("budget", [300, 500, 2000])
@pytest.mark.parametrize("has_keys", [True, False])
def test_pages_together_have_every_row_once(budget: int, has_keys: bool) -> None:
    every = [[f"run {number}", number, number / 7, "x" * (number % 90)] for number in range(500)]
    keys = [row[0] for row in every] if has_keys else None
    found = pages(LoggedRows("abcd", len(every), lambda first, last: every[first:last], keys), budget)
    names = [row[0] for page in found for row in rows_of(page)[1:]]
    assert names == [row[0] for row in every]
    assert len(found) > 3
    assert max(tokens_of(page[0]["text"]) for page in found) <= budget


@pytest.mark.parametrize("budget", [300, 500])
@pytest.mark.parametrize("text", ["word " * 9000, "\u202e" * 9000, "训练" * 9000])
def test_a_row_that_is_too_large_is_cut_and_says_so(budget: int, text: str) -> None:
    [page] = pages(LoggedRows.of(["name", "text"], [["a", text]], longest=100_000), budget)
    assert tokens_of(page[0]["text"]) <= budget
    [row] = rows_of(page)[1:]
    left = re.search(r"… \(([0-9]+) more characters\)$", row[1])
    assert left is not None
    assert 0 < int(left[1]) < len(text)


def test_columns_that_do_not_fit_are_counted() -> None:
    columns = [f"column{number}" for number in range(300)]
    found = pages(LoggedRows.of(columns, [list(range(300))] * 5), 300)
    assert "of 300 columns fit" in found[0][0]["text"]
    widths = {len(row) for page in found for row in rows_of(page)}
    assert len(widths) == 1
    assert 10 < widths.pop() < 300
    assert max(tokens_of(page[0]["text"]) for page in found) <= 300


def test_a_page_goes_on_after_its_last_row_although_rows_came_before_it() -> None:
    def rows(names: list[str]) -> LoggedRows:
        return LoggedRows(
            ["run"], len(names), lambda first, last: [[name] for name in names[first:last]], names
        )

    names = [f"run{number:04}" for number in range(300)]
    first = Page(300, None).content(ToolAnswer(rows=rows(names)))
    last = rows_of(first)[-1][0]
    then = Page(300, cursor_of(first)).content(ToolAnswer(rows=rows(["a new run", *names])))
    assert rows_of(then)[1][0] == names[names.index(last) + 1]
    with pytest.raises(InvalidArgument, match="have changed"):
        Page(300, cursor_of(first)).content(ToolAnswer(rows=rows([name for name in names if name != last])))


@pytest.mark.parametrize("cursor", ["", "1", "5-00000000-00000000", "x" * 10_000, "-1-a-b"])
def test_a_cursor_of_something_else_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="belongs to another answer"):
        Page(300, cursor).content(ToolAnswer(rows=LoggedRows.of(["a"], [["b"]] * 10)))


def test_definitions_take_less_than_1500_tokens() -> None:
    """Tokenizers of three models take 3.5 characters and more a token for them (docs/how-to/agents.md)."""
    text = encode_json([tool.described() for tool in TOOLS]).decode()
    assert len(text) / 3.3 < 1500
    assert len(TOOLS) == 8


def test_definitions_are_schemas_that_the_arguments_are_checked_with() -> None:
    for tool in TOOLS:
        schema = tool.described()["inputSchema"]
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) <= set(schema["properties"])
        assert tool.described()["annotations"] == {"readOnlyHint": True}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"run": "a"}, "unknown argument"),
        ({"runs": "a"}, "runs must be a list of strings"),
        ({"runs": [1]}, "runs must be a list of strings"),
        ({"runs": ["a"] * 1001}, "at most 1000"),
        ({"points": True}, "points must be an integer"),
        ({"points": 1 << 70}, "out of range"),
        ({"points": 1.5}, "points must be an integer"),
        ({"sort": "x" * 20_001}, "at most 20000"),
        ({"cursor": 3}, "cursor must be a string"),
        ([], "must be an object"),
        ("x", "must be an object"),
    ],
)
def test_arguments_of_other_types_are_refused(given: Any, text: str) -> None:  # noqa: ANN401
    with pytest.raises(InvalidArgument, match=text):
        BY_NAME["compare"].checked(given)


def test_a_budget_is_kept_within_bounds() -> None:
    tool: Tool = BY_NAME["runs"]
    budgets = [tool.checked({"budget": budget})[1].budget for budget in (-5, 400, 10**9)]
    assert budgets == [300, 400, 20_000]
    assert tool.checked(None)[1].budget == 2000
    with pytest.raises(InvalidArgument, match="query is missing"):
        BY_NAME["sql"].checked({})


def test_names_are_exact_or_expressions_or_as_they_were_shown() -> None:
    names = ["a", "a\u202eb", "lr0.1", "lr0x1"]
    assert chosen(names, [], "run") == names
    assert chosen(names, ["lr0.1"], "run") == ["lr0.1"]
    assert chosen(names, ["/lr0.1/", "a"], "run") == ["a", "lr0.1", "lr0x1"]
    assert chosen(names, [r"a\u202eb"], "run") == ["a\u202eb"]
    with pytest.raises(InvalidArgument, match=r"no run is named 'lr'; near: lr0\.1, lr0x1"):
        chosen(names, ["lr"], "run")
    with pytest.raises(InvalidArgument, match="no run matches /zz/"):
        chosen(names, ["/zz/"], "run")


def test_things_without_a_value_come_last_in_both_directions() -> None:
    values = [3, None, float("nan"), "text", 1.5, float("inf"), True]
    things = list("abcdefg")
    assert "".join(in_order(things, values, is_descending=False)) == "geafdbc"
    assert "".join(in_order(things, values, is_descending=True)) == "dfaegbc"

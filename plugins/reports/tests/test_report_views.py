"""What a snapshot shows: runs by the keys of the URL, cards of a report, names of files."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from insight_reports.blocks import choices, run_cells
from insight_reports.view import SharedView, cards_in, selected, view_of

from insight_core.plugin import HostAnswer, InvalidArgument, NotFound, RunCells

ROWS = [
    {"name": name, "start_time": start} for name, start in (("a", 1.0), ("b;c", None), ("~x", 3.0), ("", 2.0))
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (None, ["a", "b;c", "~x", ""]),
        ("all", ["a", "b;c", "~x", ""]),
        ("a;gone", ["a"]),
        ("b%3Bc,a", ["a", "b;c"]),
        ("~a", ["b;c", "~x", ""]),  # all but these
        ("%7Ex;~", ["~x", ""]),  # a lone ~ is the empty name
        ("", []),
    ],
)
def test_runs_are_selected_as_the_page_selects_them(text: str | None, names: list[str]) -> None:
    assert selected({} if text is None else {"runs": text}, ROWS) == names


def test_without_a_choice_all_runs_are_selected_however_many() -> None:
    rows = [{"name": f"run{n:02}", "start_time": float(n) if n else None} for n in range(500)]
    assert selected({}, rows) == [row["name"] for row in rows]


def test_archived_runs_are_in_a_file_only_if_the_view_shows_them() -> None:
    rows = [{"name": f"run{n:02}", "start_time": float(n), "archived": n >= 42} for n in range(45)]
    assert selected({}, rows) == [f"run{n:02}" for n in range(42)]
    assert selected({"runs": "run01;run44"}, rows) == ["run01"]
    assert selected({"runs": "run01;run44", "archived": "1"}, rows) == ["run01", "run44"]


def test_cards_of_a_report_are_its_blocks_and_what_is_no_card_is_left_out() -> None:
    card = {"plugin": "scalar", "card": "loss", "state": {"runs": "a", "scalar.x": "wall"}}
    blocks = [
        json.dumps(card),
        "{",
        "[]",
        json.dumps({**card, "state": {"runs": 1}}),
        json.dumps({"card": "x"}),
    ]
    text = "# Title\r\n" + "\n\n".join(f"```card\n{block}\n```" for block in blocks) + "\n```json\n{}\n```\n"
    assert cards_in(text) == [card]
    view = SharedView("r", {"tab": "reports", "reports.open": "r"}, cards_in(text))
    assert view.parts("scalar", ROWS) == [{"runs": ["a"], "state": {"x": "wall"}, "card": "loss"}]
    assert view.parts("image", ROWS) == []
    grouped = SharedView("v", {"tab": "scalar", "runs": "a", "group": "lineage/lr"})
    assert [part["group"] for part in grouped.parts("scalar", ROWS)] == ["lineage/lr"]
    assert view.runs(ROWS) == ["a"]


def test_a_file_is_named_after_its_view_without_what_file_systems_forbid() -> None:
    assert SharedView('../a:b\n"c"', {}).file_name == "_a_b_c_"
    assert SharedView("...", {}).file_name == "snapshot"


def test_a_view_that_cannot_be_shown_is_an_error_that_says_why() -> None:
    def get(path: str, **parameters: object) -> HostAnswer:
        if parameters["name"] not in ("odd", "view/odd"):
            raise NotFound("nothing is saved under this name")
        return HostAnswer("application/json", b'{"value": {"state": {"tab": 1}}}')

    with pytest.raises(NotFound, match="nothing is saved"):
        view_of(get, view="gone")
    with pytest.raises(InvalidArgument, match="must be an object of texts"):
        view_of(get, view="odd")
    with pytest.raises(NotFound, match="odd is not a report"):
        view_of(get, report="odd")
    with pytest.raises(InvalidArgument, match="not JSON"):
        view_of(get, state="{")


def test_a_report_offers_tags_for_charts_and_saved_views_and_a_host_without_charts_offers_none() -> None:
    def get(path: str, **parameters: object) -> HostAnswer:
        name = parameters.get("name")
        if path == "/data/catalog":
            if parameters["plugin"] != "scalar" or is_bare:
                raise NotFound("no such plugin")
            return HostAnswer("application/json", b'{"tags": ["loss", "acc"]}')
        if name == "view/gone":
            raise NotFound("gone")
        if name is not None:
            return HostAnswer("application/json", b'{"value": {"state": {"tab": "scalar"}}}')
        names = ["view/b", "default view", "view/gone", "view/a"]
        return HostAnswer(
            "application/json", json.dumps({"entries": [{"name": one} for one in names]}).encode()
        )

    is_bare = False
    found = choices(get)
    assert found["charts"] == [{"plugin": "scalar", "tag": tag} for tag in ("loss", "acc")]
    assert found["views"] == [{"name": name, "state": {"tab": "scalar"}} for name in ("a", "b")]
    is_bare = True
    assert choices(get)["charts"] == []


def test_a_table_of_runs_has_hyperparameters_that_differ_and_results() -> None:
    def column(name: str, group: str, *values: float) -> RunCells:
        return RunCells("lineage", name, name, {}, "number", group, dict(zip("ab", values, strict=True)))

    columns = [
        column("lr", "hyperparameter", 0.1, 0.2),
        column("seed", "hyperparameter", 1, 1),
        *(column(f"metric/{at}", "metric", at, at) for at in range(20)),
    ]
    ctx: Any = SimpleNamespace(run_columns=lambda names: columns)
    shown = [one["key"] for one in run_cells(ctx, [])["columns"]]
    assert shown == ["lineage/lr", *(f"lineage/metric/{at}" for at in range(4))]
    chosen = run_cells(ctx, ["lineage/seed"])
    assert [(one["key"], one["values"]) for one in chosen["columns"] if not one["usual"]] == [
        ("lineage/seed", {"a": 1, "b": 1})
    ]
    assert len(chosen["all"]) == len(columns)


def test_a_file_has_the_runs_of_charts_and_tables_not_of_what_is_quoted_or_linked() -> None:
    def card(name: str, **state: str) -> dict[str, object]:
        return {"plugin": "reports", "card": name, "state": state}

    own = {"tab": "reports", "reports.open": "r"}
    quoted = [card("finding", **{"reports.finding": "{}"}), card("view", **{"reports.view": "{}"})]
    assert SharedView("r", own, quoted).runs(ROWS) == []
    assert SharedView("r", own, quoted).table_columns is None
    tables = [
        card("runs", runs="a"),
        card("runs", runs="~x", **{"reports.columns": "run/status;lineage/a%2Cb"}),
    ]
    assert SharedView("r", own, [*quoted, *tables]).table_columns == ["lineage/a,b", "run/status"]
    assert SharedView("r", own, [*quoted, *tables[:1]]).runs(ROWS) == ["a"]

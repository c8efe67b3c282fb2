"""Hostile text of logs, notes and errors reaches agents only inside the mark, with nothing invisible."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from insight_mcp.toolbox import TOOLS
from insight_mcp.untrusted import NAME, escaped, marked

from insight_core.web.state.annotations import AnnotationStore, checked
from tests.agent_hosts import CANARY, HOSTILE, RUN, Call, call_of, opened, unmarked, write_hostile


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    place = tmp_path_factory.mktemp("hostile")
    write_hostile(place / "logs")
    rollouts = place / "logs" / RUN / f"rollout {CANARY}"
    rollouts.mkdir()
    row = {"input": HOSTILE, "output": HOSTILE, f"score {CANARY}": 1.0}
    for step in (1, 2):
        (rollouts / f"{step}.jsonl").write_text(json.dumps(row) + "\n")
    with opened(place / "logs", place / "state") as host:
        notes: AnnotationStore = host._annotations
        hostile = HOSTILE.replace("\x1b", "")  # the rest is accepted as a note
        values = {"note": f"a note: {hostile}", "remark": f"{CANARY}\u202e", "display_name": f"{CANARY}<b>"}
        notes.annotate(RUN, {name: checked(name, value) for name, value in values.items()})
        yield call_of(host.context_of("mcp"))


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("describe", {}),
    ("describe", {"run": RUN, "budget": 20_000}),
    ("describe", {"run": escaped(RUN)}),
    ("describe", {"run": f"no such {HOSTILE}"}),
    ("runs", {"columns": ["note", "remark", "display_name"]}),
    ("runs", {"where": f"note = '{CANARY}'"}),
    ("runs", {"where": HOSTILE}),
    ("runs", {"sort": HOSTILE}),
    ("series", {"plugin": "all"}),
    ("series", {"plugin": HOSTILE}),
    ("series", {"tags": [f"/{CANARY}/"]}),
    ("series", {"tags": [f"/(?<{CANARY}/"]}),
    ("compare", {"points": 5}),
    ("compare", {"tags": [CANARY]}),
    ("compare", {"sort": HOSTILE}),
    ("diagnose", {}),
    ("diagnose", {"runs": [HOSTILE]}),
    ("sql", {"query": "select * from scalars"}),
    ("sql", {"query": "select cast(run as integer) from runs"}),
    ("sql", {"query": f'select 1 as "{CANARY}<b>"'}),
    ("sql", {"query": f"select {HOSTILE}"}),
    ("profile", {}),
    ("profile", {"run": RUN}),
    ("profile", {"run": RUN, "table": "operators"}),
    ("profile", {"run": RUN, "profile": HOSTILE}),
    ("runs", {HOSTILE: 1}),
    ("runs", {"cursor": HOSTILE}),
    ("profile", {"table": HOSTILE}),
    ("samples", {}),
    ("samples", {"run": RUN}),
    ("samples", {"run": RUN, "step": 1}),
    ("samples", {"run": RUN, "step": 2, "since": 1}),
    ("samples", {"run": RUN, "source": HOSTILE}),
    ("samples", {"run": RUN, "step": 1, "where": [HOSTILE]}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_hostile_text_is_inside_the_mark(call: Call, name: str, arguments: dict[str, Any]) -> None:
    text = call(name, **arguments)[0]["text"]
    assert CANARY not in unmarked(text)
    assert "ignore" not in unmarked(text)
    assert text.count(f"<{NAME}>") == text.count(f"</{NAME}>") == 1
    shown = text.replace("\n", "").replace("\t", "")
    odd = {char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert not odd
    assert "\ufe0f" not in text


def test_hostile_text_is_there_at_all(call: Call) -> None:
    """The calls above would prove nothing of answers without it."""
    found = {name: "" for name, _ in CALLS}
    for name, arguments in CALLS:
        found[name] += call(name, **arguments)[0]["text"]
    assert [name for name, text in found.items() if CANARY not in text] == []
    assert found["describe"].count("a note: ") == 2
    assert "a text: " in found["describe"]
    assert "damage" in found["describe"]
    assert "diverge" in found["diagnose"] or "NaN" in found["diagnose"]


def test_every_tool_is_tried() -> None:
    assert {name for name, _ in CALLS} == {tool.name for tool in TOOLS}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("train/loss", "train/loss"),
        ("学习率 é", "学习率 é"),
        ("a\nb\tc\\d\x00", r"a\nb\tc\\d\x00"),
        ("\u202etxt\u2066", r"\u202etxt\u2066"),
        ("</untrusted-log-data>", r"\x3c/untrusted-log-data>"),
        ("\udcff", r"\udcff"),
        ("a\U000e0041\ufe0f\u3164", r"a\U000e0041\ufe0f\u3164"),
    ],
)
def test_text_is_escaped_so_that_it_can_be_read_back(text: str, shown: str) -> None:
    assert escaped(text) == shown
    ascii_part = shown.encode("ascii", "backslashreplace").decode("unicode_escape")
    assert ascii_part.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")


def test_the_mark_cannot_be_closed_from_within() -> None:
    lines = [escaped(f"</{NAME}>\n</{NAME}>"), escaped(f"<{NAME}>")]
    assert unmarked(marked(lines)) == ""

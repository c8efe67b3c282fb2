"""The public test client: plugins, a log directory and questions, without a port."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np
import pytest
from werkzeug import Request, Response

from insight_core.own_page import body_of
from insight_core.plugin import (
    FileName,
    Flaw,
    InvalidArgument,
    LogFormat,
    Option,
    Plugin,
    PluginContext,
    Points,
    RecordDecoder,
    Route,
    SummaryPlugin,
    Unavailable,
    hookimpl,
)
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import EventWriter, FakeProvider, context_of, host_of, read_all


def _routes(ctx: PluginContext) -> list[Route]:
    def said(request: Request) -> Any:  # noqa: ANN401
        runs = [info.key.run for info in ctx.own.series()]
        return json_response({"options": dict(ctx.options), "runs": runs})

    def write(request: Request) -> Response:
        ctx.own_page.require(request)
        return json_response({"written": body_of(request, 100)})

    return [Route("/said", said), Route("/write", write, methods=("POST",))]


NOTES = Plugin(
    "mynotes",
    "Notes",
    decoder=RecordDecoder({SummaryPlugin("mynotes")}, decode=lambda payload: payload.data),
    routes=_routes,
)


def _module() -> Any:  # noqa: ANN401
    def insight_plugin() -> Plugin:
        return NOTES

    def insight_options() -> list[Option]:
        return [Option("most-notes", "how many", type=int, default=3)]

    def insight_log_formats() -> list[LogFormat]:
        return [JSON_LINES]

    functions = (insight_plugin, insight_options, insight_log_formats)
    hooks = {each.__name__: hookimpl(each) for each in functions}
    return SimpleNamespace(__name__="insight_mynotes", **hooks)


def _read(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
    items: list[Points | Flaw] = []
    step, place = state or 0, stream.tell()
    for line in stream:
        if not line.endswith(b"\n"):
            break
        try:
            items.append(Points("x", [step], [float(json.loads(line))]))
        except ValueError:
            items.append(Flaw(place, "not a number", len(line)))
        step, place = step + 1, place + len(line)
    stream.seek(place)
    return items, step


JSON_LINES = LogFormat("numbers", FileName("numbers.jsonl", makes_run=lambda head: True), _read)


def test_reads_the_log_before_it_answers_and_again_when_asked(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        writer.tensor("t", 0, np.arange(3.0), plugin="mynotes")
    with host_of(NOTES, logdir=tmp_path) as host:
        assert host.get("/data/plugin/mynotes/said").json()["runs"] == ["a"]
        assert list(host.get("/data/plugin/mynotes/tags").json()) == ["a"]
        assert host.get("/data/plugin/mynotes/value", run="b", tag="t", index=0).status == 404
        assert not host.damage()
        with EventWriter(tmp_path / "b") as writer:
            writer.tensor("t", 0, np.arange(3.0), plugin="mynotes")
        host.load()
        assert host.get("/data/plugin/mynotes/said").json()["runs"] == ["a", "b"]


def test_a_module_brings_its_options_and_log_formats(tmp_path: Path) -> None:
    (tmp_path / "numbers.jsonl").write_text("1\nnothing\n")
    with host_of(_module(), logdir=tmp_path, options={"most_notes": 7}) as host:
        assert host.get("/data/plugin/mynotes/said").json()["options"] == {"most_notes": 7}
        [damage] = host.damage()
        assert (damage.file, damage.offset, str(damage.reason)) == ("numbers.jsonl", 2, "not a number")
    with host_of(_module()) as host:
        assert host.get("/data/plugin/mynotes/said").json() == {"options": {"most_notes": 3}, "runs": []}
    with pytest.raises(InvalidArgument, match="most_notes"), host_of(_module(), options={"most": 1}):
        pass


def test_built_in_plugins_are_there_only_if_asked_for(tmp_path: Path) -> None:
    with host_of(NOTES, logdir=tmp_path) as host:
        assert set(host.get("/data/plugins_listing").json()) == {"mynotes"}
    with host_of(NOTES, logdir=tmp_path, built_ins=True) as host:
        assert {"mynotes", "scalar"} <= set(host.get("/data/plugins_listing").json())


def test_a_post_is_that_of_the_own_page_unless_the_test_says_otherwise() -> None:
    with host_of(NOTES) as host:
        answer = host.post("/data/plugin/mynotes/write", {"text": "两"})
        assert (answer.status, answer.json()) == (200, {"written": {"text": "两"}})
        assert host.post("/data/plugin/mynotes/write", b"[").status == 400
        for other in ({"Origin": "http://elsewhere"}, {"X-Insight-Token": "guessed"}):
            assert host.post("/data/plugin/mynotes/write", {}, other).status == 403


def test_a_plugin_that_does_not_load_ends_the_test_with_its_traceback() -> None:
    def insight_plugin() -> Plugin:
        raise ZeroDivisionError("of this plugin")

    broken: Any = SimpleNamespace(__name__="broken", insight_plugin=hookimpl(insight_plugin))
    with pytest.raises(Unavailable, match=r"(?s)of this plugin.*in insight_plugin"), host_of(broken):
        pass


def test_a_context_has_options_other_plugins_and_a_cache(tmp_path: Path) -> None:
    def ask(plugin: str, route: str, **parameters: object) -> object:
        return [plugin, route, parameters]

    ctx = context_of(NOTES, FakeProvider(), options={"most": 2}, ask=ask, cache_directory=tmp_path)
    assert ctx.options == {"most": 2}
    assert ctx.ask("text", "/search", q="x") == ["text", "/search", {"q": "x"}]
    assert ctx.cache_directory is not None
    assert tmp_path in ctx.cache_directory.parents


@pytest.mark.parametrize("pieces", [1, 7, 30])
def test_a_log_format_reads_the_same_however_the_file_grows(pieces: int) -> None:
    read = read_all(JSON_LINES, b"1.5\n2.5\nnothing\n4.5\n5", pieces)
    assert read.points["x"].steps.tolist() == [0, 1, 3]
    assert read.points["x"].values.tolist() == [1.5, 2.5, 4.5]
    assert [(flaw.offset, str(flaw.reason)) for flaw in read.flaws] == [
        (8, "not a number"),
        (20, "the end is not finished"),
    ]

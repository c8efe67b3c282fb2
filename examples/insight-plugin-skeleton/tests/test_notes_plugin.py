"""Run it with pytest, in an environment that has insight-host; nothing is installed and no port is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import insight_notes
import pytest

from insight_core.plugin import SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import EventWriter, HostClient, host_of


# SKELETON: a log as your users write it
@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostClient]:
    with EventWriter(tmp_path / "run") as writer:
        writer.text("notes/setup", 0, "学习率 0.1\n<script>alert(1)</script>", plugin="notes")
        writer.text("notes/setup", 7, "", plugin="notes")
    with host_of(insight_notes, logdir=tmp_path) as host:  # a host in this process that has read the log
        yield host


def test_texts_survive_as_written(host: HostClient) -> None:
    answer = host.get("/data/plugin/notes/texts", run="run", tag="notes/setup").json()
    assert [(point["step"], point["texts"]) for point in answer["points"]] == [
        (0, ["学习率 0.1\n<script>alert(1)</script>"]),
        (7, [""]),
    ]
    assert host.damage() == []


@pytest.mark.parametrize(
    ("query", "status"),
    [("run=run", 400), ("run=run&tag=none", 404), ("run=no&tag=notes/setup", 404)],
)
def test_wrong_questions_have_an_answer(host: HostClient, query: str, status: int) -> None:
    answer = host.get(f"/data/plugin/notes/texts?{query}")
    assert answer.status == status
    assert answer.json()["error"]


def test_the_decoder_reads_every_string_and_names_damage() -> None:
    decoder = insight_notes.insight_plugin().decoder
    assert decoder is not None
    assert decoder.decode is not None
    tensor = b"\x08\x07\x12\x00" + b"\x42\x01a" + b"\x42\x00" + b"\x42\x02\xff!"
    assert decoder.decode(Payload(tensor, SummaryPlugin("notes"))) == ["a", "", "\ufffd!"]
    for broken in (tensor[:-1], b"\x42", b"\xff" * 12, b"\x43"):
        with pytest.raises(ValueError, match="not a tensor"):
            decoder.decode(Payload(broken, SummaryPlugin("notes")))

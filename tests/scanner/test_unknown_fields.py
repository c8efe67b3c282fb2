"""Values of MindSpore in fields without a name are listed and can be claimed, by both scanners alike."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, EventField, Plugin, RecordDecoder
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider
from tests.scanner.both_scanners import check

CONTENTS = b"sixteen bytes of"
PLUGIN = Plugin("new", "New", decoder=RecordDecoder({EventField(Dialect.MINDSPORE, "20")}))


def value(tag: bytes, *fields: bytes) -> bytes:
    return b"\x0a" + bytes([len(tag)]) + tag + b"".join(fields)


def log_of(version: bytes) -> bytes:
    unknown = b"\xa2\x01" + bytes([len(CONTENTS)]) + CONTENTS  # field 20
    scalar = b"\x1d\x00\x00\x80\x3f"
    summary = wire.summary(
        [
            value(b"a", unknown, unknown),
            value(b"b", scalar, unknown),
            value(b"a", b"\x10\x07"),  # field 2, a varint
            value(b"c"),
            value(b"d", b"\xe5\x12abcd", scalar),  # field 300, four bytes
            b"\x3a\x01x",  # field 7, without a tag
        ]
    )
    events = [b"\x1a" + bytes([len(version)]) + version]
    events += [wire.event(step, 1.0, summary) for step in range(20)]
    return b"".join(map(wire.record, events))


def test_both_scanners_find_the_same() -> None:
    data = log_of(b"MindSpore.Event:1")
    found = check(data, [len(data) // 3, len(data)], Dialect.MINDSPORE)
    assert not found["flaws"]
    counts = {f"{tag}:{field}": len(points) for (tag, field), points in found["points"].items()}
    assert counts == {
        "a:20": 40, "a:2": 20, "b:scalar_value": 20, "b:20": 20, "d:scalar_value": 20, "d:300": 20, ":7": 20,
    }  # fmt: skip


@pytest.mark.parametrize("plugins", [[], [PLUGIN]])
def test_they_are_unclaimed_or_those_of_the_plugin_that_claims_the_number(
    plugins: list[Plugin], tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "x.summary.1.events").write_bytes(log_of(b"MindSpore.Event:1"))
    for _ in range(2):  # the second time from the index
        with closing(
            LocalProvider(
                [Logdir(str(tmp_path / "logs"))],
                plugins,
                reload_interval=0,
                cache_directory=tmp_path / "cache",
            )
        ) as provider:
            provider.load()
            counts = provider.unclaimed()["."]
            assert counts["mindspore:2"] == counts["mindspore:300"] == 20
            assert counts.get("mindspore:20", 0) == (0 if plugins else 60)
            owner = "new" if plugins else "mindspore:20"
            assert provider.payload(owner, SeriesKey(".", "a"), 3).data == CONTENTS


def test_a_number_of_a_field_with_a_name_is_refused() -> None:
    assert EventField(Dialect.MINDSPORE, 20) == EventField(Dialect.MINDSPORE, "20")
    for dialect, number in ((Dialect.MINDSPORE, "8"), (Dialect.MINDSPORE, "1"), (Dialect.TENSORBOARD, "20")):
        with pytest.raises(ValueError, match="has no field"):
            RecordDecoder(claims={EventField(dialect, number)})

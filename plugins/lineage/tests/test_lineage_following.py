"""A table that follows its logs is the one that a look at everything makes."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Mapping
from pathlib import Path

import insight_lineage
import insight_scalar
import numpy as np
import pytest
from insight_lineage.source import Lineage

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Annotations
from insight_core.plugin.testing import EventWriter, context_of
from insight_core.providers.local import LocalProvider
from tests.lineage_samples import hparams_value, write_run

WHAT = ("scalars", "scalars", "session", "bare", "bare", "lineage", "again", "experiment", "file", "gone")
RUNS = ("a", "a/b", "a/b/c", "a/17.5", "d", "d/e", "f")


def _table(lineage: Lineage) -> dict[str, object]:
    with lineage.table(Annotations()) as table:
        names = [*table.columns, *(f"{which}/{tag}" for tag in table.tags() for which in ("last", "min"))]
        columns = {name: table.column(name) for name in names}
        rows = np.argsort(table.rows.runs).tolist()
        return {
            "problems": sorted((one.run, one.tag, one.error) for one in table.problems),
            "tags": dict(sorted(table.tags().items())),
            **{
                table.rows.runs[row]: {
                    name: column.shown[row]
                    for name, column in sorted(columns.items())
                    if column.shown[row] is not None
                }
                for row in rows
            },
        }


def _change(chance: random.Random, logs: Path, number: int) -> str:
    """Writes or removes something, and says what."""
    run = chance.choice(RUNS)
    directory, second = logs / run, 1_700_000_000 + number
    what = chance.choice(WHAT)
    if what == "scalars":
        with EventWriter(directory / f"events.out.tfevents.{second}.host", start_time=second) as writer:
            writer.scalar(chance.choice(["loss", "acc", "hp/metric"]), number, chance.random())
    elif what == "session":
        write_run(directory, {"lr": chance.random(), "epoch": 3.0}, {"hp/metric": chance.random()}, second)
    elif what == "experiment":
        name = wire.message_field(1, chance.choice([b"", b"b", b"e"])) + wire.message_field(2, b"loss")
        infos = wire.message_field(5, wire.message_field(1, name)) if chance.random() < 0.8 else b""
        with EventWriter(directory / f"events.out.tfevents.{second}.x", start_time=second) as writer:
            writer.values(0, [hparams_value("experiment", 2, infos)])
    elif what == "bare":
        entry = wire.message_field(1, b"lr") + wire.message_field(2, wire.message_field(3, b"x"))
        with EventWriter(directory / f"events.out.tfevents.{second}.y", start_time=second) as writer:
            writer.values(0, [hparams_value("session_start_info", 3, wire.message_field(1, entry))])
    elif what == "file":
        if files := sorted(path for path in logs.rglob("*") if path.is_file()):
            chance.choice(files).unlink()
    elif what == "gone":
        shutil.rmtree(directory, ignore_errors=True)
    else:
        _write_lineage(chance, directory, 1 if what == "again" else second)
    return f"{what} {run}"


def _write_lineage(chance: random.Random, directory: Path, second: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "events.out.events.summary.1.0.host_MS").touch()
    kinds: Mapping[str, bytes] = {
        "train": wire.message_field(
            6, wire.message_field(3, wire.message_field(1, chance.choice([b"Net", b"X"])))
        ),
        "evaluation": wire.message_field(7, wire.message_field(2, b'{"acc": %d}' % chance.randrange(9))),
        "pipeline": wire.message_field(
            9,
            wire.message_field(
                2,
                wire.message_field(
                    1, wire.message_field(1, b"op_type") + wire.message_field(2, chance.choice([b"P", b"Q"]))
                ),
            ),
        ),
    }
    content = b"".join(wire.record(kinds[chance.choice(list(kinds))]) for _ in range(chance.randrange(1, 3)))
    path = directory / f"events.out.events.summary.{second}.0.host_lineage"
    content = content if chance.random() < 0.8 else content[:-5]
    before = path.stat().st_size if path.exists() else 0
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    if len(content) != before:  # else nobody could tell
        os.utime(path, ns=(10**18, 10**18))  # what was written within one tick of the clock


@pytest.mark.parametrize("seed", range(24))
def test_a_table_that_follows_is_one_made_anew(tmp_path: Path, seed: int) -> None:
    logs, chance = tmp_path / "logs", random.Random(seed)
    logs.mkdir()
    plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
    provider = LocalProvider([Logdir(str(logs))], plugins, reload_interval=0)
    try:
        ctx = context_of(plugins[1], provider)
        following, done = Lineage(ctx), []
        for number in range(30):
            done.append(_change(chance, logs, number))
            if chance.random() < 0.3:
                continue
            provider.load()
            assert _table(following) == _table(Lineage(ctx)), done
    finally:
        provider.close()

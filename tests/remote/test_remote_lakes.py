"""Lakes of logs in a bucket: payloads are read there, and a store that is away removes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from insight_lake.sources import check_locatable

import insight_host
from insight_core.cli import main
from insight_core.plugin import InvalidArgument
from insight_core.plugin.testing import EventWriter
from tests.remote.stores import Bucket, S3Server

LOGS = "logs of/a team"


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _write(bucket: Bucket, directory: Path, run: str) -> None:
    with EventWriter(directory / run) as writer:
        writer.scalar_block(["loss"], np.arange(50), np.random.default_rng(0).random((50, 1)))
        for step in range(3):
            writer.image("img", step, b"picture %d of %s" % (step, run.encode()), width=1, height=1)
    bucket.put(f"{run}/{writer.path.name}", writer.path.read_bytes())


def test_a_lake_of_a_bucket_leads_to_its_payloads(
    s3: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bucket = Bucket(LOGS)
    _write(bucket, tmp_path / "logs", "run #1")
    _write(bucket, tmp_path / "logs", "b%20c")
    lake = str(tmp_path / "lake")

    def built(*flags: str) -> str:
        code = main(["lake", "build", bucket.location, "--to", lake, *flags])
        said = capsys.readouterr()
        return f"{code}: {said.out}{said.err}"

    assert "2 runs written (100 points, 6 records" in built()
    assert "0 runs written" in built()
    s3.reset_counts()
    with insight_host.open(tmp_path / "logs") as logs, insight_host.open(f"lake:{lake}") as read:
        for run in ("run #1", "b%20c"):
            mine, theirs = (
                [
                    one.provider.payload(plugin, info.key, index).data
                    for plugin in sorted(map(str, one.provider.plugins()))
                    if plugin != "scalar"
                    for info in one.provider.series(plugin, runs=[run])
                    for index in range(info.points)
                ]
                for one in (read, logs)
            )
            assert mine == theirs
            assert len(mine) == 3
    assert (s3.lists, s3.reads) == (0, 12)
    _write(bucket, tmp_path / "logs", "later")
    s3.always = "503"
    assert "cannot be reached" in built("--prune")
    s3.always = ""
    assert "1 runs written" in built("--prune")
    # a run that cannot be read now is not in the lake as an empty one
    _write(bucket, tmp_path / "logs", "unread")
    s3.faults = ["", "", *["503"] * 8]
    assert "unread is left out for now" in built("--prune")
    s3.faults = []
    assert "1 runs written (50 points, 3 records" in built("--prune")
    with insight_host.open(f"lake:{lake}") as read:
        assert {run.name for run in read.provider.runs()} == {"run #1", "b%20c", "later", "unread"}
    code = main(["lake", "build", bucket.location, "--to", f"{bucket.location}/lake"])
    assert code != 0
    assert "nothing is written there" in capsys.readouterr().err


def test_payloads_that_a_lake_cannot_reach_must_be_copied() -> None:
    check_locatable(["/logs", "s3://bucket/logs", "GS://bucket"])
    with pytest.raises(InvalidArgument, match="--with-payloads"):
        check_locatable(["ssh://machine/logs"])

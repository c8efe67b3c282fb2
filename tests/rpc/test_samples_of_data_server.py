"""Samples of logs that another process reads: the host gets files from a data server, in ranges."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import insight_samples
import pyarrow as pa
import pyarrow.parquet as pq

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import PayloadStream
from insight_core.plugin.testing import host_of
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import serve
from tests.support.pictures import png
from tests.support.sample_hosts import ROUTES, Samples, sources, write_lines

FIXTURES = Path(__file__).parents[2] / "plugins/samples/tests/fixtures"
PNG = png([[1, 2], [3, 4]])


class _Counting(InsightProvider):
    """Counts the bytes that streams of payloads have."""

    received = 0

    def open_payload(self, *place: Any, **part: Any) -> PayloadStream:  # noqa: ANN401
        stream = super().open_payload(*place, **part)
        if part.get("length") is not None:
            self.received += part["length"]
        return stream


@contextmanager
def _served(root: Path) -> Iterator[tuple[Samples, _Counting]]:
    """The first source of logs that only a data server reads."""
    plugins = [insight_samples.insight_plugin()]
    formats = list(insight_samples.insight_log_formats())
    with closing(
        LocalProvider([Logdir(str(root))], plugins, log_formats=formats, reload_interval=0)
    ) as local:
        local.load()
        server = serve(local, "127.0.0.1", 0, version="test")
        try:
            remote = _Counting(Link(f"127.0.0.1:{server.port}"))
            with host_of(insight_samples, data=remote) as host:
                yield Samples(host, *sources(host)[0]), remote
        finally:
            server.stop()


def test_lines_of_a_data_server_are_listed_shown_and_searched(tmp_path: Path) -> None:
    rows = [{"input": f"q{n // 4}", "output": f"answer {n}", "score": n % 3} for n in range(300)]
    write_lines(tmp_path / "run" / "rollout" / "1.jsonl", rows)
    with _served(tmp_path) as (of, _):
        lines = of.lines(step=1, sort="file", limit=300)
        assert [line["said"] for line in lines] == [row["output"] for row in rows]
        sample = of.sample(lines[7])
        assert sample["completion"][0]["parts"][0]["text"] == "answer 7"
        assert len(of.ask("search", q="answer 29")["samples"]) == 11
        assert of.lines(step=1, sort="score", desc=1)[0]["scores"]["score"] == 2


def test_an_image_in_a_line_of_a_data_server_is_answered(tmp_path: Path) -> None:
    uri = "data:image/png;base64," + base64.b64encode(PNG).decode()
    content = [{"type": "image_url", "image_url": {"url": uri}}]
    row = {"prompt": [{"role": "user", "content": content}], "completion": "c", "reward": 1}
    write_lines(tmp_path / "run" / "samples.jsonl", [row])
    with _served(tmp_path) as (of, _):
        [line] = of.lines()
        image = of.sample(line)["prompt"][0]["parts"][0]["image"]
        where = {"run": of.run, "source": of.source, "id": line["id"], "size": line["size"]}
        assert of.host.get(f"{ROUTES}/image", **where, image=image).content == PNG


def test_of_a_large_table_only_what_is_looked_at_is_sent(tmp_path: Path) -> None:
    noise = [base64.b64encode(os.urandom(150_000)).decode() for _ in range(40)]
    path = tmp_path / "run/completions/completions_1.parquet"
    path.parent.mkdir(parents=True)
    table = pa.table({"prompt": [f"p{n}" for n in range(40)], "completion": noise, "reward": [1.0] * 40})
    pq.write_table(table, path, row_group_size=4, compression="none")
    with _served(tmp_path) as (of, remote):
        of.overview()
        line = of.lines(step=1, sort="file")[21]
        remote.received = 0
        assert of.sample(line)["completion"][0]["parts"][0]["text"] == noise[21]
        assert remote.received < path.stat().st_size / 3


def test_logs_of_inspect_are_read_through_a_data_server() -> None:
    with _served(FIXTURES / "inspect_images") as (of, _):
        lines = of.lines(sort="file")
        assert [line["said"] for line in lines] == ["red", "red", ""]  # the last one failed
        assert [line["scores"]["match"] for line in lines] == [1.0, 1.0, None]

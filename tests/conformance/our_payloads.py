"""What the routes of the image, histogram and tensor plugins say of every record, in the oracles' form."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import insight_histogram
import insight_image
import insight_scalar
import insight_tensor
import numpy as np
from attrs import frozen
from werkzeug.test import Client, TestResponse

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.payloads import decoded_histogram, tensor_of
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from tests.conformance.payload_values import histogram_value, image_value, tensor_value

Payloads: TypeAlias = dict[str, dict[str, dict[str, list[Any]]]]  # run, kind, tag: [step, wall_time, value]

_PLUGINS = {
    "image": insight_image,
    "histogram": insight_histogram,
    "tensor": insight_tensor,
    "scalar": insight_scalar,
}


@frozen
class Plugins:
    """The plugins over one logdir, asked as a page asks them."""

    data: DataProvider
    client: Client

    def payloads(self) -> Payloads:
        """Every record of every attempt, in the order of the files."""
        found: Payloads = {}
        values: dict[str, Callable[[dict[str, Any]], Any]] = {
            "image": self._image,
            "histogram": self._histogram,
            "tensor": self._tensor,
        }
        for kind, value in values.items():
            more = {"others": "1"} if kind == "tensor" else {}
            for run, tags in self.json(kind, "tags", **more).items():
                for tag in tags:
                    series = {"run": run, "tag": tag, "attempts": "all"}
                    table = self.json(kind, "records", **series)
                    rows = [
                        [
                            step,
                            float(wall_time).hex(),
                            value({**series, "index": index, "wall_time": wall_time}),
                        ]
                        for index, (step, wall_time, size) in enumerate(
                            zip(table["steps"], table["wall_times"], table["sizes"], strict=True)
                        )
                        if size  # hparams say everything in their metadata
                    ]
                    if rows:
                        found.setdefault(run, {}).setdefault(kind, {})[tag] = rows
        return found

    def json(self, plugin: str, route: str, **query: object) -> Any:  # noqa: ANN401
        return json.loads(self.bytes(plugin, route, **query))

    def bytes(self, plugin: str, route: str, **query: object) -> bytes:
        answer: TestResponse = self.client.get(f"/data/plugin/{plugin}/{route}", query_string=query)
        assert answer.status_code == 200, f"{route} {query}: {answer.status} {answer.text}"
        content: bytes = answer.data
        return content

    def _image(self, record: dict[str, Any]) -> list[Any]:
        about = self.json("image", "info", **record)
        encoded = [self.bytes("image", "image", **record, sample=n) for n in range(about["samples"])]
        return image_value(about["written"]["width"], about["written"]["height"], encoded)

    def _histogram(self, record: dict[str, Any]) -> list[Any]:
        """Buckets as they are before an answer puts them on one axis."""
        key = SeriesKey(record["run"], record["tag"])
        found = decoded_histogram(self.data.payload("histogram", key, record["index"], "all"))
        return histogram_value(found.left.tolist(), found.right.tolist(), found.counts.tolist())

    def _has(self, plugin: str, key: SeriesKey) -> bool:
        return any(info.key == key for info in self.data.series(plugin, runs=[key.run]))

    def _tensor(self, record: dict[str, Any]) -> list[Any]:
        about = self.json("tensor", "values", **record)
        if about["kind"] != "string":
            return tensor_value(np.load(io.BytesIO(self.bytes("tensor", "npy", **record))))
        key = SeriesKey(record["run"], record["tag"])
        owner = next(name for name in self.data.plugins() if self._has(name, key))
        return tensor_value(tensor_of(self.data.payload(owner, key, record["index"], "all")).values)


@contextmanager
def plugins_over(logdir: Path) -> Iterator[Plugins]:
    registry = Registry.of([(name, partial(_PLUGINS.__getitem__, name)) for name in _PLUGINS])
    assert not registry.failures
    data = LocalProvider([Logdir(str(logdir))], registry.plugins.values(), reload_interval=0)
    try:
        data.load()
        yield Plugins(data, Client(Host(registry, data)))
    finally:
        data.close()

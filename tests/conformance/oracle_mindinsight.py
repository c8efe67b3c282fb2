"""Run by the Python of an environment with MindInsight: prints all scalars below a directory as JSON.

``{run: {tag: [[step, wall_time, value], ...]}}``, numbers as the hexadecimal text of float64: with "kept"
what its loader holds after loading, with "read" every point that the loader handed to its store. It is
MindInsight's own loader, its sampling lifted above the length of any series and its limits on tags
lifted, run in this process instead of its pool.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

UNLIMITED = 10_000_000


class InPlaceFuture:
    """What a pool's future is to the loader, already done."""

    def __init__(self, value: Any) -> None:  # noqa: ANN401
        self._value = value

    def result(self) -> Any:  # noqa: ANN401
        return self._value

    def add_done_callback(self, callback: Any) -> None:  # noqa: ANN401
        callback(self)


def main() -> None:
    root = os.path.abspath(sys.argv[1])
    os.environ.setdefault("MINDINSIGHT_WORKSPACE", os.environ.get("TMPDIR", "/tmp"))
    from mindinsight.datavisual.data_transform import events_data  # type: ignore[import-not-found]
    from mindinsight.datavisual.data_transform.ms_data_loader import MSDataLoader  # type: ignore[import-not-found]
    from mindinsight.utils.computing_resource_mgr import Executor  # type: ignore[import-not-found]

    limits = events_data.CONFIG
    limits["max_total_tag_sizes"] = UNLIMITED
    limits["max_tag_sizes_per_plugin"] = {}
    limits["max_step_sizes_per_tag"]["scalar"] = UNLIMITED

    class InPlaceExecutor(Executor):  # type: ignore[misc]
        def submit(self, function: Any, *arguments: Any) -> InPlaceFuture:  # noqa: ANN401
            return InPlaceFuture(function(*arguments))

    executor = InPlaceExecutor(1, lambda *_: None, lambda: None)

    runs = {}
    for directory, _, names in os.walk(root):
        if not any(re.search(r"summary\.\d+", name) and not name.endswith("_lineage") for name in names):
            continue
        loader = MSDataLoader(directory)
        data = loader.get_events_data()
        read = _listen(data)
        while not loader.load(executor):
            pass
        found = read if sys.argv[2] == "read" else _kept(data)
        if found:
            runs[os.path.relpath(directory, root).replace(os.sep, "/")] = {
                tag.removesuffix("/scalar"): [
                    [sample.step, float(sample.wall_time).hex(), float(sample.value).hex()]
                    for sample in samples
                ]
                for tag, samples in found.items()
            }
    json.dump(runs, sys.stdout)


def _listen(data: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """Every scalar that is handed to ``data`` from now on, by tag."""
    read: dict[str, list[Any]] = {}
    add = data.add_tensor_event

    def listen(event: Any) -> None:  # noqa: ANN401
        if event.plugin_name == "scalar":
            read.setdefault(event.tag, []).append(event)
        add(event)

    data.add_tensor_event = listen
    return read


def _kept(data: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    try:
        return {tag: data.tensors(tag) for tag in data.list_tags_by_plugin("scalar")}
    except KeyError:
        return {}


if __name__ == "__main__":
    main()

"""Run by the Python of an environment with MindInsight: its own loader, run in this process, not its pool."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any


class InPlaceFuture:
    """What a pool's future is to the loader, already done."""

    def __init__(self, value: Any) -> None:  # noqa: ANN401
        self._value = value

    def result(self) -> Any:  # noqa: ANN401
        return self._value

    def add_done_callback(self, callback: Any) -> None:  # noqa: ANN401
        callback(self)


def in_place_executor() -> Any:  # noqa: ANN401
    """What its loader wants of a pool: MindInsight's would copy every event between processes."""
    from mindinsight.utils.computing_resource_mgr import Executor  # type: ignore[import-not-found]

    class InPlaceExecutor(Executor):  # type: ignore[misc]
        def submit(self, function: Any, *arguments: Any) -> InPlaceFuture:  # noqa: ANN401
            return InPlaceFuture(function(*arguments))

    return InPlaceExecutor(1, lambda *_: None, lambda: None)


def loaded_runs(root: str, on_event: Callable[[str, Any], None]) -> Iterator[tuple[str, Any]]:
    """(name, events data) of each run below ``root``, loaded; ``on_event(name, event)`` sees every value
    that the loader hands to its store."""
    os.environ.setdefault("MINDINSIGHT_WORKSPACE", os.environ.get("TMPDIR", "/tmp"))
    from mindinsight.datavisual.data_transform.ms_data_loader import MSDataLoader  # type: ignore[import-not-found]

    executor = in_place_executor()
    root = os.path.abspath(root)
    for directory, _, names in os.walk(root):
        if not any(re.search(r"summary\.\d+", name) and not name.endswith("_lineage") for name in names):
            continue
        name = os.path.relpath(directory, root).replace(os.sep, "/")
        loader = MSDataLoader(directory)
        data = loader.get_events_data()
        add = data.add_tensor_event

        def listen(event: Any, name: str = name, add: Any = add) -> None:  # noqa: ANN401
            on_event(name, event)
            add(event)

        data.add_tensor_event = listen
        while not loader.load(executor):
            pass
        yield name, data


def kept(data: Any, kind: str) -> dict[str, list[Any]]:  # noqa: ANN401
    """What the store holds of a kind, by tag without the suffix that MindInsight adds to it."""
    try:
        tags = data.list_tags_by_plugin(kind)
    except KeyError:
        return {}
    return {tag.removesuffix(f"/{kind}"): data.tensors(tag) for tag in tags}

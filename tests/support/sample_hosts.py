"""Hosts of the plugin for its tests, which answer once everything is indexed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import insight_samples
from attrs import frozen

from insight_core.plugin.testing import HostClient, host_of
from tests.waiting import eventually

ROUTES = "/data/plugin/samples"


@frozen
class Samples:
    """A host, asked about one source of one run."""

    host: HostClient
    run: str
    source: str

    def ask(self, route: str, **query: Any) -> dict[str, Any]:  # noqa: ANN401 - of JSON
        """What a route answers about the source."""
        answer: dict[str, Any] = self.host.get(
            f"{ROUTES}/{route}", run=self.run, source=self.source, **query
        ).json()
        return answer

    def overview(self) -> dict[str, Any]:
        """The overview of the whole source."""
        return eventually(self._whole)

    def lines(self, **query: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - of JSON
        """The samples of the list."""
        self.overview()
        found: list[dict[str, Any]] = self.ask("rows", **query)["samples"]
        return found

    def sample(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """The sample of a line, whole."""
        return self.ask("sample", id=line["id"], size=line["size"])

    def _whole(self) -> dict[str, Any] | None:
        answer = self.ask("overview")
        return answer if answer["indexed"] >= answer["bytes"] else None


def sources(host: HostClient) -> list[tuple[str, str]]:
    """Runs and names of all sources."""
    return [(run, name) for run, name, *_ in host.get(f"{ROUTES}/sources").json()["sources"]]


@contextmanager
def samples_of(root: Path, source: str = "", **more: Any) -> Iterator[Samples]:  # noqa: ANN401 - of host_of
    """The samples below a directory, of the first source or that of this name."""
    with host_of(insight_samples, logdir=root, **more) as host:
        found = [one for one in sources(host) if source in ("", one[1])]
        yield Samples(host, *found[0])


def write_lines(path: Path, rows: Sequence[Any], end: str = "\n") -> Path:
    """JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + end, encoding="utf-8")
    return path

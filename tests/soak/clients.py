"""Clients that stay for the whole soak: event streams, and a poller that measures its answers."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlencode

import numpy as np

from tests.soak.training import run_name, tag_name, values

_PATIENCE = 60.0  # seconds for one answer
_WIDTH = 300  # columns of a chart
_CHARTED = 10  # runs of a chart
_PAUSE = 0.2  # seconds between two rounds of the poller


class Client(threading.Thread):
    """A thread that asks until ``end``; what it finds wrong is in ``flaws``."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name=name, daemon=True)
        self.flaws: list[str] = []
        self._port = port
        self._ended = threading.Event()

    def end(self) -> None:
        """Asks the thread to end, and waits until it has."""
        self._ended.set()
        self.join(_PATIENCE)
        if self.is_alive():
            self.flaws.append(f"{self.name}: no answer for {_PATIENCE:.0f} s")

    def run(self) -> None:
        try:
            with closing(HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)) as connection:
                self._work(connection)
        except (OSError, HTTPException, ValueError) as error:
            if not self._ended.is_set():
                self.flaws.append(f"{self.name}: {error!r}")

    def _work(self, connection: HTTPConnection) -> None:
        raise NotImplementedError


class EventStream(Client):
    """Reads ``/data/events`` as the page does; the generations that it reports must grow."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name, port)
        self.events = 0
        self.generation = -1
        self._socket: socket.socket | None = None

    def end(self) -> None:
        """Ends the wait for the next event, too."""
        self._ended.set()
        if self._socket is not None:
            with suppress(OSError):  # it has ended
                self._socket.shutdown(socket.SHUT_RDWR)
        super().end()

    def _work(self, connection: HTTPConnection) -> None:
        connection.request("GET", "/data/events?since=0")
        self._socket = connection.sock
        with connection.getresponse() as answer:
            self._follow(answer)

    def _follow(self, answer: HTTPResponse) -> None:
        if answer.status != 200:
            raise ValueError(f"status {answer.status}")
        boots = set()
        while True:
            line = answer.readline()
            if not line:
                if self._ended.is_set():
                    return
                raise ValueError(f"it ended after {self.events} events")
            if line.startswith(b"data:"):
                event = json.loads(line[5:])
                if event["generation"] < self.generation:
                    raise ValueError(f"generation {event['generation']} after {self.generation}")
                boots.add(event["boot"])
                if len(boots) > 1:
                    raise ValueError("the host was started again")
                self.generation = event["generation"]
                self.events += 1


class Poller(Client):
    """Asks for the run table, changes and a chart in turn, and compares every value that it gets."""

    def __init__(self, port: int, runs: int, tags: int) -> None:
        super().__init__("poller", port)
        self.seconds: dict[str, list[float]] = {"run table": [], "changes": [], "chart": []}
        self._runs, self._tags = runs, tags
        self._generation = 0
        self._longest: dict[tuple[int, int], int] = {}  # steps of a series that were shown, by run and tag

    def _work(self, connection: HTTPConnection) -> None:
        chance = random.Random(1)
        while not self._ended.wait(_PAUSE):
            table = self._ask(connection, "run table", f"/data/run_table?since={self._generation}")
            if table["generation"] < self._generation:
                raise ValueError(f"generation {table['generation']} after {self._generation}")
            self._generation = table["generation"]
            self._ask(connection, "changes", f"/data/changes?since={self._generation}")
            runs = chance.sample(range(self._runs), min(_CHARTED, self._runs))
            tag = chance.randrange(self._tags)
            query = [
                ("tag", tag_name(tag)),
                ("width", str(_WIDTH)),
                *(("run", run_name(run)) for run in runs),
            ]
            self._check(tag, self._ask(connection, "chart", f"/data/plugin/scalar/series?{urlencode(query)}"))

    def _ask(self, connection: HTTPConnection, what: str, path: str) -> Any:  # noqa: ANN401
        began = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        self.seconds[what].append(time.perf_counter() - began)
        if answer.status != 200:
            raise ValueError(f"{path}: {answer.status} {body[:200]!r}")
        return json.loads(body)

    def _check(self, tag: int, answer: Any) -> None:  # noqa: ANN401
        for series in answer["series"]:
            run = int(series["run"].removeprefix("run"))
            steps = np.array(series["steps"], np.int64)
            where = f"{series['run']} {series['tag']}"
            if not np.array_equal(np.array(series["values"], np.float32), values(run, tag, steps)):
                raise ValueError(f"{where}: values differ from what was written")
            shown = int(series["total"])
            if shown < self._longest.get((run, tag), 0):
                raise ValueError(f"{where}: {shown} points after {self._longest[run, tag]}")
            self._longest[run, tag] = shown


def until(holds: Callable[[], bool], patience: float = _PATIENCE) -> bool:
    """Whether it holds before ``patience`` seconds are over."""
    deadline = time.monotonic() + patience
    while not (found := holds()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found

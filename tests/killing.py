"""Training that goes on while what reads its logs is killed: a writer, and programs to kill."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from attrs import define, frozen

from insight_authoring.testing.scalar_block import Form
from insight_core.ingest.index.upkeep import KeptFile, kept_files
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, InsightError
from insight_core.plugin.data import DataProvider, ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from tests.support.growing_file import GrowingFile

_PATIENCE = 300.0  # seconds that a program has to show what the files hold


# --- the writer -----------------------------------------------------------------------------------


class Training:
    """Writes several runs below ``logdir`` in a thread, a few bytes at a time, while ``running``."""

    def __init__(self, logdir: Path, seed: int) -> None:
        self.logdir = logdir
        self._random = random.Random(seed)
        self._files: list[GrowingFile] = []
        self._numbers = itertools.count()
        self._may_write = threading.Lock()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="training", daemon=True)
        for _ in range(4):
            self._begin()

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ended = True
        self._thread.join()

    @contextmanager
    def paused(self) -> Iterator[None]:
        with self._may_write:
            yield

    def _run(self) -> None:
        while not self._ended:
            with self._may_write:
                self._step()
            time.sleep(self._random.choice([0, 0, 0.001, 0.01]))

    def _step(self) -> None:
        file = self._random.choice(self._files)
        draw = self._random.random()
        if draw > 0.06:
            if not file.grow(self._random.choice([1, 11, 12, 40, 200, 2000])):
                self._files.remove(file)
        elif draw > 0.04:
            self._begin()
        elif draw > 0.03:
            file.replace(self._content(file.path.name))
        elif draw > 0.02:
            file.rewrite(self._content(file.path.name))
        elif draw > 0.005:
            self._cut(file)
        else:
            file.path.unlink()
            self._files.remove(file)
        if len(self._files) < 3:
            self._begin()

    def _begin(self) -> None:
        """Another event file, in a run that is there or in a new one."""
        number = next(self._numbers)
        run = self.logdir / f"run{self._random.randrange(1 + number // 2)}"
        mindspore = self._random.random() < 0.4
        name = (
            f"events.summary.{1_700_000_000 + number}" if mindspore else f"tfevents.{1_700_000_000 + number}"
        )
        path = run / f"events.out.{name}.test"
        self._files.append(GrowingFile(self._content(path.name), path))

    def _cut(self, file: GrowingFile) -> None:
        """Cuts the file somewhere and goes on with other content, as after a crash of the machine."""
        size = self._random.randrange(file.size + 1)
        os.truncate(file.path, size)
        file.content = file.content[:size] + self._content(file.path.name)
        file.size = size

    def _content(self, name: str) -> bytes:
        """An event file of its own: no two have the same times and values."""
        dialect = Dialect.MINDSPORE if "summary" in name else Dialect.TENSORBOARD
        forms: list[Form] = ["simple", "tf2", "tensor"] if dialect is Dialect.TENSORBOARD else ["simple"]
        draw = self._random
        place = self.logdir.parent / "content" / name
        with EventWriter(place, dialect, start_time=draw.uniform(1.6e9, 1.7e9)) as writer:
            for first in range(0, draw.randrange(0, 2000), 100):
                steps = np.arange(first, first + 100)
                values = np.array([[draw.random(), draw.random()] for _ in steps])
                form = draw.choice(forms)
                writer.scalar_block(["loss", f"{form}/accuracy"], steps, values, form=form)
                if dialect is Dialect.TENSORBOARD:
                    writer.text("notes", first, f"words {draw.random()}" * draw.choice([1, 50]))
                else:
                    writer.image("picture", first, draw.randbytes(draw.choice([10, 5000])), 4, 4)
                if draw.random() < 0.1:
                    writer.raw(draw.randbytes(30))  # damage
        return place.read_bytes()


# --- what is shown --------------------------------------------------------------------------------


def shown(data: DataProvider) -> dict[str, object]:
    """Everything that a provider has, values and all, in a form that can be compared."""
    found: dict[str, object] = {"runs": sorted((run.name, run.dialects) for run in data.runs())}
    for plugin in sorted(data.plugins()):
        for info in data.series(plugin):
            name = f"{plugin} {info.key.run} {info.key.tag}"
            found[name] = (info.points, info.kept, info.first_step, info.last_step, info.claims)
            found[f"{name} points"] = _points(data, plugin, info.key)
    return found


def _points(data: DataProvider, plugin: str, key: SeriesKey) -> list[bytes]:
    columns = data.scalars(plugin, [key], ScalarQuery(attempts="all")).get(key)
    if columns is not None:
        return [column.tobytes() for column in (columns.steps, columns.wall_times, columns.values)]
    table = data.records(plugin, key)
    payloads = [data.payload(plugin, key, index).data for index in range(0, len(table.steps), 3)]
    return [column.tobytes() for column in (table.steps, table.wall_times, table.sizes)] + payloads


def loaded(logdir: Path, cache: Path | None) -> dict[str, object]:
    """What a new process would show once it has read everything, with damage."""
    plugins = list(Registry.discover().plugins.values())  # as the programs do
    provider = LocalProvider([Logdir(str(logdir))], plugins, reload_interval=0, cache_directory=cache)
    try:
        provider.load()
        return {**shown(provider), "damage": list(provider.damage())}
    finally:
        provider.close()


def differences(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    """What the two do not have in common; values at length would hide it."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


# --- programs to kill -----------------------------------------------------------------------------


@frozen
class Program:
    """A command that loads a logdir, and how it is asked what it shows (None: it cannot be)."""

    command: Callable[[Path, Path, Path], list[str]]  # of logdir, cache directory and a directory of its own
    shows: Callable[[Running, dict[str, object]], list[str]] | None = None


@define
class Running:
    """A program that runs."""

    process: subprocess.Popen[bytes]
    place: Path

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


_LOADER = """
import sys, time
from insight_core.ingest.index import writer as index_writer
from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from pathlib import Path
index_writer._APART = index_writer._PATIENCE = index_writer._GROWTH = index_writer._GROWTH_SHARE = 0
plugins = list(Registry.discover().plugins.values())
provider = LocalProvider(
    [Logdir(sys.argv[1])], plugins, reload_interval=0.01, cache_directory=Path(sys.argv[2])
)
provider.start()
time.sleep(3600)
"""


def _loader(logdir: Path, cache: Path, place: Path) -> list[str]:
    return [sys.executable, "-c", _LOADER, str(logdir), str(cache)]


def _data_server(logdir: Path, cache: Path, place: Path) -> list[str]:
    flags = [f"--logdir={logdir}", f"--cache-dir={cache}", "--port=0", f"--port-file={place / 'port'}"]
    return [sys.executable, "-m", "insight_core.cli.data_server", *flags, "--reload=0.1"]


def _host(logdir: Path, cache: Path, place: Path) -> list[str]:
    flags = [f"--logdir={logdir}", f"--cache-dir={cache}", "--port=0", "--reload-interval=0.1"]
    return [sys.executable, "-m", "insight_core.cli", *flags]


def _over_grpc(running: Running, expected: dict[str, object]) -> list[str]:
    from insight_core.providers.insight_client import InsightProvider
    from insight_core.providers.link import Link

    port = running.place / "port"
    if not port.exists():
        return ["it does not listen yet"]
    provider = InsightProvider(Link(f"localhost:{port.read_text().strip()}"))
    provider.start()
    try:
        return differences(shown(provider), expected)
    except InsightError as error:
        return [str(error)]
    finally:
        provider.close()


def _over_http(running: Running, expected: dict[str, object]) -> list[str]:
    words = (running.place / "output").read_text().split()
    address = next((word for word in words if word.startswith("http")), None)
    if address is None:
        return ["it does not listen yet"]
    with urllib.request.urlopen(f"{address}data/plugin/scalar/tags", timeout=60) as answer:
        tags = json.load(answer)
    found = {
        f"scalar {run} {tag}": (info["points"], info["points"], info["first_step"], info["last_step"])
        for run, listed in tags.items()
        for tag, info in listed.items()
    }
    wanted = {
        name: value[:4]
        for name, value in expected.items()
        if name.startswith("scalar ") and isinstance(value, tuple)
    }
    return differences(found, wanted)


PROGRAMS = {
    "loader": Program(_loader),
    "data server": Program(_data_server, _over_grpc),
    "host": Program(_host, _over_http),
}


def start(program: Program, logdir: Path, cache: Path, place: Path) -> Running:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    command = program.command(logdir, cache, place)
    with open(place / "output", "wb") as output:
        return Running(subprocess.Popen(command, stdout=output, stderr=output), place)


def wait_for_a_save(cache: Path, before: set[KeptFile]) -> None:
    """Until something is written to the cache, which new files that training begins bring about."""
    deadline = time.monotonic() + _PATIENCE
    while set(kept_files(cache)) == before and time.monotonic() < deadline:
        time.sleep(0.001)


def catch_up(program: Program, running: Running, expected: dict[str, object]) -> list[str]:
    """Waits until the program shows what it should; returns what is still different when it does not."""
    if program.shows is None:
        return []
    deadline = time.monotonic() + _PATIENCE
    while True:
        found = program.shows(running, expected)
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)

"""A soak: training that goes on while clients follow it, and what must hold in the end."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from insight_authoring.testing.event_writer import START_TIME
from insight_core.cli.text_table import table
from tests.soak.clients import EventStream, Poller, until
from tests.soak.resources import Sample, Sampler, ends
from tests.soak.training import run_name, tag_name, values

_STREAMS = 3
_POINT = 48  # bytes of a point in memory, at most: 24 of columns, in buffers that double
_MEMORY = 16 << 20  # bytes that caches and fragmentation may take besides points
_DESCRIPTORS = 8
_THREADS = 4
_MOST_COMPARED = 20  # flaws of values that are listed
_PATIENCE = 120.0  # seconds to start, to catch up and to end


@frozen(kw_only=True)
class Plan:
    """How long, and how much; times in seconds, sizes in bytes."""

    duration: float
    warm_up: float
    runs: int = 100
    tags: int = 20
    interval: float = 0.2
    max_memory: int = 16 << 20
    flags: Sequence[str] = ()


@frozen
class Report:
    """What a soak measured, and what did not hold."""

    rows: Sequence[tuple[str, str, str, str]]  # figure, at the beginning, at the end, limit
    flaws: Sequence[str] = field(factory=list)

    def __str__(self) -> str:
        text = table(["", "after warm-up", "at the end", "limit"], self.rows)
        return "\n".join([text, "", *(f"FAILED: {flaw}" for flaw in self.flaws or ())]).rstrip()


def soak(plan: Plan, place: Path) -> Report:
    """Runs training, a host and its clients for a while; ``place`` is an empty directory for all files."""
    logdir = place / "logs"
    logdir.mkdir()  # the host may be faster than the training, and would not find it
    flaws: list[str] = []
    with ExitStack() as running:
        log = running.enter_context(open(place / "host.log", "w+b"))
        training = running.enter_context(_training(plan, logdir))
        host, port = running.enter_context(_host(plan, place, log))
        _get(port, "/openapi.json")  # needs the routes of all plugins: each has a thread for them
        sampler = Sampler(lambda: _family(host.pid))
        clients = [EventStream(f"stream {number}", port) for number in range(_STREAMS)]
        poller = Poller(port, plan.runs, plan.tags)
        for thread in (sampler, *clients, poller):
            thread.start()
        until(lambda: host.poll() is not None or training.poll() is not None, plan.duration)
        sampler.end()
        told, _ = training.communicate(b"", timeout=_PATIENCE)
        steps = int(told or 0)
        if host.poll() is not None:
            flaws.append(f"the host ended early: {(place / 'host.log').read_text()[-2000:]}")
        else:
            flaws += _what_differs(plan, port, steps)
            now = _get(port, f"/data/changes?since={1 << 40}")["generation"]
            for client in clients:
                if not until(lambda client=client: client.generation >= now):  # type: ignore[misc]
                    flaws.append(f"{client.name} stopped at generation {client.generation} of {now}")
        for thread in (*clients, poller):
            thread.end()
            flaws += thread.flaws
        flaws += _ended(host)
    said = (place / "host.log").read_text(errors="replace").strip()
    flaws += [f"the host logged: {said[:2000]}"] if said else []
    rows = _resources(plan, sampler.samples, flaws)
    rows.append(("points", "", f"{steps * plan.runs * plan.tags:,}", ""))
    rows.append(("events of a stream", "", f"{min(client.events for client in clients):,}", ""))
    for what, seconds in poller.seconds.items():
        if seconds:
            rows.append((f"{what}, p50", "", f"{1000 * np.percentile(seconds, 50):.0f} ms", ""))
            rows.append((f"{what}, p95", "", f"{1000 * np.percentile(seconds, 95):.0f} ms", ""))
        else:
            flaws.append(f"the poller had no answer about {what}")
    return Report(rows, flaws)


def _resources(plan: Plan, samples: Sequence[Sample], flaws: list[str]) -> list[tuple[str, str, str, str]]:
    """A row for each resource; growth beyond its limit is a flaw."""
    if not samples or samples[-1].at - samples[0].at < 2 * plan.warm_up:
        flaws.append(f"{len(samples)} samples of the host's resources are too few")
        return []
    points = plan.runs * plan.tags * (plan.duration - plan.warm_up) / plan.interval
    memory = _MEMORY + min(plan.max_memory, _POINT * points)
    limits: list[tuple[str, Callable[[Sample], int], float, float, str]] = [
        ("memory in no file", lambda one: one.memory, memory, 1e6, "{:.0f} MB"),
        ("file descriptors", lambda one: one.descriptors, _DESCRIPTORS, 1, "{:.0f}"),
        ("threads", lambda one: one.threads, _THREADS, 1, "{:.0f}"),
    ]
    rows = []
    for name, of, limit, unit, form in limits:
        first, last = ends(samples, plan.warm_up, of)
        shown = [form.format(number / unit) for number in (first, last, limit)]
        rows.append((name, shown[0], shown[1], f"+ {shown[2]}"))
        if last - first > limit:
            flaws.append(f"{name} grew from {shown[0]} to {shown[1]}, by more than {shown[2]}")
    return rows


def _what_differs(plan: Plan, port: int, steps: int) -> list[str]:
    """What the host shows in the end is compared with what was written, value by value."""
    if not until(lambda: _points(port) == [steps] * (plan.runs * plan.tags), _PATIENCE):
        found = _points(port)
        return [
            f"{len(found)} series have {min(found, default=0)} to {max(found, default=0)} points of {steps}"
        ]
    flaws = []
    expected = np.arange(steps)
    for tag in range(plan.tags):
        answer = _get(port, f"/data/plugin/scalar/series?tag={tag_name(tag)}")
        shown = {series["run"]: series for series in answer["series"]}
        for run in range(plan.runs):
            series = shown.get(run_name(run), {"steps": [], "wall_times": [], "values": []})
            same = (
                np.array_equal(series["steps"], expected)
                and np.array_equal(series["wall_times"], START_TIME + expected)
                and np.array_equal(np.array(series["values"], np.float32), values(run, tag, expected))
            )
            if not same:
                flaws.append(f"{run_name(run)} {tag_name(tag)} is not what was written")
    damage = _get(port, "/data/damage")["damage"]
    flaws += [f"damage of {entry['file']}: {entry['reason']}" for entry in damage]
    return flaws[:_MOST_COMPARED]


def _ended(host: subprocess.Popen[bytes]) -> list[str]:
    """Asks the host to end, as a user does."""
    host.terminate()
    try:
        code = host.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        return [f"the host did not end within {_PATIENCE:.0f} s"]
    return [f"the host ended with {code}"] if code else []


def _points(port: int) -> list[int]:
    tags = _get(port, "/data/plugin/scalar/tags")
    return [info["points"] for found in tags.values() for info in found.values()]


def _answers(port: int) -> bool:
    try:
        return bool(_get(port, "/data/run_table")["progress"]["loaded_once"])
    except urllib.error.HTTPError as error:  # its data server is starting
        error.close()
        return False


def _get(port: int, path: str) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=_PATIENCE) as answer:
        return json.load(answer)


def _family(process: int) -> list[int]:
    """A process and all that it started."""
    found, pending = [], [process]
    while pending:
        found.append(pending.pop())
        for task in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            pending += map(int, task.read_text().split())
    return found


@contextmanager
def _training(plan: Plan, logdir: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Goes on until its standard input is closed."""
    numbers = [str(number) for number in (plan.runs, plan.tags, plan.interval)]
    command = [sys.executable, "-m", "tests.soak.training", str(logdir), *numbers]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _host(plan: Plan, place: Path, log: Any) -> Iterator[tuple[subprocess.Popen[bytes], int]]:  # noqa: ANN401
    """The host and its port."""
    places = [f"--{name}-dir={place / name}" for name in ("cache", "state")]
    flags = [
        f"--logdir={place / 'logs'}",
        "--no-token",
        *places,
        f"--max-memory={plan.max_memory}",
        *plan.flags,
    ]
    command = [sys.executable, "-m", "insight_core.cli", "--port=0", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            port = next(
                (word.split(":")[2].strip("/") for word in line.split() if word.startswith("http")), ""
            )
            assert port, f"the host did not start: {line}{(place / 'host.log').read_text()}"
            assert until(lambda: _answers(int(port)), _PATIENCE), f"{port} does not answer"
            yield process, int(port)
        finally:
            process.kill()

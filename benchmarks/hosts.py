"""Hosts and servers on a corpus: how each is started, and when it has everything."""

from __future__ import annotations

import http.client
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.corpus import WrittenCorpus, event_files, run_name, tag_names
from benchmarks.data_service import channel, has_everything, has_loaded
from benchmarks.processes import Failed, Program, free_port, peer_environment, started
from insight_core.plugin import Dialect

_PATIENCE = 120.0  # seconds
_PAUSE = 0.01  # seconds between questions
_TENSORBOARD_PAUSE = 0.05  # its answers are longer, and it takes longer
_FUTURE = 1 << 40  # a generation after which nothing has changed yet
_FINISHED = "Finished load cycle"


@contextmanager
def our_host(corpus: WrittenCorpus, *flags: str) -> Iterator[tuple[Program, float]]:
    """``insight-host``, and the seconds until ``/tags`` of the plugin of this corpus was complete.

    Long questions would slow it while it loads. So it is asked for the number of its generation, which is
    short, then, once that stands still, whether everything is loaded, and only then for all tags.
    """
    port = free_port()
    with started(our_command("insight_core.cli", corpus, port, *flags), port=port) as program:
        program.wait(_Loading(port).is_over, pause=_PAUSE, patience=_PATIENCE)
        tags = get_json(port, f"/data/plugin/{corpus.content.plugin}/tags")
        seconds = program.elapsed()
        expected = _expected(corpus, {"first_step": 0, "last_step": corpus.content.steps - 1})
        kept = {
            run: {tag: _steps(info) for tag, info in found.items()} for run, found in (tags or {}).items()
        }
        if kept != expected:
            raise Failed("it says that everything is loaded but tags are missing or incomplete")
        yield program, seconds


@contextmanager
def our_server(corpus: WrittenCorpus, *flags: str) -> Iterator[tuple[Program, float]]:
    """``insight-data-server``, and the seconds until one List call had every series to its end."""
    port = free_port()
    command = our_command("insight_core.cli.data_server", corpus, port, *flags)
    with started(command, port=port) as program, channel(port) as opened:
        program.wait(lambda: has_loaded(opened), pause=_PAUSE, patience=_PATIENCE)
        if not has_everything(opened, corpus.content):
            raise Failed("it says that everything is loaded but series are missing or incomplete")
        yield program, program.elapsed()


@contextmanager
def rust_server(corpus: WrittenCorpus, *flags: str) -> Iterator[tuple[Program, float]]:
    """``tensorboard-data-server``, and the seconds until one List call had every series to its end."""
    with rust_loaded(corpus, *flags) as (program, _), channel(program.port) as opened:
        if not has_everything(opened, corpus.content):
            raise Failed("its load cycle is finished but series are missing or incomplete")
        yield program, program.elapsed()


@contextmanager
def rust_loaded(corpus: WrittenCorpus, *flags: str) -> Iterator[tuple[Program, float]]:
    """``tensorboard-data-server``, and the seconds until it says that its first load cycle is finished."""
    import tensorboard_data_server  # type: ignore[import-untyped]

    port = free_port()
    command = [str(tensorboard_data_server.server_binary()), "--logdir", str(corpus.logdir)]
    command += ["--port", str(port), "--reload", "once", "-v", *flags]
    with started(command, port=port) as program:
        yield program, program.log.await_text(_FINISHED, _PATIENCE) - program.began


@contextmanager
def tensorboard_host(corpus: WrittenCorpus, *flags: str) -> Iterator[tuple[Program, float]]:
    """TensorBoard with its Rust server, and the seconds until ``/tags`` of this corpus was complete.

    It does not say when everything is loaded: it is asked for the names of its runs, then for all tags.
    """
    port, content = free_port(), corpus.content
    python = os.environ["INSIGHT_PEER_TENSORBOARD"]
    command = [python, "-m", "tensorboard.main", "--logdir", str(corpus.logdir), "--load_fast", "true"]
    command += ["--host", "127.0.0.1", "--port", str(port), *flags]
    with (
        tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace,
        started(command, port=port, environment=peer_environment(Path(workspace))) as program,
    ):
        program.wait(
            lambda: len(get_json(port, "/data/runs") or ()) == content.runs,
            pause=_TENSORBOARD_PAUSE,
            patience=_PATIENCE,
        )
        expected = {run: set(tags) for run, tags in _expected(corpus, {}).items()}
        seconds = program.wait(
            lambda: _tags_of_tensorboard(port, content.plugin) == expected,
            pause=_TENSORBOARD_PAUSE,
            patience=_PATIENCE,
        )
        tag = tag_names(content.tags)[-1]
        for run in (run_name(0), run_name(content.runs - 1)):  # its tags are there before its points
            plugin = f"{content.plugin}s"
            path = f"/data/plugin/{plugin}/{plugin}?run={quote(run)}&tag={quote(tag)}&sample=0"
            program.wait(
                partial(_ends_at, port, path, content.steps - 1), pause=_TENSORBOARD_PAUSE, patience=_PATIENCE
            )
        yield program, seconds


def _ends_at(port: int, path: str, step: int) -> bool:
    """Whether the last point of TensorBoard's answer has this step, by name or as the second number."""
    points = get_json(port, path)
    if not points:
        return False
    last = points[-1]
    return bool((last["step"] if isinstance(last, dict) else last[1]) == step)


def our_command(module: str, corpus: WrittenCorpus, port: int, *flags: str) -> list[str]:
    return [sys.executable, "-m", module, "--logdir", str(corpus.logdir), "--port", str(port), *flags]


def get_json(port: int, path: str) -> Any:  # noqa: ANN401
    """The answer, or None when nobody listens yet."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
    except ConnectionError:
        return None
    finally:
        connection.close()
    if answer.status == 503:  # the data is not there yet
        return None
    if answer.status != 200:
        raise Failed(f"{path}: {answer.status} {body[:200]!r}")
    return json.loads(body)


class _Loading:
    """Of our host: when it has read all that was there."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._generation = 0

    def is_over(self) -> bool:
        before, changes = self._generation, get_json(self._port, f"/data/changes?since={_FUTURE}")
        if changes is None:
            return False
        self._generation = changes["generation"]
        if self._generation != before:
            return False
        table = get_json(self._port, "/data/run_table")
        return table is not None and bool(table["progress"]["loaded_once"])


def _steps(info: Mapping[str, object]) -> dict[str, object]:
    return {name: info[name] for name in ("first_step", "last_step")}


def _expected(corpus: WrittenCorpus, info: dict[str, int]) -> dict[str, dict[str, dict[str, int]]]:
    runs = map(run_name, range(corpus.content.runs))
    return {run: dict.fromkeys(_tags(corpus, run), info) for run in runs}


def _tags(corpus: WrittenCorpus, run: str) -> list[str]:
    if corpus.content.kind != "graph":
        return tag_names(corpus.content.tags)
    if corpus.content.dialect is Dialect.MINDSPORE:
        return [path.name for path in event_files(corpus.logdir / run)]
    return ["__run_graph__"]


def _tags_of_tensorboard(port: int, plugin: str) -> dict[str, set[str]]:
    tags = get_json(port, f"/data/plugin/{plugin}s/tags") or {}
    return {run: set(found) for run, found in tags.items()}

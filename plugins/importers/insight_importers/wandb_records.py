"""Reads the records of a W&B log into the facts and values of its run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, ReasonKind
from insight_importers.cells import TOO_DEEP, cell_of, config_cells, loaded, number_of
from insight_importers.media import MediaFiles
from insight_importers.odd_values import float_of, odd_step, odd_time, whole_of
from insight_importers.series_buffer import SeriesBuffer, last_lines
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_steps import HistoryRows
from insight_importers.wandb_values import with_files, write_value

_CONSOLE = 64 << 10  # characters
_DEEPEST = 100  # parts of a key
_INTERNAL = "_wandb"
_NOT_SHOWN = {"_step", "_timestamp", "_runtime", "_wandb"}
_KEY = "run"  # there is one run in a store
_SETTING = ReasonKind("importers_setting", "{name!r}: {cause}")


class WandbRun:
    """Takes the records of each log in the order of the file. ``state`` is what a later call needs."""

    def __init__(self, state: dict[str, Any], target: TranslatedRuns) -> None:
        self.flaws: list[Flaw] = []
        self._state, self._target = state, target
        for key, empty in (("config", {}), ("summary", {}), ("origin", {}), ("begun", [])):
            state.setdefault(key, empty)
        self._rows = HistoryRows(state)
        self._buffer = SeriesBuffer()
        self._console: list[str] = []
        self._log = ""  # the directory of the log whose records are taken

    @property
    def name(self) -> str:
        """The name of the run: the last one that its user gave, with its id, else that of the directory."""
        origin = self._state["origin"]
        return f"{origin['name']} {origin['id']}" if "name" in origin else str(self._state["directory"])

    def begin_log(self, directory: Path) -> None:
        """Names the directory of the log that the next records are of; the run has the name of the first."""
        self._log = os.fspath(directory)
        self._rows.begin_log(self._log)
        self._state.setdefault("directory", directory.name)

    def take(self, record: Any) -> None:  # noqa: ANN401 - a message that is made at run time
        """Takes one record."""
        kind = next((field.name for field, _ in record.ListFields()), "")
        if kind == "history":
            self._history(record.history)
        elif kind == "stats":
            self._stats(record.stats)
        elif kind == "config":
            self._change(self._state["config"], record.config)
        elif kind == "summary":
            self._change(self._state["summary"], record.summary)
        elif kind == "output_raw":
            self._console.append(record.output_raw.line)
        elif kind == "run":
            self._run(record.run)
        elif kind == "metric":
            self._rows.define(self._log, record.metric)
        elif kind == "environment":
            self._environment(record.environment)
        elif kind == "exit":
            self._state["exit"] = record.exit.exit_code
            self._state["runtime"] = record.exit.runtime

    def write(self) -> bool:
        """Writes what the records said into the files of the run.

        Returns False if the run has to be translated again, with the same ``axes`` in its state.
        """
        if not self._rows.settle():
            return False
        placed = self._rows.place()
        state = self._state
        if "id" not in state and not self._buffer.columns and not placed:
            return True
        run = self._target.run(_KEY, self.name)
        self._target.rename(_KEY, self.name)
        self.flaws += self._buffer.write(run)
        for session, values in sorted(placed.items()):
            run.begin_session(session)
            self.flaws += values.numbers.write(run)
            for row in values.others:
                media = MediaFiles(Path(row.log) / "files")
                with media.shown(self.flaws.append, row.tag, row.step):
                    value = with_files(row.tag, row.row, row.value)
                    write_value(run, media, row.tag, row.step, row.wall_time, value)
        facts = run.facts
        facts.started = float(state.get("started", 0.0))
        facts.origin = {"tracker": "W&B", **state["origin"]}
        facts.config, flaws = config_cells({k: v for k, v in state["config"].items() if k != _INTERNAL})
        self.flaws += flaws
        if "exit" in state:
            facts.status = "failure" if state["exit"] else "success"
            facts.ended = state.get("resumed", 0.0) + state["runtime"]
            facts.results = self._results()
        else:
            facts.status = "running"
        if self._console:
            console = last_lines(facts.texts.get("console", ""), self._console, _CONSOLE)
            facts.texts["console"] = console
        if state.get("notes"):
            facts.texts["notes"] = state["notes"]
        return True

    def notes(self) -> Iterator[Flaw]:
        """Yields notes for users about the run; they may differ in a later call."""
        return self._rows.flaws()

    def _results(self) -> dict[str, float]:
        found = {}
        for tag, value in _leaves(self._state["summary"], ""):
            number = number_of(value) if not isinstance(value, str) else None
            if number is not None and tag not in self._rows.logged and tag.split(".")[0] not in _NOT_SHOWN:
                found[tag] = number
        return found

    def _run(self, run: Any) -> None:  # noqa: ANN401
        state = self._state
        state["id"] = run.run_id
        began = run.start_time.seconds + run.start_time.nanos * 1e-9
        state["started"] = min(state.get("started", began), began)
        state["resumed"] = began
        if self._log not in state["begun"]:
            state["begun"].append(self._log)
            state.pop("exit", None)
            self._rows.start(self._log, run.starting_step)
        state["notes"] = run.notes or state.get("notes", "")
        self._change(state["config"], run.config)
        self._change(state["summary"], run.summary)
        given = {
            "name": run.display_name,
            "id": run.run_id,
            "project": run.project,
            "group": run.run_group,
            "job_type": run.job_type,
            "tags": ", ".join(run.tags),
            "sweep": run.sweep_id,
            "host": run.host,
            "git_commit": run.git.commit,
        }
        state["origin"].update({key: cell_of(value) for key, value in given.items() if value})

    def _environment(self, environment: Any) -> None:  # noqa: ANN401
        command = " ".join([environment.program, *environment.args]) if environment.program else ""
        given = {
            "host": environment.host,
            "python": environment.python,
            "platform": environment.os,
            "gpu": environment.gpu_type,
            "git_commit": environment.git.commit,
            "command": command,
        }
        self._state["origin"].update({key: cell_of(value) for key, value in given.items() if value})

    def _history(self, history: Any) -> None:  # noqa: ANN401
        step = history.step.num if history.HasField("step") else None
        wall_time = float("nan")
        nested: dict[str, Any] = {}
        values: list[tuple[str, Any]] = []  # numbers are floats
        others: list[tuple[str, Any]] = []
        for item in history.item:
            path, text = item.nested_key or (item.key,), item.value_json
            if len(path) > 1:
                self._put(nested, path, text)
                continue
            tag = path[0]
            if tag == "_timestamp":
                wall_time = self._time(text)
            elif tag == "_step":
                given = whole_of(text)
                if given is None:
                    self.flaws.append(odd_step("a row of the history", text))
                    return
                step = given
            elif tag not in _NOT_SHOWN:
                try:
                    values.append((tag, float(text)))
                except ValueError:
                    others.append((tag, _json(text)))
        for tag, value in [*others, *nested.items()]:
            for leaf, content in _leaves({tag: value}, ""):
                measured = number_of(content) if not isinstance(content, str) else None
                if content is not None:
                    values.append((leaf, content if measured is None else measured))
        self._rows.add(self._log, step, wall_time, values)

    def _put(self, values: dict[str, Any], path: Any, text: str) -> None:  # noqa: ANN401
        if len(path) > _DEEPEST:
            name = path[0]
            reason = _SETTING(name=name, cause=TOO_DEEP)
            self.flaws.append(Flaw(0, reason))
            return
        place = values
        for part in path[:-1]:
            inner = place.get(part)
            if not isinstance(inner, dict):
                inner = place[part] = {}
            place = inner
        place[path[-1]] = _json(text)

    def _time(self, text: str) -> float:
        seconds = float_of(text)
        if seconds is None:
            self.flaws.append(odd_time("a row of the history", text))
            return float("nan")
        return seconds

    def _stats(self, stats: Any) -> None:  # noqa: ANN401
        wall_time = stats.timestamp.seconds + stats.timestamp.nanos * 1e-9
        step = max(0, int(wall_time - self._state.get("started", wall_time)))
        for item in stats.item:
            number = number_of(_json(item.value_json))
            if number is not None:
                self._buffer.add(f"system/{item.key}", step, wall_time, number)

    def _change(self, cells: dict[str, Any], change: Any) -> None:  # noqa: ANN401
        for item in change.update:
            self._put(cells, item.nested_key or (item.key,), item.value_json)
        for item in change.remove:
            path = list(item.nested_key or (item.key,))
            place: Any = cells
            for part in path[:-1]:
                place = place.get(part, {}) if isinstance(place, dict) else {}
            if isinstance(place, dict):
                place.pop(path[-1], None)


def _leaves(values: dict[str, Any], above: str) -> list[tuple[str, Any]]:
    """Leaves of nested objects, named as W&B's API names them: ``a.b``."""
    found: list[tuple[str, Any]] = []
    waiting = [(above + key, value) for key, value in reversed(values.items())]
    while waiting:
        tag, value = waiting.pop()
        if isinstance(value, dict) and "_type" not in value:
            waiting += [(f"{tag}.{key}", one) for key, one in reversed(value.items())]
        else:
            found.append((tag, value))
    return found


def _json(text: str) -> Any:  # noqa: ANN401
    """The value of a text in JSON; for a text that is not JSON, or is nested too deeply, the text itself."""
    try:
        return loaded(text)
    except ValueError:
        return text

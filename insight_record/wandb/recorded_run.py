"""A run of W&B, recorded by a ``SummaryWriter``."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from collections.abc import Mapping
from threading import RLock
from time import time
from types import TracebackType
from typing import Any, SupportsIndex

from insight_record.argument_checks import whole_number_of
from insight_record.summary_writer import SummaryWriter
from insight_record.values.hparams import ended
from insight_record.wandb.absent import absent
from insight_record.wandb.media import LoggedValue, warn_of
from insight_record.wandb.metrics import Metrics
from insight_record.wandb.places import RunPlace, StepFile
from insight_record.wandb.settled import Config, Settled
from insight_record.wandb.values import values_of
from insight_record.wandb.watched import Watched

log = logging.getLogger(__name__)

_EVERY = 15.0  # seconds between two looks at the machine, as W&B
_STEPS = range(1 << 62)
_INSTEAD = {
    "log_artifact": "copy the file to a place of your own",
    "use_artifact": "read the file from a place of your own",
    "link_artifact": "copy the file to a place of your own",
    "log_model": "copy the file to a place of your own",
    "log_code": "the commit and uncommitted changes are recorded by themselves",
    "save": "copy the file to a place of your own",
    "get_url": "insight-host DIR shows the run",
    "alert": "insight-host --alerts FILE sends alerts",
}


class Run:
    """Records what is logged, by W&B's steps. Thread-safe; ``init`` makes it.

    ``config`` are hyperparameters, columns of the run table. ``summary`` has the last value of each metric;
    numbers that are set in it and were never logged are recorded at the end, texts as columns.
    """

    def __init__(
        self, place: RunPlace, config: Config, *, facts: Mapping[str, str | None], notes: str
    ) -> None:
        self.project, self.name, self.id = place.project, place.name, place.id
        self.group, self.job_type = facts.get("group"), facts.get("job_type")
        self.tags, self.notes = facts.get("tags") or "", notes
        self.entity, self.url, self.sweep_id, self.offline = "", None, None, True  # as W&B without its server
        self.path = "/".join(one for one in (self.project, self.id) if one)
        self.resumed, self.disabled = place.resumed, place.directory is None
        self.config, self.summary = config, Settled()
        self._lock = RLock()
        self._step = self._first_step = place.step
        self._ignored = 0
        self._pending: dict[str, float | LoggedValue] = {}
        self._metrics = Metrics()
        self._watched = Watched(lambda values: self.log(values, commit=False))
        self._is_finished = False
        where = os.devnull if place.directory is None else place.directory
        # a process that calls init() has a run of its own, whatever its rank
        self._writer = SummaryWriter(
            where,
            write_to_disk=not self.disabled,
            all_ranks=True,
            environment=not self.disabled,
            system_every=0 if self.disabled else _EVERY,
        )
        self._steps = None if place.directory is None else StepFile(place.directory)
        self._begin({name: value for name, value in facts.items() if value})
        atexit.register(self._at_exit)

    def _begin(self, facts: Mapping[str, str]) -> None:
        if self.disabled:
            return
        self._record_config()  # first: TensorBoard reads no later hyperparameters
        origin = {"project": self.project, "name": self.name, "id": self.id, **facts}
        self._writer.add_configuration({"wandb": {name: value for name, value in origin.items() if value}})
        if self.notes:
            self._writer.add_text("notes", self.notes)
        self.config.follow(self._record_config)
        if os.environ.get("WANDB_SILENT", "").lower() not in ("1", "true"):
            print(f"insight_record: the run {self.name} is recorded into {self.dir}", file=sys.stderr)

    @property
    def dir(self) -> str:
        """The directory of the run."""
        return self._writer.log_dir

    @property
    def step(self) -> int:
        """The step of the next ``log`` without one."""
        return self._step

    @property
    def starting_step(self) -> int:
        """The step with which this process began: 0, or that at which a resumed run goes on."""
        return self._first_step

    @property
    def is_finished(self) -> bool:
        """Whether ``finish`` was called."""
        return self._is_finished

    def log(
        self, data: Mapping[str, Any], step: SupportsIndex | None = None, commit: bool | None = None
    ) -> None:
        """Records values at W&B's step, which grows by one with each call.

        With ``step``, or ``commit=False``, further calls add to the same step until a later one is named. As
        in W&B, values of a step before the current one are left out, with a warning. Raises TypeError or
        ValueError, naming the value, for what cannot be recorded.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"log takes a mapping, not {type(data).__name__}")
        made = {tag: one for name, value in data.items() for tag, one in values_of(str(name), value)}
        at = None if step is None else whole_number_of("step", _index(step), _STEPS)
        with self._lock:
            if self._is_finished:
                raise ValueError(f"the run {self.name} is finished")
            if at is not None and at < self._step:
                self._ignored += 1
                if self._ignored == 1:
                    log.warning("values of step %d are left out: step %d is recorded already", at, self._step)
                return
            if at is not None and at > self._step:
                self._commit(at)
            self._pending.update(made)
            if commit or (commit is None and at is None):
                self._commit(self._step + 1)

    def define_metric(
        self,
        name: str,
        step_metric: str | None = None,
        step_sync: bool | None = None,
        hidden: bool | None = None,
        summary: str | None = None,
        goal: str | None = None,
        overwrite: bool | None = None,
    ) -> None:
        """Has a metric, or all whose names begin as ``name*``, stand at the whole values of another one.

        ``summary`` says what ``run.summary`` has: "min", "max", "mean", "first", "last" or "none". Others
        have no effect: the table of runs shows least, largest and last value of any metric. Raises
        ValueError.
        """
        with self._lock:
            self._metrics.define(name, step_metric or "", summary)

    def watch(
        self,
        models: Any,  # noqa: ANN401
        criterion: object = None,
        log: str | None = "gradients",
        log_freq: int = 1000,
        idx: int | None = None,
        log_graph: bool = False,
    ) -> None:
        """Records histograms of the gradients and parameters of modules of PyTorch; see ``Watched.add``.

        ``criterion``, ``idx`` and ``log_graph`` have no effect.
        """
        warn_of(log_graph=log_graph or None)
        self._watched.add(models, log, log_freq)

    def unwatch(self, models: Any = None) -> None:  # noqa: ANN401
        """Ends what ``watch`` began, by default for all models."""
        self._watched.remove(models)

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        """Writes everything, and how the run ended: 0, the default, is success."""
        self._watched.remove()
        with self._lock:
            if self._is_finished:
                return
            last = self._step if self._pending else max(self._step - 1, 0)
            self._commit(last + 1)
            self._is_finished = True
            atexit.unregister(self._at_exit)
            if not self.disabled:
                self._record_summary(last)
                self._writer._put(ended(succeeded=not exit_code), None, None)
            if self._ignored > 1:
                log.warning(
                    "values of %d calls were left out: their steps were recorded already", self._ignored
                )
            self._writer.close()
            if self._steps is not None:
                self._steps.close()

    def mark_preempting(self) -> None:
        """Does nothing."""

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish(0 if kind is None else 1)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        raise absent("a run of insight_record.wandb", name, _INSTEAD)

    def _commit(self, following: int) -> None:
        """Records what waits, at the current step; the step after it is ``following``."""
        pending, self._pending, step = self._pending, {}, self._step
        self._step = following
        if pending:
            now = time()
            numbers: dict[int, dict[str, float]] = {}
            others: list[tuple[str, LoggedValue, int]] = []
            for tag, value, at in self._metrics.placed(pending, step):
                if isinstance(value, float):
                    numbers.setdefault(at, {})[tag] = value
                else:
                    others.append((tag, value, at))
            for at, row in numbers.items():
                self._writer._run().put_numbers(at, now, row)
            self.summary._values.update(self._metrics.summary)
            for tag, value, at in others:  # last: one that cannot be recorded takes no number with it
                self._write(tag, value, at, now)
        if self._steps is not None:
            self._steps.write(following)

    def _write(self, tag: str, value: LoggedValue, step: int, now: float) -> None:
        try:
            value.write(self._writer, tag, {"global_step": step, "walltime": now})
        except (TypeError, ValueError) as error:
            raise type(error)(f"{tag}: {error}") from None

    def _record_config(self) -> None:
        if self.config and not self._is_finished:
            self._writer.add_configuration(self.config.as_dict())

    def _record_summary(self, step: int) -> None:
        """What was set in the summary and is no metric."""
        set_here = {
            name: value for name, value in self.summary.as_dict().items() if name not in self._metrics.summary
        }
        texts: dict[str, object] = {}
        for name, value in set_here.items():
            for tag, one in values_of(name, value):
                if isinstance(one, float):
                    self._writer.add_scalar(tag, one, step)
                else:
                    texts[tag] = value
        if texts:
            self._writer.add_configuration({"summary": texts})

    def _at_exit(self) -> None:
        """The interpreter ends: what was logged is written, and how the run ended stays unknown."""
        with self._lock:
            if not self._is_finished:
                self._commit(self._step + 1)
                self._writer.close()


def _index(step: object) -> object:
    """W&B takes floats that are whole, too."""
    return int(step) if isinstance(step, float) and step.is_integer() else step

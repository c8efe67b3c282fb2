"""The files behind ``SummaryWriter``: one run, the runs below it, and the ranks of a distributed training."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from insight_record.encoders.common_kinds import lineage
from insight_record.encoders.encoder import EncodedValue
from insight_record.environment import environment_cells
from insight_record.events import VERSION
from insight_record.formats.protobuf import int_field, message_field
from insight_record.lineage import USER_DEFINED_INFO, user_defined_info
from insight_record.muted_record import MutedRecord
from insight_record.ranks import rank_of_process
from insight_record.sending.destination import Destination
from insight_record.summary_record import Closing, SummaryRecord
from insight_record.system_metrics import SystemMetrics

if TYPE_CHECKING:
    from typing_extensions import Self  # Python 3.10 has it nowhere

log = logging.getLogger(__name__)

_LONGEST_WAIT = 0.5  # seconds until a value is written, so that a busy machine has it within one
_SUMMARY, _GRAPH, _SESSION_LOG = 5, 4, 7  # of an event
_STATUS, _START = 1, 1  # of a session log


class RunWriter(Closing):
    """Writes events into a run of TensorBoard's dialect, and into runs below it. Thread-safe.

    See ``SummaryWriter`` for the arguments.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        *,
        logdir: str | os.PathLike[str] | None = None,
        per_rank: bool = False,
        all_ranks: bool = False,
        environment: bool = False,
        system_every: float = 0,
        to: str | Destination | None = None,
    ) -> None:
        place = log_dir or logdir or dated_directory(comment)
        rank = None if all_ranks else rank_of_process()
        self._muted = not write_to_disk or (not per_rank and bool(rank))
        self._options: dict[str, Any] = {
            "dialect": "tensorboard",
            "file_suffix": filename_suffix,
            "flush_seconds": min(float(flush_secs), _LONGEST_WAIT),
            "rank": rank if per_rank else None,
            "to": to,
        }
        self.log_dir = os.fspath(place)
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.purge_step = purge_step
        self._step: int | None = None  # of ``use_metadata``
        self._wall_time: float | None = None
        self._record: SummaryRecord | None = None
        self._below: dict[str, SummaryRecord] = {}
        self._system: SystemMetrics | None = None
        if self._muted and write_to_disk:
            log.warning(
                "rank %s records nothing into %s, rank 0 does; per_rank=True gives each rank a run of its "
                "own, all_ranks=True lets each process write",
                rank,
                self.log_dir,
            )
        record = self._run()
        if self._muted:
            return
        if environment:
            message = partial(user_defined_info, "environment")
            record.put(0, time(), lineage(USER_DEFINED_INFO, message, "environment", environment_cells()))
        if environment or system_every:
            self._system = SystemMetrics(record, system_every, environment=environment)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_system": None}  # its thread stays in this process

    @property
    def logdir(self) -> str:
        """The directory of the run, under tensorboardX's name."""
        return self.log_dir

    @property
    def records(self) -> bool:
        """Whether this process records: False on ranks other than 0."""
        return not self._muted

    @property
    def file_writer(self) -> FileWriter | None:
        """Writes encoded messages; None after ``close``."""
        return None if self._record is None else FileWriter(self)

    def get_logdir(self) -> str:
        """The directory of the run."""
        return self.log_dir

    def flush(self) -> None:
        """Returns when everything recorded is on disk."""
        for record in self._open_records():
            record.flush()

    def close(self) -> None:
        """Writes everything recorded. The next value opens a new file in the same directory."""
        if self._system is not None:
            self._system.close()
            self._system = None
        records = self._open_records()
        self._record, self._below = None, {}
        for record in records:
            record.close()

    @contextmanager
    def use_metadata(
        self, *, global_step: int | None = None, walltime: float | None = None
    ) -> Iterator[Self]:
        """Values recorded inside have this step and wall time, unless they are given their own."""
        before = self._step, self._wall_time
        self._step, self._wall_time = global_step, walltime
        try:
            yield self
        finally:
            self._step, self._wall_time = before

    def _get_file_writer(self) -> FileWriter:
        """The writer of encoded messages, under the name that other libraries call."""
        self._run()
        return FileWriter(self)

    def _run(self) -> SummaryRecord:
        """The record of the run, opened again after ``close``."""
        record = self._record
        if record is None:
            record = self._record = self._opened(Path(self.log_dir), self._options)
            if record.log_dir != Path(self.log_dir):  # that of a rank, or another process records there
                self.log_dir = str(record.log_dir)
            self._options["rank"] = None
            if self.purge_step is not None:
                step, self.purge_step = self.purge_step, None
                self._purge(record, int(step))
        return record

    def _opened(self, directory: Path, options: dict[str, Any]) -> SummaryRecord:
        return (MutedRecord if self._muted else SummaryRecord)(directory, **options)

    def _run_below(self, name: str) -> SummaryRecord:
        """A run in a directory below that of this run, kept open."""
        self._run()
        if name not in self._below:
            self._below[name] = self._opened(Path(self.log_dir) / name, self._options)
        return self._below[name]

    def _open_records(self) -> list[SummaryRecord]:
        return [*([] if self._record is None else [self._record]), *self._below.values()]

    def _purge(self, record: SummaryRecord, step: int) -> None:
        """TensorBoard hides values that an earlier attempt recorded at this step or later."""
        for body in (
            message_field(VERSION, b"brain.Event:2"),
            message_field(_SESSION_LOG, int_field(_STATUS, _START)),
        ):
            record.put(step, time(), [_event(body)])

    def _when(self, step: object, wall_time: object) -> tuple[int, float]:
        """Step and wall time of an event: 0 and now by default. Raises TypeError or ValueError."""
        if step is None:
            step = self._step
        if wall_time is None:
            wall_time = self._wall_time
        try:
            return 0 if step is None else int(step), time() if wall_time is None else float(wall_time)  # type: ignore[call-overload,arg-type]
        except (TypeError, ValueError, OverflowError):
            text = "a step is a whole number and a wall time a number of seconds"
            raise TypeError(f"{text}, not {step!r} and {wall_time!r}") from None

    def _put(self, values: Sequence[EncodedValue], step: object, wall_time: object) -> None:
        """Records one event with these values."""
        self._run().put(*self._when(step, wall_time), values)


class FileWriter:
    """Writes encoded messages into the run of a writer, as ``torch.utils.tensorboard.FileWriter`` does."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer

    def get_logdir(self) -> str:
        """The directory of the run."""
        return self._writer.log_dir

    def add_summary(self, summary: Any, global_step: object = None, walltime: object = None) -> None:  # noqa: ANN401
        """Records a ``Summary`` of any version of protobuf, or its bytes."""
        self._writer._put([_event(message_field(_SUMMARY, _bytes_of(summary)))], global_step, walltime)

    def add_event(self, event: Any, step: object = None, walltime: object = None) -> None:  # noqa: ANN401
        """Records an ``Event``; ``step`` and ``walltime`` replace its own, now by default."""
        body = type(event)()
        body.CopyFrom(event)
        own = event.step if step is None else step
        body.ClearField("step")
        body.ClearField("wall_time")
        self._writer._put([_event(body.SerializeToString())], own, walltime)

    def add_graph(self, graph_profile: tuple[Any, Any], walltime: object = None) -> None:
        """Records the ``GraphDef`` of a pair of graph and run metadata."""
        self.add_onnx_graph(graph_profile[0], walltime)

    def add_onnx_graph(self, graph: Any, walltime: object = None) -> None:  # noqa: ANN401
        """Records a ``GraphDef``."""
        self._writer._put([_event(message_field(_GRAPH, _bytes_of(graph)))], None, walltime)

    def flush(self) -> None:
        """Returns when everything recorded is on disk."""
        self._writer.flush()

    def close(self) -> None:
        """Closes the writer."""
        self._writer.close()

    def reopen(self) -> None:
        """Opens a new file after ``close``."""
        self._writer._run()


def _event(body: bytes) -> EncodedValue:
    return EncodedValue("", "event", len(body), lambda: [body])


def _bytes_of(message: Any) -> bytes:  # noqa: ANN401
    return message if isinstance(message, bytes) else bytes(message.SerializeToString())


def dated_directory(comment: str = "") -> str:
    """``runs/<date>_<host><comment>``, the directory of a writer that was given none."""
    now = datetime.now().strftime("%b%d_%H-%M-%S")
    return os.path.join("runs", f"{now}_{socket.gethostname()}{comment or ''}")

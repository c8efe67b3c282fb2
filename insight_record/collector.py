"""Collects scalars, histograms, images, graph and lineage from any training loop, like MindSpore's
SummaryCollector.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from itertools import islice
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_record.argument_checks import (
    INT32,
    INT64,
    check_one,
    mapping_of,
    named,
    number_of,
    whole_number_of,
)
from insight_record.arrays import array_of
from insight_record.collector_lineage import LineageRecorder
from insight_record.configurations import flat_cells
from insight_record.muted_record import MutedRecord
from insight_record.ranks import rank_of_process
from insight_record.summary_record import Closing, SummaryRecord
from insight_record.system_metrics import SYSTEM_SECONDS, SystemMetrics

log = logging.getLogger(__name__)

Arrays: TypeAlias = Mapping[str, Any] | Iterable[tuple[str, Any]]
Source: TypeAlias = Arrays | Callable[[], Arrays]

_CHANNELS = (1, 3, 4)
_FEW = 5  # default number of parameters with histograms, as in MindSpore
_COUNT = range(INT32.stop)


class SummaryCollector(Closing):
    """Records a training from its loop: call ``step`` after each step and ``epoch`` after each epoch.

        with SummaryCollector("runs/first", hyperparameters={"learning_rate": 0.1}) as collector:
            for epoch in range(10):
                for inputs, targets in batches:
                    loss = train(inputs, targets)
                    collector.step(loss, parameters=weights, inputs=inputs)
                collector.epoch(accuracy=accuracy())

    Each kind is collected at the first step and then at every n-th step, 0 for never: numbers, histograms
    of parameters, histograms of gradients, images of the inputs. Values that are not due cost nothing:
    tensors on a device are fetched only when they are collected, and arrays may be given as a function that
    computes them. Numbers of the last step are always recorded.

    ``parameters`` and ``gradients`` are regular expressions that select the names for histograms (by
    default the first five parameters, and no gradient). ``max_images`` is the number of images shown of a
    batch.

    ``hyperparameters`` are a mapping, a dataclass or a namespace (``parse_args()``); nested ones become
    ``a/b``. They are recorded as lineage, with the environment unless ``environment`` is False:
    MindSpore's names (optimizer, learning_rate, loss_function, epoch, batch_size, device_num,
    parallel_mode, network, train_dataset_path, train_dataset_size, model_path, model_size) in its own
    columns, all others as custom ones.

    In a distributed training only rank 0 records; other processes accept all values, write nothing, and log
    this once. The rank is detected from ``torch.distributed`` or the launcher (``ranks.rank_of_process``).
    With ``per_rank`` each process records into the directory of its rank, with ``rank`` into that of this
    number; with ``all_ranks`` the rank is ignored.

    Unless ``environment`` is False, the command, versions, git commit and host are columns of the run, and
    installed packages and uncommitted changes are texts. Every ``system_every`` seconds (0: never) a thread
    records the load of processors, memory, disk, network and accelerators as scalars ``system/...``.

    ``initial_step`` is the last step of a training that resumes. All other arguments are passed to
    ``SummaryRecord``, which is the attribute ``record``: values added to it are written with the next step
    or epoch. Not thread-safe.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        *,
        hyperparameters: object = None,
        scalar_every: SupportsIndex = 10,
        histogram_every: SupportsIndex = 100,
        gradient_every: SupportsIndex = 100,
        image_every: SupportsIndex = 100,
        parameters: str | None = None,
        gradients: str | None = None,
        max_images: SupportsIndex = 16,
        environment: bool = True,
        initial_step: SupportsIndex = 0,
        dialect: Literal["mindspore", "tensorboard"] = "mindspore",
        all_ranks: bool = False,
        per_rank: bool = False,
        system_every: float = SYSTEM_SECONDS,
        **recording: Any,  # noqa: ANN401
    ) -> None:
        self._scalar_every = whole_number_of("scalar_every", scalar_every, _COUNT)
        self._histogram_every = whole_number_of("histogram_every", histogram_every, _COUNT)
        self._gradient_every = whole_number_of("gradient_every", gradient_every, _COUNT)
        self._image_every = whole_number_of("image_every", image_every, _COUNT)
        self._parameters = _pattern("parameters", parameters)
        self._gradients = _pattern("gradients", gradients)
        self._max_images = whole_number_of("max_images", max_images, _COUNT)
        self.steps = whole_number_of("initial_step", initial_step, INT64)  # done so far
        self._first = self.steps + 1
        self.epochs = 0
        self._waiting: dict[str, Any] = {}  # numbers of the last step, if they were not due
        self._last_loss: Any = None
        self._ended = False
        if per_rank and recording.get("rank") is None:
            recording["rank"] = rank_of_process()
        another = 0 if all_ranks or recording.get("rank") is not None else rank_of_process() or 0
        self._muted = another > 0
        if self._muted:
            log.warning(
                "rank %s records nothing, rank 0 does; per_rank=True records each into a run of its own, "
                "all_ranks=True into the given directory",
                another,
            )
        self.record = (MutedRecord if self._muted else SummaryRecord)(log_dir, dialect=dialect, **recording)
        try:
            given = {} if hyperparameters is None else flat_cells("hyperparameters", hyperparameters)
            said = {**self.known(), **given}
            self.lineage = LineageRecorder(dialect, said, environment=environment)
            self.lineage.begin(self.record)
            self.record.record(self.steps)
            every = 0 if self._muted else system_every
            self._system = SystemMetrics(self.record, every, environment=environment and not self._muted)
        except BaseException:
            self.record.close()
            raise

    def known(self) -> dict[str, Any]:
        """Hyperparameters that a framework detects, by name; hyperparameters given by the user win."""
        return {}

    def step(
        self,
        loss: Any = None,  # noqa: ANN401
        *,
        learning_rate: Any = None,  # noqa: ANN401
        parameters: Source | None = None,
        gradients: Source | None = None,
        inputs: Any = None,  # noqa: ANN401
        numbers: Mapping[str, Any] | None = None,
        **scalars: Any,  # noqa: ANN401
    ) -> None:
        """Records one finished step.

        ``parameters`` and ``gradients`` are arrays by name; ``inputs`` is a batch, shown if it is a batch
        of images: [n, height, width], with channels first or last. ``scalars`` are further numbers by tag,
        and so are ``numbers``, with any tag; if a tag is in both, ``numbers`` wins. None is ignored.

        Raises TypeError or ValueError for an invalid number, ValueError after ``close``, and OSError if the
        log could not be written.
        """
        if self._ended:
            raise ValueError(f"the summary collector of {self.record.log_dir} is closed")
        self.steps = step = self.steps + 1
        if self._muted:
            return
        try:
            given = {"loss": loss, "learning_rate": learning_rate, **scalars}
            self._take_numbers(given if numbers is None else given | _mapping(numbers))
            if parameters is not None and self._due(self._histogram_every):
                self._add_histograms(self._chosen_parameters(parameters), "")
            if gradients is not None and self._gradients is not None and self._due(self._gradient_every):
                self._add_histograms(_matching(gradients, self._gradients), "gradients/")
            if inputs is not None and self._due(self._image_every):
                self._add_pictures(inputs() if callable(inputs) else inputs)
        finally:
            self.record.record(step)  # values already added belong to this step, even if others are invalid

    def epoch(self, numbers: Mapping[str, Any] | None = None, /, **metrics: Any) -> None:  # noqa: ANN401
        """Records one finished epoch: numbers by tag, at the step of its end.

        The last ones are the metrics of the run's lineage. None is ignored.
        """
        self.epochs += 1
        if self._muted:
            return
        try:
            for name, value in (metrics if numbers is None else metrics | _mapping(numbers)).items():
                if value is not None:
                    self.lineage.metrics[name] = self._add_number(name, value)
        finally:
            self.record.record(self.steps)

    @property
    def records(self) -> bool:
        """Whether this process records: False on ranks other than 0."""
        return not self._muted

    def graph(self, graph: Any, name: str = "graph") -> None:  # noqa: ANN401
        """Records the graph of the model: encoded, or a list of nodes; see ``SummaryRecord``."""
        self.record.add_value("graph", name, graph)
        self.record.record(self.steps)

    def close(self) -> None:
        """Records the final lineage, and returns when everything is written."""
        if self._ended:
            self.record.close()  # which may have been interrupted
            return
        self._ended = True
        with ExitStack() as last:  # all callbacks run, in reverse order, even if one fails
            last.callback(self.record.close)
            last.callback(self._system.close)
            last.callback(self.record.record, self.steps)
            if self.steps >= self._first:
                last.callback(self.lineage.finish, self.record, self._last_loss, self.epochs)
            for name, value in self._waiting.items() if self._scalar_every else ():
                self._add_number(name, value)

    def _due(self, every: int) -> bool:
        return every > 0 and (self.steps == self._first or self.steps % every == 0)

    def _take_numbers(self, numbers: Mapping[str, Any]) -> None:
        """Records the numbers of a step if they are due, and otherwise keeps them, because the step may be
        the last.
        """
        due = self._due(self._scalar_every)
        self._waiting = waiting = dict[str, Any]()
        for name, value in numbers.items() if self._scalar_every else [("loss", numbers["loss"])]:
            if value is None:
                continue
            if due:
                found = self._add_number(name, value)
            else:
                found = waiting[name] = value if type(value) is float else _read(_held, name, value)
            if name == "loss":
                self._last_loss = found

    def _add_number(self, name: str, value: Any) -> float:  # noqa: ANN401
        number: float = value if type(value) is float else _read(number_of, name, value)
        self.record.add_value("scalar", name, number)
        return number

    def _add_pictures(self, inputs: Any) -> None:  # noqa: ANN401
        batches = {f"inputs/{name}": one for name, one in inputs.items()} if _is_mapping(inputs) else None
        for name, batch in ({"inputs": inputs} if batches is None else batches).items():
            pictures = _pictures_of(batch, self._max_images)
            if pictures is not None:
                self.record.add_value("image", name, pictures)

    def _add_histograms(self, arrays: Arrays, prefix: str) -> None:
        for name, array in _pairs(arrays):
            self.record.add_value("histogram", prefix + name, array)

    def _chosen_parameters(self, parameters: Source) -> Arrays:
        if self._parameters is not None:
            return _matching(parameters, self._parameters)
        return islice(_pairs(parameters), _FEW)


def _held(value: Any) -> Any:  # noqa: ANN401
    """The number, to keep for later; a number on a device stays there as a tensor.

    A PyTorch tensor is copied without its gradient graph. Raises TypeError for other values, ValueError for
    more than one number.
    """
    shape = getattr(value, "shape", None)
    if shape is None or isinstance(value, np.ndarray | np.generic):
        return number_of(value)
    check_one(shape)
    alone = value.detach() if hasattr(value, "detach") else value
    return alone.clone() if hasattr(alone, "clone") else alone


def _pictures_of(batch: Any, most: int) -> NDArray[Any] | None:  # noqa: ANN401
    """The first images of a batch, [n, height, width, channels] or channels first; None for other batches."""
    if len(getattr(batch, "shape", ())) not in (3, 4):
        return None
    first = array_of(batch[:most])  # before it is fetched from its device
    if first.dtype.kind not in "buif" or not first.size:
        return None
    if first.ndim == 3:
        is_sequence = min(first.shape[1:]) <= 4
        return None if is_sequence else first[..., None]
    return first if first.shape[-1] in _CHANNELS or first.shape[1] in _CHANNELS else None


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "items"))


def _mapping(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return dict(mapping_of("numbers", numbers))


def _read(read: Callable[[object], Any], name: str, value: object) -> Any:  # noqa: ANN401
    try:
        return read(value)
    except (TypeError, ValueError) as error:
        raise named(error, "scalar", name) from None


def _pairs(arrays: Source) -> Iterable[tuple[str, Any]]:
    found = arrays() if callable(arrays) else arrays
    return found.items() if isinstance(found, Mapping) else found


def _matching(arrays: Source, pattern: re.Pattern[str]) -> list[tuple[str, Any]]:
    return [(name, array) for name, array in _pairs(arrays) if array is not None and pattern.search(name)]


def _pattern(name: str, text: str | None) -> re.Pattern[str] | None:
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise ValueError(f"{name} is not a regular expression: {error}") from None

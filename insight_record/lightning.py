"""A logger of PyTorch Lightning: ``Trainer(logger=InsightLogger("runs"))``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

try:
    from lightning.pytorch.loggers.logger import (  # type: ignore[import-not-found,unused-ignore]
        Logger,
        rank_zero_experiment,
    )
except ModuleNotFoundError:  # the package's older name
    from pytorch_lightning.loggers.logger import (  # type: ignore[import-not-found,unused-ignore,no-redef]
        Logger,
        rank_zero_experiment,
    )

from insight_record.summary_writer import SummaryWriter

_VERSION = re.compile(r"version_(\d+)")


class InsightLogger(Logger):  # type: ignore[misc,unused-ignore]
    """Records a training of Lightning into ``save_dir/name/version_<n>``, from rank 0.

    ``experiment`` is the ``SummaryWriter`` for pictures, texts and others. Hyperparameters are columns of the
    run. Without ``version`` the next unused number is used. Further arguments are those of
    ``SummaryWriter``; by default it records the environment and, every 15 seconds, the load of the machine.
    """

    def __init__(
        self,
        save_dir: str | os.PathLike[str],
        name: str = "lightning_logs",
        version: int | str | None = None,
        *,
        log_graph: bool = False,
        **writing: Any,  # noqa: ANN401
    ) -> None:
        super().__init__()
        self._save_dir, self._name, self._version = os.fspath(save_dir), name, version
        self._log_graph = log_graph
        self._writing = {"environment": True, "system_every": 15, **writing}
        self._writer: SummaryWriter | None = None

    @property
    def name(self) -> str:
        """The directory of all versions below ``save_dir``."""
        return self._name

    @property
    def version(self) -> int | str:
        """The number, or the name, of this run."""
        if self._version is None:
            place = Path(self._save_dir, self._name)
            names = os.listdir(place) if place.is_dir() else []
            numbers = [int(found[1]) for found in map(_VERSION.fullmatch, names) if found]
            self._version = max(numbers, default=-1) + 1
        return self._version

    @property
    def save_dir(self) -> str:
        """The directory of all runs."""
        return self._save_dir

    @property
    def root_dir(self) -> str:
        """``save_dir/name``."""
        return os.path.join(self._save_dir, self._name)

    @property
    def log_dir(self) -> str:
        """The directory of this run, where Lightning puts its checkpoints too."""
        version = self.version
        return os.path.join(self.root_dir, version if isinstance(version, str) else f"version_{version}")

    @property
    @rank_zero_experiment  # type: ignore[untyped-decorator,unused-ignore]
    def experiment(self) -> SummaryWriter:
        """The writer of this run."""
        if self._writer is None:
            self._writer = SummaryWriter(self.log_dir, **self._writing)
        return self._writer

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Records numbers by tag."""
        for tag, value in metrics.items():
            if isinstance(value, Mapping):
                self.experiment.add_scalars(tag, value, step)
            else:
                self.experiment.add_scalar(tag, value, step)

    def log_hyperparams(self, params: Any, *_: Any, **__: Any) -> None:  # noqa: ANN401
        """Records hyperparameters as columns of the run."""
        self.experiment.add_configuration(params)

    def log_graph(self, model: Any, input_array: Any = None) -> None:  # noqa: ANN401
        """Records the graph of the model, if ``log_graph`` and the model has an ``example_input_array``."""
        inputs = getattr(model, "example_input_array", None) if input_array is None else input_array
        if self._log_graph and inputs is not None:
            self.experiment.add_graph(model, inputs)

    def save(self) -> None:
        """Returns when everything recorded is on disk."""
        if self._writer is not None:
            self._writer.flush()

    def finalize(self, status: str) -> None:
        """Closes the files at the end of a fit; a later one opens them again."""
        if self._writer is not None:
            self._writer.close()

"""A callback of Hugging Face's Trainer: ``Trainer(..., callbacks=[InsightCallback()])``."""

from __future__ import annotations

import os
from typing import Any

from transformers import TrainerCallback  # type: ignore[import-not-found,unused-ignore]

from insight_record.run_writer import dated_directory
from insight_record.summary_writer import SummaryWriter

_SPLITS = ("eval", "test")  # prefixes of names


class InsightCallback(TrainerCallback):  # type: ignore[misc,unused-ignore]
    """Records what the trainer logs, with its arguments and the model's configuration as columns of the run.

    ``log_dir`` is by default ``runs/<date>_<host>`` below ``output_dir``. Tags are those of the trainer's
    callback for TensorBoard: ``train/loss``, ``eval/loss``. Only the first process records. Set
    ``report_to="none"`` to record with this callback alone. Further arguments are those of ``SummaryWriter``;
    by default it records the environment and, every 15 seconds, the load of the machine.
    """

    def __init__(self, log_dir: str | os.PathLike[str] | None = None, **writing: Any) -> None:  # noqa: ANN401
        self._log_dir = log_dir
        self._writing = {"environment": True, "system_every": 15, **writing}
        self.writer: SummaryWriter | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ANN401
        """Opens the run, and records arguments and configuration."""
        if not state.is_world_process_zero:
            return
        writer = self._opened(args)
        model = given.get("model")
        configuration = getattr(model, "config", None)
        found = {"trainer": args.to_sanitized_dict()}
        if configuration is not None:
            known = configuration if isinstance(configuration, dict) else configuration.to_diff_dict()
            found["model"] = {"class": type(model).__name__, **known}
        writer.add_configuration(found)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:  # noqa: ANN401
        """Records numbers and texts at the step of the trainer."""
        if not state.is_world_process_zero:
            return
        writer = self._opened(args)
        for name, value in (logs or {}).items():
            if isinstance(value, str):
                writer.add_text(_tag(name), value, state.global_step)
            else:
                writer.add_scalar(_tag(name), value, state.global_step)

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ANN401
        """Returns when the metrics are on disk: no end of a training may follow."""
        if self.writer is not None:
            self.writer.flush()

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ANN401
        """Closes the files; what is logged later opens them again."""
        if self.writer is not None:
            self.writer.close()

    def _opened(self, args: Any) -> SummaryWriter:  # noqa: ANN401
        if self.writer is None:
            if self._log_dir is None:
                self._log_dir = os.path.join(args.output_dir, dated_directory())
            self.writer = SummaryWriter(self._log_dir, **self._writing)
        return self.writer


def _tag(name: str) -> str:
    split, underscore, rest = name.partition("_")
    return f"{split}/{rest}" if underscore and split in _SPLITS else f"train/{name}"

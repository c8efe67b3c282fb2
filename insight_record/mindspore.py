"""A callback of MindSpore: ``model.train(..., callbacks=[MindSporeCollector("summary_dir")])``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from mindspore.train import Callback  # type: ignore[import-not-found,unused-ignore]

from insight_record.collector import SummaryCollector


class MindSporeCollector(Callback):  # type: ignore[misc,unused-ignore]
    """Records a training of MindSpore's ``Model``: loss, learning rate, histograms of parameters, lineage.

    Arguments are those of ``SummaryCollector``. The collector of the training is the attribute ``collector``,
    from the beginning of the training to its end. Gradients and inputs of a step are not known to callbacks.
    """

    def __init__(self, log_dir: str | os.PathLike[str], **collecting: Any) -> None:  # noqa: ANN401
        super().__init__()
        self._log_dir, self._collecting = log_dir, collecting
        self.collector: SummaryCollector | None = None

    def on_train_begin(self, run_context: Any) -> None:  # noqa: ANN401
        """Opens the run."""
        context = run_context.original_args()
        self.close()
        self.collector = _Collector(self._log_dir, context, **self._collecting)

    def on_train_step_end(self, run_context: Any) -> None:  # noqa: ANN401
        """Records one step."""
        if self.collector is None:
            return
        context = run_context.original_args()
        network = context.network or context.train_network  # the latter has the optimizer's parameters too
        self.collector.step(
            _loss(context.net_outputs),
            learning_rate=_learning_rate(_optimizer(context)),
            parameters=lambda: _parameters(network),
        )

    def on_eval_end(self, run_context: Any) -> None:  # noqa: ANN401
        """Records the metrics of an evaluation within ``model.fit``."""
        if self.collector is not None:
            metrics = run_context.original_args().get("metrics") or {}
            self.collector.epoch(
                {name: one for name, one in metrics.items() if isinstance(one, (int, float, np.generic))}
            )

    def on_train_end(self, run_context: Any) -> None:  # noqa: ANN401
        """Records the final lineage, and closes the files."""
        self.close()

    def close(self) -> None:
        """Ends the recording of a training that was interrupted."""
        if self.collector is not None:
            self.collector.close()
            self.collector = None


class _Collector(SummaryCollector):
    """Takes hyperparameters from the context of a training."""

    def __init__(self, log_dir: str | os.PathLike[str], context: Any, **collecting: Any) -> None:  # noqa: ANN401
        self._context = context
        super().__init__(log_dir, **collecting)

    def known(self) -> dict[str, Any]:
        context = self._context
        network = context.network or context.train_network
        found: dict[str, Any] = {"network": type(network).__name__}
        optimizer = _optimizer(context)
        if optimizer is not None:
            found["optimizer"] = type(optimizer).__name__
            rate = _learning_rate(optimizer)
            if rate is not None:
                found["learning_rate"] = rate
        if context.loss_fn is not None:
            found["loss_function"] = type(context.loss_fn).__name__
        for name, value in (
            ("epoch", context.epoch_num),
            ("parallel_mode", context.parallel_mode),
            ("device_num", context.device_number),
        ):
            if isinstance(value, (int, str)):
                found[name] = value
        return found


def _optimizer(context: Any) -> Any:  # noqa: ANN401
    return context.optimizer or getattr(context.train_network, "optimizer", None)


def _learning_rate(optimizer: Any) -> float | None:  # noqa: ANN401
    """The current rate; None for a schedule that the device computes."""
    rate: Any = getattr(optimizer, "learning_rate", None)
    return float(rate.asnumpy()) if hasattr(rate, "asnumpy") and rate.asnumpy().size == 1 else None


def _loss(outputs: Any) -> Any:  # noqa: ANN401
    """The first output; None if it is not one number."""
    first = outputs[0] if isinstance(outputs, (list, tuple)) and outputs else outputs
    return first if hasattr(first, "asnumpy") and first.asnumpy().size == 1 else None


def _parameters(network: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    return ((one.name, one) for one in network.trainable_params())

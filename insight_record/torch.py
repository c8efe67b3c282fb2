"""Records PyTorch trainings. Importing this module imports torch."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.nn.parameter import is_lazy  # type: ignore[import-not-found,unused-ignore]

from insight_record.arrays import numbers_of
from insight_record.collector import Source, SummaryCollector
from insight_record.torch_graph import graph_nodes

log = logging.getLogger(__name__)

Optimizers: TypeAlias = (
    "torch.optim.Optimizer | Sequence[torch.optim.Optimizer] | Mapping[str, torch.optim.Optimizer]"
)


class TorchCollector(SummaryCollector):
    """A ``SummaryCollector`` that reads parameters, gradients and settings from model and optimizer.

        collector = TorchCollector("runs/first", model, optimizer)
        with collector:
            for inputs, targets in loader:
                optimizer.zero_grad()
                loss = loss_function(model(inputs), targets)
                loss.backward()
                optimizer.step()
                collector.step(loss, inputs=inputs)

    Call ``step`` after the optimizer's step and before the gradients are cleared. It records the loss, the
    learning rate of each parameter group, histograms of parameters and gradients, and images of ``inputs``;
    values that are not due are neither fetched from their device nor waited for. By default the first five
    real-valued parameters are recorded; others are skipped with one warning. The first step also records
    the graph of the model (``graph``), if a copy without values can be traced by ``torch.fx`` or
    ``torch.export``; otherwise a warning gives the reason.

    Several optimizers are given as a list, or as a mapping by name: their rates are
    ``learning_rate/<name>``. ``inputs`` may be a mapping, as models of Hugging Face take it.

    The network, the optimizer, its arguments, and versions are recorded as lineage; ``hyperparameters``
    win. In a distributed training rank 0 records (see ``SummaryCollector``).
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        model: torch.nn.Module,
        optimizer: Optimizers | None = None,
        *,
        graph: bool = True,
        **collecting: Any,  # noqa: ANN401
    ) -> None:
        self._model, self._optimizers = model, _named(optimizer)
        self._graph_wanted = graph
        self._left_out: set[str] = set()  # skipped parameters that were logged
        super().__init__(log_dir, **collecting)

    def known(self) -> dict[str, Any]:
        """Network, optimizer and its settings, number of parameters, device, and version of torch."""
        said: dict[str, Any] = {"network": type(self._model).__name__, "torch": torch.__version__}
        if not any(map(is_lazy, self._model.parameters())):  # otherwise not known yet
            said["model_parameters"] = sum(values.numel() for values in self._model.parameters())
        if self._optimizers:
            said["optimizer"] = ", ".join(type(one).__name__ for one in self._optimizers.values())
            said["learning_rate"] = float(next(iter(self._optimizers.values())).param_groups[0]["lr"])
        for name, one in self._optimizers.items():
            for setting, value in one.param_groups[0].items():
                if setting not in ("params", "lr", "initial_lr") and _is_setting(value):
                    said[f"{name}/{setting}" if name else setting] = value
        device = next((values.device for values in self._model.parameters()), None)
        if device is not None:
            said["device"] = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
        return said

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
        """Like ``SummaryCollector.step``; arguments override the values of model and optimizer."""
        if not self.records:
            super().step()
            return
        if self._graph_wanted and callable(inputs):
            inputs = inputs()
        if learning_rate is None:
            rates = dict(_learning_rates(self._optimizers))
            learning_rate = rates.pop("learning_rate", None)
            scalars.update(rates)
        super().step(
            loss,
            learning_rate=learning_rate,
            parameters=self._parameters_now if parameters is None else parameters,
            gradients=self._gradients_now if gradients is None else gradients,
            inputs=inputs,
            numbers=numbers,
            **scalars,
        )
        if self._graph_wanted:
            self._graph_wanted = False
            self._record_graph(inputs)

    def _parameters_now(self) -> Iterator[tuple[str, Any]]:
        """All parameters if the user gave a pattern; by default only those that can be recorded."""
        for name, values in self._model.named_parameters():
            reason = None if self._parameters is not None else _why_not(values)
            if reason is None:
                yield name, values
            elif name not in self._left_out:
                self._left_out.add(name)
                log.warning("no histograms of %s: %s", name, reason)

    def _gradients_now(self) -> list[tuple[str, Any]]:
        gradients = ((name, values.grad) for name, values in self._model.named_parameters())
        return [
            (name, values.to_dense() if values is not None and values.is_sparse else values)
            for name, values in gradients
        ]

    def _record_graph(self, inputs: Any) -> None:  # noqa: ANN401
        try:
            nodes = graph_nodes(_unwrapped(self._model), inputs)
        except Exception as error:  # tracing runs the model's own code, which may fail in any way
            log.warning("no graph of %s: %s", type(self._model).__name__, str(error).partition("\n")[0])
        else:
            self.graph(nodes)


def _named(optimizers: Optimizers | None) -> dict[str, torch.optim.Optimizer]:
    """Optimizers by name; one alone has none."""
    if optimizers is None:
        return {}
    if isinstance(optimizers, Mapping):
        return dict(optimizers)
    if isinstance(optimizers, Sequence):
        return {f"optimizer{number}": one for number, one in enumerate(optimizers)}
    return {"": optimizers}


def _learning_rates(optimizers: Mapping[str, torch.optim.Optimizer]) -> Iterator[tuple[str, Any]]:
    for name, one in optimizers.items():
        base = f"learning_rate/{name}" if name else "learning_rate"
        for number, group in enumerate(one.param_groups):
            yield f"{base}/{number}" if number else base, group["lr"]


def _why_not(values: torch.Tensor) -> str | None:
    """Why an array cannot be recorded, tested on its first value; None if it can."""
    try:
        numbers_of(values.detach().reshape(-1)[:1])
    except Exception as error:  # lazy, sparse, complex and meta tensors raise different types
        return str(error).partition("\n")[0]
    return None


def _unwrapped(model: torch.nn.Module) -> torch.nn.Module:
    """The user's own model, of one that was compiled or distributed."""
    wrappers = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)
    found: Any = model
    while isinstance(found, wrappers) or hasattr(found, "_orig_mod"):
        found = found.module if isinstance(found, wrappers) else found._orig_mod
    return cast(torch.nn.Module, found)


def _is_setting(value: object) -> bool:
    """Numbers and pairs of them: momentum, weight decay, betas."""
    if isinstance(value, tuple):
        return all(map(_is_setting, value))
    return isinstance(value, int | float) and not isinstance(value, bool)

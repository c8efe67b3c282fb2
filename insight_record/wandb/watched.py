"""Distributions of the parameters and gradients of models of PyTorch, under W&B's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Protocol

from insight_record.wandb.media import Histogram

_WHAT: Mapping[str | None, tuple[str, ...]] = {
    "gradients": ("gradients",),
    "parameters": ("parameters",),
    "all": ("gradients", "parameters"),
    None: (),
}


class _Hook(Protocol):
    def remove(self) -> None: ...


class Watched:
    """Watches models, and gives ``log`` a histogram of each of their tensors from time to time."""

    def __init__(self, log: Callable[[Mapping[str, Histogram]], None]) -> None:
        self._log = log
        self._hooks: list[tuple[object, _Hook]] = []  # with the model of each
        self._count = 0

    def add(self, models: Any, what: str | None, every: int) -> None:  # noqa: ANN401
        """Watches models from now on: gradients at each ``every``-th backward pass, parameters as often.

        Parameters are those of a forward pass. Tags are ``gradients/<name>`` and ``parameters/<name>``; names
        in the second model begin with ``graph_1``, and so on. Raises ValueError for an unknown ``what``, a
        model that is watched, and ``every`` below 1; TypeError for anything but modules of PyTorch.
        """
        if what not in _WHAT:
            raise ValueError(f"log is 'gradients', 'parameters', 'all' or None, not {what!r}")
        if every < 1:
            raise ValueError(f"log_freq is at least 1, not {every}")
        for model in _listed(models):
            if not (hasattr(model, "named_parameters") and hasattr(model, "register_forward_hook")):
                raise TypeError(f"watch takes modules of PyTorch, not {type(model).__name__}")
            if any(model is known for known, _ in self._hooks):
                raise ValueError("the model is watched already: call unwatch() first")
            before = f"graph_{self._count}" if self._count else ""
            self._count += 1
            if "parameters" in _WHAT[what]:
                hook = self._hook(partial(_parameters, model, f"parameters/{before}"), every)
                self._hooks.append((model, model.register_forward_hook(hook)))
            if "gradients" in _WHAT[what]:
                for name, parameter in model.named_parameters():
                    if parameter.requires_grad:
                        hook = self._hook(partial(_gradient, f"gradients/{before}{name}"), every)
                        self._hooks.append((model, parameter.register_hook(hook)))

    def remove(self, models: Any = None) -> None:  # noqa: ANN401
        """Ends the watch of models, by default of all."""
        wanted = None if models is None else _listed(models)
        kept = []
        for model, hook in self._hooks:
            if wanted is None or any(model is one for one in wanted):
                hook.remove()
            else:
                kept.append((model, hook))
        self._hooks = kept

    def _hook(self, values: Callable[..., Mapping[str, Histogram]], every: int) -> Callable[..., None]:
        calls = count(1)

        def hook(*given: object) -> None:
            if next(calls) % every == 0:
                self._log(values(*given))

        return hook


def _listed(models: Any) -> Sequence[Any]:  # noqa: ANN401
    """Models that are given as one or as several."""
    return models if isinstance(models, (list, tuple)) else (models,)


def _parameters(model: Any, before: str, *_: object) -> Mapping[str, Histogram]:  # noqa: ANN401
    return {before + name: _histogram(one) for name, one in model.named_parameters()}


def _gradient(tag: str, gradient: Any) -> Mapping[str, Histogram]:  # noqa: ANN401
    return {tag: _histogram(gradient)}


def _histogram(tensor: Any) -> Histogram:  # noqa: ANN401
    """The distribution of a tensor; of a sparse one, of the values that it stores."""
    return Histogram(tensor.detach().coalesce().values() if tensor.is_sparse else tensor)

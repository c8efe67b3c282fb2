"""Copies PyTorch modules for tracing, so that the original module is not changed."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found,unused-ignore]
from torch.nn.modules import module as torch_module  # type: ignore[import-not-found,unused-ignore]
from torch.overrides import TorchFunctionMode  # type: ignore[import-not-found,unused-ignore]

_SMALL = 2**20  # numbers: flags, counters and tables that a model reads while it runs are smaller
_OWN_HOOKS = "torch.nn.utils."  # hooks that compute a parameter from others: weight_norm, pruning


def twin_of(model: torch.nn.Module, *, with_values: bool) -> torch.nn.Module:
    """A copy without the user's hooks.

    ``with_values`` it shares parameters and buffers, and must only be read. Otherwise its parameters have
    no values (device "meta"); large tensors have none either, and other tensors are copied.

    Raises TypeError for a model with a part that cannot be copied, such as a lock or an open file.
    """
    twins: dict[int, Any] = {}
    for module in model.modules():
        for name, hooks in vars(module).items():
            if name.endswith("_hooks") and isinstance(hooks, dict):
                twins[id(hooks)] = type(hooks)((key, hook) for key, hook in hooks.items() if _is_own(hook))
    if with_values:
        twins.update((id(values), values) for values in _states(model))
    else:
        twins.update((id(values), _without_values(values)) for values in model.parameters())
    try:
        with _LightCopies():
            twin = copy.deepcopy(model, twins)
    except Exception as error:  # a model may hold objects of any type
        raise TypeError(f"it cannot be copied for tracing: {error}") from error
    if not {*map(id, model.modules())}.isdisjoint(map(id, twin.modules())):
        raise TypeError("it cannot be copied for tracing: its copy shares modules with it")
    return twin


@contextmanager
def nothing_disturbed(model: torch.nn.Module, arguments: Iterable[Any]) -> Iterator[None]:
    """Restores the random state afterwards, and disables global module hooks meanwhile."""
    tensors = [*_states(model), *(one for one in arguments if isinstance(one, torch.Tensor))]
    with ExitStack() as after:
        for read, restore in _generators({values.device.type for values in tensors}):
            after.callback(restore, read())
        for hooks in (torch_module._global_forward_pre_hooks, torch_module._global_forward_hooks):
            after.callback(hooks.update, dict(hooks))
            hooks.clear()
        yield


class _LightCopies(TorchFunctionMode):  # type: ignore[misc,unused-ignore]
    """A context in which large tensors are copied without values, and all tensors without gradient graph."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,  # noqa: ANN401
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        if func not in (torch.Tensor.__deepcopy__, torch.Tensor.clone):  # a Parameter is copied by clone
            return func(*args, **(kwargs or {}))
        values = args[0].detach()
        return torch.empty_like(values, device="meta") if values.numel() > _SMALL else values.clone()


def _without_values(values: torch.nn.Parameter) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.empty_like(values, device="meta"), values.requires_grad)


def _states(model: torch.nn.Module) -> Iterator[torch.Tensor]:
    yield from model.parameters()
    yield from model.buffers()


def _is_own(hook: object) -> bool:
    return type(hook).__module__.startswith(_OWN_HOOKS)


def _generators(devices: set[str]) -> Iterator[tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """Functions that read and restore each state of random number generators."""
    yield random.getstate, random.setstate
    yield np.random.get_state, np.random.set_state
    yield torch.get_rng_state, torch.set_rng_state
    for kind in devices - {"cpu", "meta"}:
        device = getattr(torch, kind)
        every = "_all" if hasattr(device, "get_rng_state_all") else ""  # MPS has a single device
        yield getattr(device, f"get_rng_state{every}"), getattr(device, f"set_rng_state{every}")

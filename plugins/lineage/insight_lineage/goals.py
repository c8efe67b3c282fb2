"""Whether a result is better when it is large or when it is small, by the words of its name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from insight_core.plugin.tag_roles import role_of

Goal: TypeAlias = Literal["min", "max"]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SMALL = frozenset(
    {
        *("loss", "losses", "err", "error", "errors", "perplexity", "ppl", "mse", "rmse"),
        *("mae", "mape", "nll", "ce", "bpc", "bpb", "wer", "cer", "ter"),
        *("fid", "kid", "lpips", "brier", "ece", "regret", "distance", "divergence", "kl"),
    }
)
_COSTS = frozenset(
    {
        "time",
        "runtime",
        "latency",
        "duration",
        "seconds",
        "second",
        "ms",
        "memory",
        "cost",
        "costs",
        "intermediate",
    }
)


@lru_cache(1 << 14)
def goal_of(name: str) -> Goal:
    """``min`` for losses, errors, times and costs, else ``max``."""
    words = _words(name)
    return "min" if role_of(name) in ("loss", "val_loss") or words & (_SMALL | _COSTS) else "max"


@lru_cache(1 << 14)
def is_cost(name: str) -> bool:
    """Whether a name is that of a time, a size or an intermediate value, which models are not trained for."""
    return bool(_words(name) & _COSTS) and role_of(name) not in ("loss", "val_loss")


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(name)}

"""Plugin modules by entry point: importing them, their hooks, and why others did not load."""

from __future__ import annotations

from insight_core.registry.failures import PluginFailure
from insight_core.registry.modules import DISTRIBUTION, Contribution, Module, Origin, Refusal
from insight_core.registry.registry import Registry
from insight_core.registry.rules import same_distribution

__all__ = [
    "DISTRIBUTION",
    "Contribution",
    "Module",
    "Origin",
    "PluginFailure",
    "Refusal",
    "Registry",
    "same_distribution",
]

"""Profiles: what took how long, on the host and on devices, whichever framework wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import CachePolicy, Messages, Plugin, PluginNameEnum, RecordDecoder, hookimpl
from insight_core.plugin.findings import Rule
from insight_core.plugin.sql import QueryTable
from insight_profiler.claims import FILES


@hookimpl
def insight_plugin() -> Plugin:
    """Profiles of MindSpore, PyTorch, TensorFlow and JAX, claimed as files."""
    return Plugin(
        name=PluginNameEnum.PROFILER,
        title="Performance",
        titles={"zh-CN": "性能"},
        decoder=RecordDecoder(FILES),
        is_active="insight_profiler.claims:has_profiles",
        cache=CachePolicy(payload_bytes=0),
        routes="insight_profiler.views.routes:routes",
        profiles="insight_profiler.rules:profiles",
        frontend=Path(__file__).parent / "static",
        order=800,
    )


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """Rules about a profile, and about the ranks of its job."""
    from insight_profiler.rules import RULES

    return RULES


@hookimpl
def insight_tables() -> Iterable[QueryTable]:
    """Profiles and their operators for SQL."""
    from insight_profiler.query_tables import OPERATORS, PROFILES, operators, profiles

    return [
        QueryTable("profiles", "a profile of a run", PROFILES, profiles),
        QueryTable("operators", "all calls of operators of one type in a profile", OPERATORS, operators),
    ]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of findings in Chinese."""
    from insight_profiler.advice.words import texts

    return texts()

"""Loss landscapes: the loss around the parameters of a model, and the way that training took through it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import (
    CachePolicy,
    Keep,
    Messages,
    Plugin,
    PluginNameEnum,
    ReasonKind,
    RecordDecoder,
    hookimpl,
)
from insight_core.plugin.findings import Needs, Rule
from insight_landscape.claims import COMPUTED, LANDSCAPE_FIELD, LINEAGE_FILES

if TYPE_CHECKING:
    from insight_landscape.computing import compute as compute
    from insight_landscape.landscape import Landscape as Landscape
    from insight_landscape.landscape import Path as TrainingPath

__all__ = ["Landscape", "TrainingPath", "compute", "insight_plugin"]

_HERE = Path(__file__).parent
_FOR_COMPUTING = {  # a host starts without these
    "compute": ("insight_landscape.computing", "compute"),
    "Landscape": ("insight_landscape.landscape", "Landscape"),
    "TrainingPath": ("insight_landscape.landscape", "Path"),
}


def __getattr__(name: str) -> object:
    if name not in _FOR_COMPUTING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, there = _FOR_COMPUTING[name]
    found: object = getattr(import_module(module), there)
    return found


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """Whether training ended in a minimum."""
    title = ReasonKind("landscape_no_minimum_title", "Training ended in no minimum")
    needs = Needs(plugins=[PluginNameEnum.LANDSCAPE])
    return [Rule("no_minimum", title, "insight_landscape.rules:ends_in_a_minimum", needs)]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of findings and errors in Chinese."""
    return Messages.of(_HERE / "locales")


@hookimpl
def insight_plugin() -> Plugin:
    """Loss landscapes recorded by MindSpore or computed by this package."""
    return Plugin(
        name=PluginNameEnum.LANDSCAPE,
        title="Landscape",
        tab_group="model",
        titles={"zh-CN": "损失地形"},
        decoder=RecordDecoder(
            claims={LANDSCAPE_FIELD, COMPUTED, LINEAGE_FILES},
            decode="insight_landscape.decoder:landscape_of",
        ),
        cache=CachePolicy(payload_bytes=72 << 20),
        presets={"mindinsight": CachePolicy(Keep.UNIFORM, points=500, series=300)},
        routes="insight_landscape.routes:routes",
        frontend=_HERE / "static",
        is_active="insight_landscape.claims:has_landscapes",
        order=700,
    )

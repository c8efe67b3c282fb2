"""Findings: rules about scalars and histograms, and the tab that lists what the rules of all plugins find."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import Messages, Plugin, PluginContext, Reason, RunColumns, hookimpl
from insight_core.plugin.findings import HighlightSource, Rule

_HERE = Path(__file__).parent


_READ = frozenset({"scalar", "histogram", "profiler"})  # plugins whose series rules read


def _is_active(ctx: PluginContext) -> bool:
    return not _READ.isdisjoint(ctx.data.plugins())


@hookimpl
def insight_plugin() -> Plugin:
    """The tab that lists findings."""
    return Plugin(
        name="diagnose",
        title="Findings",
        titles={"zh-CN": "诊断"},
        routes="insight_diagnose.routes:routes",
        frontend=_HERE / "static",
        is_active=_is_active,
        order=900,
    )


@hookimpl
def insight_highlights() -> Iterable[HighlightSource]:
    """Damaged logs."""
    return [HighlightSource("damage", "insight_diagnose.damage:found", order=20)]


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """Rules about losses, learning rates and layers."""
    scalars, layers = "insight_diagnose.scalar_rules", "insight_diagnose.layer_rules"
    histogram = ("histogram",)
    return [
        Rule(
            "nonfinite",
            Reason("Values that are NaN or infinite", "diagnose_nonfinite_title"),
            "insight_diagnose.value_rules:values_are_finite",
            plugins=["scalar"],
        ),
        Rule(
            "divergence",
            Reason("Training loss that diverges", "diagnose_divergence_title"),
            f"{scalars}:loss_diverges",
            ["loss"],
        ),
        Rule(
            "lr_too_high",
            Reason("Learning rate that is too high", "diagnose_rate_too_high_title"),
            f"{scalars}:rate_is_too_high",
            ["loss"],
        ),
        Rule(
            "overfitting",
            Reason("Overfitting", "diagnose_overfitting_title"),
            f"{scalars}:model_overfits",
            ["val_loss"],
        ),
        Rule(
            "no_improvement",
            Reason("Training loss that does not improve", "diagnose_no_improvement_title"),
            f"{scalars}:loss_does_not_improve",
            ["loss"],
        ),
        Rule(
            "dead_layer",
            Reason("Layers whose values are all zero", "diagnose_dead_title"),
            f"{layers}:layers_are_alive",
            plugins=histogram,
        ),
        Rule(
            "unchanged_layer",
            Reason("Layers that do not change", "diagnose_unchanged_title"),
            f"{layers}:layers_change",
            plugins=histogram,
        ),
        Rule(
            "vanishing_gradients",
            Reason("Gradients that vanish", "diagnose_vanishing_title"),
            f"{layers}:gradients_arrive",
            plugins=histogram,
        ),
        Rule(
            "exploding_gradients",
            Reason("Gradients that explode", "diagnose_exploding_title"),
            f"{layers}:gradients_stay_small",
        ),
    ]


@hookimpl
def insight_run_columns() -> Iterable[RunColumns]:
    """How many findings a run has, and how bad the worst one is."""
    from insight_diagnose.run_columns import columns, values

    return [RunColumns(columns, values)]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of findings in Chinese."""
    return Messages.of(_HERE / "locales")

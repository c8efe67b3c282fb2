"""Diagnosis: rules about scalars and histograms, and the tab with what the rules of all plugins find."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import Messages, Plugin, PluginContext, ReasonKind, RunColumns, hookimpl
from insight_core.plugin.findings import Needs, Rule

_HERE = Path(__file__).parent


_READ = frozenset({"scalar", "histogram", "profiler"})  # plugins whose series rules read


def _is_active(ctx: PluginContext) -> bool:
    return not _READ.isdisjoint(ctx.data.plugins())


@hookimpl
def insight_plugin() -> Plugin:
    """The tab that lists findings."""
    return Plugin(
        name="diagnose",
        title="Diagnosis",
        tab_group="diagnosis",
        titles={"zh-CN": "诊断"},
        routes="insight_diagnose.routes:routes",
        frontend=_HERE / "static",
        is_active=_is_active,
        order=1200,
    )


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """Rules about losses, learning rates, layers and damaged logs."""
    scalars, layers = "insight_diagnose.scalar_rules", "insight_diagnose.layer_rules"
    rates, writers = "insight_diagnose.rate_rules", "insight_diagnose.writer_rules"
    of_scalars = Needs(plugins=["scalar"])
    of_layers = Needs(any_of=["histogram", "tensor", "scalar"])  # where layers may be logged
    return [
        Rule(
            "nonfinite",
            ReasonKind("diagnose_nonfinite_title", "NaN or infinite values"),
            "insight_diagnose.value_rules:values_are_finite",
            of_scalars,
        ),
        Rule(
            "divergence",
            ReasonKind("diagnose_divergence_title", "Loss diverged"),
            f"{scalars}:loss_diverges",
            Needs(["loss"]),
        ),
        Rule(
            "lr_too_high",
            ReasonKind("diagnose_rate_too_high_title", "Restless training loss"),
            f"{rates}:rate_is_too_high",
            Needs(["loss"]),
        ),
        Rule(
            "rate_zero",
            ReasonKind("diagnose_rate_zero_title", "Learning rate is 0"),
            f"{rates}:rate_is_zero",
            Needs(["loss", "lr"]),
        ),
        Rule(
            "constant_loss",
            ReasonKind("diagnose_constant_title", "Loss is one constant number"),
            f"{scalars}:loss_is_constant",
            Needs(["loss"]),
        ),
        Rule(
            "spike",
            ReasonKind("diagnose_spike_title", "Loss spiked and came back"),
            f"{rates}:loss_has_a_spike",
            Needs(["loss"]),
        ),
        Rule(
            "overfitting",
            ReasonKind("diagnose_overfitting_title", "Overfitting"),
            f"{scalars}:model_overfits",
            Needs(["val_loss"]),
        ),
        Rule(
            "no_improvement",
            ReasonKind("diagnose_no_improvement_title", "Loss does not improve"),
            f"{scalars}:loss_does_not_improve",
            Needs(["loss"]),
        ),
        Rule(
            "two_writers",
            ReasonKind("diagnose_two_writers_title", "Several processes write one run"),
            f"{writers}:one_process_writes",
            of_scalars,
        ),
        Rule(
            "restarted",
            ReasonKind("diagnose_restarted_title", "Run was restarted"),
            f"{writers}:run_was_restarted",
            of_scalars,
        ),
        Rule(
            "interrupted",
            ReasonKind("diagnose_paused_title", "Long pauses"),
            f"{writers}:run_was_interrupted",
            of_scalars,
        ),
        Rule(
            "mfu_falls",
            ReasonKind("diagnose_mfu_falls_title", "Training became slower"),
            "insight_diagnose.speed_rules:mfu_falls",
            of_scalars,
        ),
        Rule(
            "layer_nonfinite",
            ReasonKind("diagnose_layer_nonfinite_title", "Layers with NaN or infinite values"),
            f"{layers}:layers_are_finite",
            of_layers,
        ),
        Rule(
            "dead_layer",
            ReasonKind("diagnose_dead_title", "Dead layers"),
            f"{layers}:layers_are_alive",
            of_layers,
        ),
        Rule(
            "unchanged_layer",
            ReasonKind("diagnose_unchanged_title", "Layers that do not change"),
            f"{layers}:layers_change",
            of_layers,
        ),
        Rule(
            "vanishing_gradients",
            ReasonKind("diagnose_vanishing_title", "Vanishing gradients"),
            f"{layers}:gradients_arrive",
            of_layers,
        ),
        Rule(
            "exploding_gradients",
            ReasonKind("diagnose_exploding_title", "Exploding gradients"),
            f"{layers}:gradients_stay_small",
            of_layers,
        ),
        Rule(
            "damaged_logs",
            ReasonKind("diagnose_damage_title", "Damaged logs"),
            "insight_diagnose.value_rules:found",
            scope="runs",
        ),
    ]


@hookimpl
def insight_run_columns() -> Iterable[RunColumns]:
    """A column with the number of findings of a run, and the severity of the worst one."""
    from insight_diagnose.run_columns import columns, values

    return [RunColumns(columns, values)]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of findings in Chinese."""
    return Messages.of(_HERE / "locales")

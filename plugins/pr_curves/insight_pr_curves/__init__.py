"""PR curves: precision and recall at every threshold of a classifier, step by step and run by run."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Plugin, RecordDecoder, SummaryPlugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    """Values of TensorBoard's summary plugin ``pr_curves``."""
    return Plugin(
        name="pr_curves",
        title="PR curves",
        tab_group="model",
        titles={"zh-CN": "PR 曲线"},
        decoder=RecordDecoder(
            claims={SummaryPlugin("pr_curves")}, decode="insight_pr_curves.decoder:curve_of"
        ),
        routes="insight_pr_curves.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
    )

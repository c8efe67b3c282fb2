"""Audio: the sounds of a run, with waveform, spectrogram and playback."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Dialect, EventField, Plugin, RecordDecoder, SummaryPlugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    """Values of TensorBoard's summary plugin ``audio``, and the field ``audio`` of its older events."""
    return Plugin(
        name="audio",
        title="Audio",
        tab_group="media",
        titles={"zh-CN": "音频"},
        decoder=RecordDecoder(
            claims={SummaryPlugin("audio"), EventField(Dialect.TENSORBOARD, "audio")},
            decode="insight_audio.decoder:clips_of",
            encode="insight_audio.decoder:described",
        ),
        routes="insight_audio.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
    )

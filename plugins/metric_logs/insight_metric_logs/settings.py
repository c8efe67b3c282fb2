"""Files of settings next to logs, by the programs that write them."""

from __future__ import annotations

from insight_core.plugin.log_tables import log_settings

SETTINGS = (
    log_settings("Hydra", [".hydra/config.yaml", ".hydra/overrides.yaml"], runs_below=True),
    log_settings(
        "Settings",
        [
            "hparams.yaml",  # Lightning
            "args.yaml",  # Ultralytics, timm
            "config.yaml",  # DreamerV3 and many
            "config.yml",
            "config.toml",
            "config.json",  # Hugging Face and many
            "params.json",  # Ray Tune
            "args.json",  # ms-swift
            "training_args.yaml",  # LLaMA-Factory
            "training_args.json",
            "hparams.json",
        ],
    ),
)

"""Tables of metrics, a row for each program that writes them."""

from __future__ import annotations

from insight_core.plugin.log_tables import log_table

_STEPS = ("step", "global_step", "iteration", "iter", "epoch")
_LARGEST = 256 << 20  # bytes of a file whose name says little: data, rather than a log
_OF_TRAINER_STATE = ("log_history", "best_metric", "best_model_checkpoint", "is_world_process_zero")
_OF_RAY = (
    *("date", "hostname", "node_ip", "pid", "trial_id", "experiment_id", "experiment_tag", "done"),
    *("should_checkpoint", "trial_dir", "episode_media*", "custom_metrics*", "warmup_time"),
)
_MACHINE_OF_CODECARBON = (
    *(
        "project_name",
        "country_name",
        "country_iso_code",
        "region",
        "os",
        "python_version",
        "codecarbon_version",
    ),
    *("cpu_count", "cpu_model", "gpu_count", "gpu_model", "ram_total_size", "tracking_mode", "on_cloud"),
    *("cloud_provider", "cloud_region", "pue", "wue"),
)

TABLES = (
    log_table("Lightning CSVLogger", "metrics.csv", version=3),
    log_table(
        "DVCLive",
        ["plots/metrics/**/*.tsv", "plots/scalars/**/*.tsv", "dvclive/scalars/**/*.tsv", "dvclive/*.tsv"],
        layout="one",
        time="timestamp",
        time_unit=0.001,
        tag=r"(?:^|.*/)(?:plots/metrics|plots/scalars|dvclive/scalars|dvclive)/(.+)\.tsv$",
        version=2,
    ),
    log_table(
        "Hugging Face Trainer",
        ["trainer_state.json", "checkpoint-*/trainer_state.json"],
        layout="object",
        rows="log_history",
        time="time",
        names={"eval_*": "eval/*", "test_*": "test/*", "*": "train/*"},  # as Trainer's TensorBoard callback
        settings=("train_batch_size", "num_train_epochs", "max_steps", "trial_params/*"),
        needs=_OF_TRAINER_STATE,
        version=3,
        newest_only=True,
    ),
    log_table("JSON lines", ["metrics.jsonl", "scores.jsonl"], layout="lines", time="time", version=2),
    log_table("Ultralytics", "results.csv", step="epoch", needs=["*/*"]),
    log_table("timm", "summary.csv", step="epoch", needs=["train_loss"]),
    log_table(
        "Stable-Baselines3",
        "progress.csv",
        step=("time/total_timesteps", "misc/total_timesteps", "total_timesteps"),
    ),
    log_table(
        "Monitor of Stable-Baselines3",
        ["monitor.csv", "*.monitor.csv"],
        step="l",
        sums_steps=True,
        time="t",
        names={"r": "episode/reward", "l": "episode/length"},
        needs=["r", "t"],
        tag=r"([^/]+\.monitor)\.csv$",
    ),
    log_table(
        "Ray Tune",
        "progress.csv",
        step="training_iteration",
        time="timestamp",
        settings=("config/*",),
        without=_OF_RAY,
        needs=["training_iteration", "trial_id"],
    ),
    log_table(
        "Ray Tune in JSON",
        "result.json",
        layout="lines",
        step="training_iteration",
        time="timestamp",
        settings=("config/*",),
        without=_OF_RAY,
        needs=["training_iteration"],
        unless=["progress.csv"],
    ),
    log_table(
        "Detectron2 and MMDetection",
        ["metrics.json", "vis_data/scalars.json"],
        layout="lines",
        step=("iteration", "step", "iter"),
        without=("mode",),
        needs=["*iter*"],
    ),
    log_table(
        "LLaMA-Factory",
        "trainer_log.jsonl",
        layout="lines",
        step="current_steps",
        without=("elapsed_time", "remaining_time", "throughput"),
        needs=["current_steps"],
    ),
    log_table(
        "ms-swift",
        "logging.jsonl",
        layout="lines",
        step="global_step/max_steps",
        without=("percentage", "elapsed_time", "remaining_time"),
    ),
    log_table(
        "CatBoost",
        ["learn_error.tsv", "test_error.tsv"],
        layout="tsv",
        step="iter",
        tag=r"([a-z]+)_error\.tsv$",
    ),
    log_table("DeepSpeed", ["Train_*.csv", "Eval_*.csv"], tag=r"([^/]+)\.csv$"),
    log_table(
        "CodeCarbon",
        "emissions.csv",
        step="",
        time="timestamp",
        names={"*": "emissions/*"},
        settings=_MACHINE_OF_CODECARBON,
        without=("run_id", "experiment_id", "longitude", "latitude"),
        needs=["emissions", "duration"],
    ),
    log_table(
        "Keras history",
        ["history.json", "training_history.json", "*_history.json"],
        layout="columns",
        step=("epoch",),
    ),
    log_table(
        "DVC metrics",
        "metrics.json",
        layout="object",
        unless=["plots"],
    ),
    log_table("CSV log of any name", "*.csv", step=_STEPS, any_name=True, most=_LARGEST),
)

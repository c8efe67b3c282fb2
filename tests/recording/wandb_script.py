"""A script as users of W&B have it; its one argument is the directory."""

import sys

import numpy as np
import wandb

run = wandb.init(project="digits", name="first", config={"lr": 0.1}, dir=sys.argv[1], mode="offline")
run.define_metric("epoch")
run.define_metric("val/*", step_metric="epoch")
run.define_metric("acc", summary="max")
chance = np.random.default_rng(0)
for step in range(20):
    wandb.log(
        {"loss": 1 / (step + 1), "acc": 0.5 + step % 7, "deep": {"a": step, "b": 2 * step}, "flag": True}
    )
    if step % 5 == 4:
        wandb.log({"epoch": step // 5, "val/loss": 0.5 / (step + 1)}, commit=False)
wandb.log(
    {"weights": wandb.Histogram(chance.normal(size=1000)), "page": wandb.Html("<b>x</b>")}, commit=False
)
wandb.log({"loss": float("nan")}, step=50)
wandb.log({"loss": 3.0}, step=10)  # left out by both
wandb.log({"loss": 2.0}, step=60)
run.summary["best"] = 0.5
wandb.finish()

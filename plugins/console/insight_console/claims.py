"""Which files are console logs, by names and first bytes, and which of them make their directory a run."""

from __future__ import annotations

import re
from collections.abc import Callable

from insight_core.plugin import FileName

_NAMES = (
    *("*.log", "*.out", "*.err", "*.log.[0-9]*", "*.out.[0-9]*", "*.err.[0-9]*"),
    *("log.txt", "log_*.txt", "*_log.txt", "stdout", "stderr", "stdout.txt", "stderr.txt"),
)
_JOBS = ("slurm-*.out", "slurm-*.err")
_RANKS = ("**/attempt_*/*/stdout.log", "**/attempt_*/*/stderr.log")  # of torchrun --log-dir
_WANDB = "files/output.log"  # of a run of W&B, whose directory is the one above
_OF_RUN = r"(.+?)[._](?:log|out|err)(?:\.(?:txt|\d+))*"  # run1.log, next to run1/
_GZIP = b"\x1f\x8b"
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\a\x1b"))
_MOST_CONTROL = 0.02  # of the first bytes
# Patterns are compiled when first used. Of Optuna, which another plugin reads, and what W&B notes of itself
_OF_OTHERS = (
    rb'\s*\{\s*"op_code"\s*:|.*\[wandb_\w+\.py:'
    rb'|\{"time":"[^"]*","level":"\w+","msg":"(?:wandb-core|stream|main)'
)
# At least two different ones of these are in the beginning of a log of training.
_OF_TRAINING = (
    rb"(?i)\b(epochs?|(?:global_)?steps?|iter(?:ation)?s?|loss|train(?:ing|er)?|batch(?:es|_size)?|optimizer|"
    rb"learning_rate|lr|checkpoint|torch|cuda|gpus?|tensorflow|jax|keras|lightning|transformers|mindspore|nccl|"
    rb"deepspeed|wandb|rank|dataloader|hydra)\b"
)
_SUFFICES = (
    rb"Traceback \(most recent call last\):|(?m:^[A-Za-z0-9_.]*slurmstepd: |^srun: )|"
    rb"\d+/\d+ \[\d+:\d\d(?::\d\d)?<"  # the bar of tqdm
)


def is_console_log(beginning: bytes) -> bool:
    """Whether a file begins as text, or is compressed: neither binary data nor a log that others read."""
    if beginning.startswith(_GZIP):
        return True
    if b"\0" in beginning or re.match(_OF_OTHERS, beginning):
        return False
    controls = len(beginning) - len(beginning.translate(None, _CONTROL))
    return controls <= _MOST_CONTROL * len(beginning)


def is_of_training(beginning: bytes) -> bool:
    """Whether a log outside of runs makes its directory a run: it speaks of training, or ends in a traceback.

    Logs of systems and of servers do not, so that a directory with a thousand of them has no run.
    """
    if re.search(_SUFFICES, beginning):
        return True
    return len({word.lower() for word in re.findall(_OF_TRAINING, beginning)}) > 1


def _claim(pattern: str, makes_run: bool | Callable[[bytes], bool], *, run_below: bool = False) -> FileName:
    return FileName(pattern, makes_run=makes_run, begins=is_console_log, of_run=_OF_RUN, run_below=run_below)


# A log belongs to the run next to it that has its name, else to the nearest run above it, by the first
# pattern. Without one its own directory may be a run; jobs of SLURM belong to the only run below it, if any.
CLAIMS = frozenset(
    [
        *(_claim(f"**/{name}", False) for name in _NAMES),
        *(_claim(name, is_of_training) for name in _NAMES),
        *(_claim(name, True, run_below=True) for name in _JOBS),
        *(_claim(pattern, True) for pattern in _RANKS),
        _claim(_WANDB, is_of_training),
    ]
)


def is_compressed(beginning: bytes) -> bool:
    """Whether a file is gzip, which is listed and not read."""
    return beginning.startswith(_GZIP)

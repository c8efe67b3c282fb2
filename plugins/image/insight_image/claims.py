"""Values of events that are images, and picture files of runs that have a step in their name."""

from __future__ import annotations

from insight_core.plugin import Claim, Dialect, EventField, FileName, SummaryPlugin

BATCHES = SummaryPlugin("images")  # values of any number of pictures

_LAST_NUMBER = r"(\d+)\.[a-z]+$"
_NAMED_STEP = r"(?:epoch|step|iter(?:ation)?)[-_=]?(\d+)"
_NAMES = {  # of files, by the expression for their step
    "*epoch[-_=0-9]*": _NAMED_STEP,
    "*step[-_=0-9]*": _NAMED_STEP,
    "*iter[-_=0-9]*": _NAMED_STEP,
    "*iteration[-_=0-9]*": _NAMED_STEP,
    "sample[-_0-9]*": _LAST_NUMBER,  # of diffusion models
    "samples[-_0-9]*": _LAST_NUMBER,
    "fakes[-_0-9]*": _LAST_NUMBER,  # of StyleGAN
}
_OF_ULTRALYTICS = (
    *("val_batch*_pred.jpg", "val_batch*_labels.jpg", "labels*.jpg"),
    *("results.png", "confusion_matrix*.png", "*_curve.png"),
)


def _file(pattern: str, step: str = "") -> FileName:
    """Pictures of runs only: a directory of pictures alone is a data set."""
    return FileName(pattern, makes_run=False, step=step)


PICTURES = frozenset(
    {
        _file("train_batch*.jpg", r"train_batch(\d+)"),
        *map(_file, _OF_ULTRALYTICS),
        *(
            _file(f"**/{name}.{suffix}", step)
            for name, step in _NAMES.items()
            for suffix in ("png", "jpg", "jpeg")
        ),
    }
)
CLAIMS: set[Claim] = {
    EventField(Dialect.MINDSPORE, "image"),
    EventField(Dialect.TENSORBOARD, "image"),
    BATCHES,
    *PICTURES,
}

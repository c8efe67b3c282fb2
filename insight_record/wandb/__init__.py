"""What scripts call of W&B, recorded into event files: ``import insight_record.wandb as wandb``.

::

    import insight_record.wandb as wandb

    run = wandb.init(project="digits", config={"lr": 0.1})
    for step in range(steps):
        run.log({"loss": loss})
    run.finish()

Nothing is sent anywhere. A run is a directory ``runs/<project>/<name>``, which insight-host and TensorBoard
read. What is not recorded, such as artifacts and sweeps, raises an AttributeError with what to do instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from insight_record.wandb.absent import absent
from insight_record.wandb.media import Audio, Histogram, Html, Image, Plotly, Table, Video
from insight_record.wandb.places import RunPlace
from insight_record.wandb.recorded_run import Run
from insight_record.wandb.settled import Config

__all__ = [
    "Audio",
    "Config",
    "Error",
    "Histogram",
    "Html",
    "Image",
    "Plotly",
    "Run",
    "Settings",
    "Table",
    "UsageError",
    "Video",
    "define_metric",
    "finish",
    "init",
    "log",
    "login",
    "unwatch",
    "watch",
]

_MODES = ("online", "offline", "shared", "disabled", "dryrun")
_INSTEAD = {
    "Artifact": "copy the file to a place of your own",
    "Api": "insight_host.open(DIR) reads what was recorded",
    "agent": "insight_record.optuna and insight_record.sklearn record searches",
    "sweep": "insight_record.optuna and insight_record.sklearn record searches",
    "controller": "insight_record.optuna and insight_record.sklearn record searches",
    "util": "secrets.token_hex(4) makes an id",
    "save": "copy the file to a place of your own",
    "restore": "copy the file from a place of your own",
    "alert": "insight-host --alerts FILE sends alerts",
    "plot": "log a Table, or a figure of matplotlib or plotly",
    "Object3D": "insight_record.SummaryWriter has add_mesh",
    "Molecule": "log a picture of it",
}


class Error(Exception):
    """An error of this package; the name is W&B's."""


class UsageError(Error):
    """A call at a moment, or with arguments, that W&B refuses, too."""


class Settings(dict[str, Any]):
    """Accepted for ``init(settings=)``: nothing in it has a meaning here."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(settings)


_current: Run | None = None


def init(
    project: str | None = None,
    *,
    entity: str | None = None,
    name: str | None = None,
    id: str | None = None,
    dir: str | os.PathLike[str] | None = None,
    config: object = None,
    config_exclude_keys: Iterable[str] = (),
    config_include_keys: Iterable[str] = (),
    allow_val_change: bool = False,
    group: str | None = None,
    job_type: str | None = None,
    tags: Sequence[str] | None = None,
    notes: str | None = None,
    mode: str | None = None,
    resume: bool | str | None = None,
    reinit: bool | str | None = None,
    settings: object = None,
    force: bool | None = None,
    save_code: bool | None = None,
    anonymous: str | None = None,
) -> Run:
    """Begins a run in ``<dir>/<project>/<name>``; ``dir`` is ``runs`` by default.

    Variables of W&B stand in for arguments: ``WANDB_PROJECT``, ``WANDB_NAME``, ``WANDB_DIR``, ``WANDB_MODE``
    and so on. With ``mode="disabled"`` nothing is recorded. ``resume`` goes on with the run of this ``id``,
    at its next step ("allow", "auto", "must" or True), or not ("never"); without, another attempt is recorded
    there. A run that was not finished is returned again, unless ``reinit`` says to finish it
    ("finish_previous", True) or to leave it open ("create_new"). The machine's load is recorded every 15
    seconds. ``entity``, ``force``, ``save_code``, ``anonymous`` and ``settings`` have no effect.

    Raises UsageError for a mode or ``resume`` that W&B does not know, and where ``resume`` is refused.
    """
    global _current
    before = _current if _current is not None and not _current.is_finished else None
    if before is not None and reinit in (True, "finish_previous"):
        before.finish()
    elif before is not None and reinit != "create_new":
        return before
    given = os.environ
    mode = mode or given.get("WANDB_MODE") or "offline"
    if mode not in _MODES:
        raise UsageError(f"mode is one of {', '.join(_MODES)}, not {mode!r}")
    try:
        place = RunPlace.of(
            project=project or given.get("WANDB_PROJECT"),
            name=name or given.get("WANDB_NAME"),
            id=id or given.get("WANDB_RUN_ID"),
            dir=dir or given.get("WANDB_DIR"),
            resume=given.get("WANDB_RESUME") if resume is None else resume,
            disabled=mode == "disabled",
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    run = Run(
        place,
        Config.of(config, include=config_include_keys, exclude=config_exclude_keys),
        facts={
            "group": group or given.get("WANDB_RUN_GROUP"),
            "job_type": job_type or given.get("WANDB_JOB_TYPE"),
            "tags": ", ".join(tags) if tags else given.get("WANDB_TAGS"),
        },
        notes=notes or given.get("WANDB_NOTES") or "",
    )
    if before is None or reinit != "create_new":
        _current = run
    return run


def log(data: Mapping[str, Any], step: SupportsIndex | None = None, commit: bool | None = None) -> None:
    """Records values of the current run; see ``Run.log``."""
    _running("log").log(data, step, commit)


def define_metric(name: str, step_metric: str | None = None, **options: Any) -> None:  # noqa: ANN401
    """Says over which metric another one stands; see ``Run.define_metric``."""
    _running("define_metric").define_metric(name, step_metric, **options)


def watch(*models_and_more: Any, **options: Any) -> None:  # noqa: ANN401
    """Records histograms of the gradients and parameters of modules of PyTorch; see ``Run.watch``."""
    _running("watch").watch(*models_and_more, **options)


def unwatch(models: Any = None) -> None:  # noqa: ANN401
    """Ends what ``watch`` began, by default for all models."""
    _running("unwatch").unwatch(models)


def finish(exit_code: int | None = None) -> None:
    """Ends the current run, if any."""
    if _current is not None:
        _current.finish(exit_code)


def login(*args: Any, **given: Any) -> bool:  # noqa: ANN401
    """Does nothing: there is no server."""
    return True


def _running(what: str) -> Run:
    if _current is None or _current.is_finished:
        raise UsageError(f"call wandb.init() before wandb.{what}")
    return _current


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """``run``, ``config`` and ``summary`` of the current run."""
    if name == "run":
        return _current if _current is not None and not _current.is_finished else None
    if name in ("config", "summary"):
        return getattr(_running(name), name)
    raise absent("insight_record.wandb", name, _INSTEAD)

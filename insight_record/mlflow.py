"""What scripts log with MLflow, recorded into event files: ``import insight_record.mlflow as mlflow``.

::

    import insight_record.mlflow as mlflow

    mlflow.set_experiment("digits")
    with mlflow.start_run(run_name="first"):
        mlflow.log_params({"lr": 0.1})
        for step in range(steps):
            mlflow.log_metric("loss", loss, step=step)

Nothing is sent anywhere. A run is a directory ``runs/<experiment>/<run name>``; the variables
``MLFLOW_EXPERIMENT_NAME`` and ``MLFLOW_RUN_NAME`` stand in for the names. What is not recorded, such as
models and artifacts, raises an AttributeError with what to do instead.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Mapping
from pathlib import PurePosixPath
from time import time
from types import SimpleNamespace, TracebackType
from typing import Any

from insight_record.argument_checks import number_of
from insight_record.summary_writer import SummaryWriter
from insight_record.values.hparams import ended
from insight_record.wandb.absent import absent
from insight_record.wandb.media import Html, Image, LoggedValue, Plotly, Table
from insight_record.wandb.places import RunPlace

_EVERY = 15.0  # seconds between two looks at the machine
_INSTEAD = {
    "log_artifact": "copy the file to a place of your own",
    "log_artifacts": "copy the files to a place of your own",
    "log_input": "log what describes the data as parameters",
    "log_model": "copy the model to a place of your own",
    "register_model": "copy the model to a place of your own",
    "autolog": "insight_record has collectors for PyTorch, Keras, Lightning and Hugging Face",
    "search_runs": "insight_host.open(DIR) reads what was recorded",
    "evaluate": "log the metrics of an evaluation with log_metrics",
}


class ActiveRun:
    """A run that records; ``info`` has its name, id and directory under MLflow's names."""

    def __init__(self, place: RunPlace) -> None:
        assert place.directory is not None
        self._writer = SummaryWriter(place.directory, all_ranks=True, environment=True, system_every=_EVERY)
        self._params: dict[str, str] = {}
        self.info = SimpleNamespace(
            run_id=place.id,
            run_name=place.name,
            experiment_id=place.project,
            artifact_uri=self._writer.log_dir,
            status="RUNNING",
        )

    def params(self, values: Mapping[str, Any]) -> None:
        """Records columns. Raises ValueError for one that has another value, as MLflow does."""
        for name, value in values.items():
            if self._params.get(name, str(value)) != str(value):
                raise ValueError(
                    f"the parameter {name} is {self._params[name]!r}, and cannot become {value!r}"
                )
        self._params |= {name: str(value) for name, value in values.items()}
        self._writer.add_configuration(dict(values))

    def tags(self, values: Mapping[str, Any]) -> None:
        """Records columns that may change."""
        self._writer.add_configuration({"tags": dict(values)})

    def metrics(self, values: Mapping[str, Any], step: int | None, milliseconds: int | None) -> None:
        """Records numbers at a step, 0 by default; ``milliseconds`` since the epoch, now by default."""
        numbers = {name: number_of(value) for name, value in values.items()}
        self._writer._run().put_numbers(int(step or 0), _seconds(milliseconds), numbers)

    def value(
        self, tag: str, value: LoggedValue | str, step: int | None = None, milliseconds: int | None = None
    ) -> None:
        """Records a text or another value; see ``metrics``."""
        when = _seconds(milliseconds)
        if isinstance(value, str):
            self._writer.add_text(tag, value, step, when)
        else:
            value.write(self._writer, tag, {"global_step": step, "walltime": when})

    def end(self, status: str) -> None:
        """Writes everything, and how the run ended."""
        self.info.status = status
        origin = {"experiment": self.info.experiment_id, "name": self.info.run_name, "id": self.info.run_id}
        # last: TensorBoard reads the first hyperparameters only
        self._writer.add_configuration({"mlflow": {name: value for name, value in origin.items() if value}})
        self._writer._put(ended(succeeded=status == "FINISHED"), None, None)
        self._writer.close()

    def __enter__(self) -> ActiveRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self in _active:
            end_run("FINISHED" if kind is None else "FAILED")


_active: list[ActiveRun] = []  # nested ones behind those around them
_experiment = ""


def set_tracking_uri(uri: object) -> None:
    """Does nothing: there is no server."""


def set_experiment(experiment_name: str | None = None, experiment_id: str | None = None) -> None:
    """Names the directory of the next runs."""
    global _experiment
    _experiment = experiment_name or experiment_id or ""


def start_run(
    run_id: str | None = None,
    experiment_id: str | None = None,
    run_name: str | None = None,
    nested: bool = False,
    parent_run_id: str | None = None,
    tags: Mapping[str, Any] | None = None,
    description: str | None = None,
    log_system_metrics: bool | None = None,
) -> ActiveRun:
    """Begins a run; with ``run_id`` that of this id goes on. The machine's load is recorded every 15 seconds.

    Raises ValueError if a run is active, unless ``nested``.
    """
    if _active and not nested:
        raise ValueError(f"the run {_active[-1].info.run_name} is active: end it with mlflow.end_run()")
    given = os.environ
    place = RunPlace.of(
        project=experiment_id or _experiment or given.get("MLFLOW_EXPERIMENT_NAME"),
        name=run_name or given.get("MLFLOW_RUN_NAME"),
        id=run_id or given.get("MLFLOW_RUN_ID"),
        dir=None,
        resume="allow",
    )
    run = ActiveRun(place)
    around = _active[-1].info.run_name if _active else parent_run_id
    said = {"mlflow.parentRun": around, **(tags or {})} if around else dict(tags or {})
    if said:
        run.tags(said)
    if description:
        run.value("description", description)
    _active.append(run)
    atexit.unregister(_end_all)  # it has to run before what closes the files, which was registered meanwhile
    atexit.register(_end_all)
    return run


def end_run(status: str = "FINISHED") -> None:
    """Ends the active run, if any."""
    if _active:
        _active.pop().end(status)


def _end_all() -> None:
    """The interpreter ends: MLflow calls such runs finished."""
    while _active:
        end_run()


def active_run() -> ActiveRun | None:
    """The innermost run that was started."""
    return _active[-1] if _active else None


def log_param(key: str, value: Any, synchronous: bool | None = None) -> Any:  # noqa: ANN401
    """Records a hyperparameter, a column of the run table."""
    _run().params({key: value})
    return value


def log_params(params: Mapping[str, Any], synchronous: bool | None = None) -> None:
    """Records hyperparameters, columns of the run table."""
    _run().params(params)


def set_tag(key: str, value: Any, synchronous: bool | None = None) -> None:  # noqa: ANN401
    """Records a column ``tags/<key>``, which may change."""
    _run().tags({key: value})


def set_tags(tags: Mapping[str, Any], synchronous: bool | None = None) -> None:
    """Records columns ``tags/<key>``, which may change."""
    _run().tags(tags)


def log_metric(
    key: str,
    value: Any,  # noqa: ANN401
    step: int | None = None,
    synchronous: bool | None = None,
    timestamp: int | None = None,
    run_id: str | None = None,
    **given: Any,  # noqa: ANN401
) -> None:
    """Records a number; ``timestamp`` is in milliseconds since the epoch."""
    _run(run_id).metrics({key: value}, step, timestamp)


def log_metrics(
    metrics: Mapping[str, Any],
    step: int | None = None,
    synchronous: bool | None = None,
    run_id: str | None = None,
    timestamp: int | None = None,
    **given: Any,  # noqa: ANN401
) -> None:
    """Records numbers of one step."""
    _run(run_id).metrics(metrics, step, timestamp)


def log_text(text: str, artifact_file: str, run_id: str | None = None) -> None:
    """Records a text, shown as Markdown; of a file ``.html`` a page, in a frame that loads nothing."""
    is_page = PurePosixPath(artifact_file).suffix == ".html"
    _run(run_id).value(_tag(artifact_file), Html(text, data_is_not_path=True) if is_page else text)


def log_dict(dictionary: object, artifact_file: str, run_id: str | None = None) -> None:
    """Records a mapping as text."""
    text = json.dumps(dictionary, indent=2, ensure_ascii=False, default=str)
    _run(run_id).value(_tag(artifact_file), f"```json\n{text}\n```")


def log_figure(figure: Any, artifact_file: str, *, save_kwargs: object = None) -> None:  # noqa: ANN401
    """Records a figure of matplotlib or plotly."""
    is_plotly = hasattr(figure, "to_plotly_json")
    _run().value(_tag(artifact_file), Plotly(figure) if is_plotly else Image(figure))


def log_image(
    image: Any,  # noqa: ANN401
    artifact_file: str | None = None,
    key: str | None = None,
    step: int | None = None,
    timestamp: int | None = None,
    synchronous: bool | None = None,
) -> None:
    """Records an array [H, W] or [H, W, C] or a picture of Pillow, of a file or of a ``key`` at a step."""
    if not (artifact_file or key):
        raise ValueError("log_image has an artifact_file, or a key")
    _run().value(key or _tag(str(artifact_file)), Image(image), step, timestamp)


def log_table(data: Any, artifact_file: str, run_id: str | None = None) -> None:  # noqa: ANN401
    """Records a table: a frame of pandas, or columns by name."""
    if isinstance(data, Mapping):
        columns = {name: cells if isinstance(cells, list) else [cells] for name, cells in data.items()}
        table = Table(columns=list(columns), data=list(zip(*columns.values(), strict=True)))
    else:
        table = Table(dataframe=data)
    _run(run_id).value(_tag(artifact_file), table)


def _run(run_id: str | None = None) -> ActiveRun:
    """The active run of an id, else the innermost, which begins now if none is. Raises ValueError."""
    if run_id is not None:
        found = next((run for run in _active if run.info.run_id == run_id), None)
        if found is None:
            raise ValueError(f"no run {run_id} is active: start_run(run_id=...) goes on with it")
        return found
    return _active[-1] if _active else start_run()


def _seconds(milliseconds: int | None) -> float:
    return time() if milliseconds is None else milliseconds / 1000


def _tag(file: str) -> str:
    """The name of a file without its suffix."""
    return str(PurePosixPath(file).with_suffix(""))


def __getattr__(name: str) -> Any:  # noqa: ANN401
    raise absent("insight_record.mlflow", name, _INSTEAD)

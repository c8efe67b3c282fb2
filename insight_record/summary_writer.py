"""``SummaryWriter``: the interface of ``torch.utils.tensorboard`` and tensorboardX, without either."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from time import time
from typing import Any

from insight_record.argument_checks import named, number_of
from insight_record.configurations import Cell, flat_cells
from insight_record.encoders.tensorboard import described_scalar
from insight_record.events import ERRORS
from insight_record.media_writer import MediaWriter
from insight_record.tensors import tensorflow_checked
from insight_record.values.buckets import histogram, raw_histogram
from insight_record.values.charts import Layout, charts
from insight_record.values.curves import curve, raw_curve
from insight_record.values.hparams import session
from insight_record.values.models import onnx_graph, torch_graph
from insight_record.values.tensors import number_value, tensor_value, text_value


class SummaryWriter(MediaWriter):
    """Records a training for TensorBoard and insight-host; replaces the class of this name of other packages.

        writer = SummaryWriter("runs/first")
        for step in range(steps):
            writer.add_scalar("loss", loss, step)
        writer.close()

    ``log_dir`` (``logdir``) is the directory of the run, by default ``runs/<date>_<host><comment>``. With
    ``purge_step`` insight-host and TensorBoard hide what an earlier attempt recorded at this step or later.
    ``filename_suffix`` ends the names of files. Values are in the file at most ``flush_secs`` later, and
    never more than a second; ``max_queue`` is accepted and has no effect. With ``write_to_disk=False``
    nothing is written.

    In a distributed training rank 0 records and other ranks log one warning. With ``per_rank`` each rank has
    a run of its own, ``rank_<n>`` below ``log_dir``; with ``all_ranks`` the rank is ignored. If another
    process writes into the directory, a directory below it is used, with a warning; ``log_dir`` is the one in
    use.

    With ``environment`` the command line, the commit and the host are recorded as columns (in a file that
    TensorBoard ignores), installed packages and uncommitted changes as texts. Every ``system_every`` seconds
    (0: never) the load of the machine is recorded as scalars ``system/...``.

    With ``to="https://HOST"`` the run is sent to that host, see ``SummaryRecord``.

    Thread-safe. It can be pickled and forked: the other process writes a file of its own.
    """

    _trials: tuple[Mapping[str, Cell], ...] = ()  # hyperparameters that were recorded

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
        new_style: bool | str = False,
        double_precision: bool | str = False,
        *,
        display_name: str = "",
        summary_description: str = "",
        error: Any = None,  # noqa: ANN401
    ) -> None:
        """Records a number, also an array of one, as float32.

        ``error`` is its standard error, recorded as ``<tag>_stderr``, which Metrics draws as error bars.
        With ``new_style`` it is recorded as a tensor, with ``double_precision`` as float64. ``display_name``
        and ``summary_description``, which tensorboardX has at the places of these two, describe the tag.
        """
        try:
            number = scalar_value if type(scalar_value) is float else number_of(scalar_value)
        except (TypeError, ValueError) as failure:
            raise named(failure, "scalar", tag) from None
        if error is not None:
            self.add_scalar(f"{tag}{ERRORS}", error, global_step, walltime)
        if new_style or display_name or summary_description or double_precision:
            if isinstance(new_style, str):
                display_name, summary_description = new_style, str(double_precision or summary_description)
                new_style = False
            described = (
                number_value(tag, number, double=bool(double_precision))
                if new_style
                else described_scalar(tag, number, display_name, summary_description)
            )
            self._put([described], global_step, walltime)
            return
        if type(global_step) is not int or walltime is not None:
            global_step, walltime = self._when(global_step, walltime)
        else:
            walltime = time() if self._wall_time is None else self._wall_time
        record = self._record
        (self._run() if record is None else record).put(global_step, walltime, (), tag, number)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records numbers under one tag, each in a run ``<main_tag>_<key>`` below this run."""
        step, seconds = self._when(global_step, walltime)
        for key, value in tag_scalar_dict.items():
            try:
                number = number_of(value)
            except (TypeError, ValueError) as error:
                raise named(error, "scalar", f"{main_tag} {key}") from None
            name = f"{main_tag.replace('/', '_')}_{key}"
            self._run_below(name).put(step, seconds, (), main_tag, number)

    def add_hparams(
        self,
        hparam_dict: Any,  # noqa: ANN401
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Cell]] | str | None = None,
        run_name: Any = None,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        *,
        name: str | None = None,
    ) -> None:
        """Records hyperparameters and final metrics of this run, or of a run ``run_name`` below it.

        Without a name, another call with other hyperparameters is another trial: it is recorded in a run
        ``trial_2``, ``trial_3`` … below this run. Hyperparameters are a mapping, a dataclass or a namespace;
        nested ones become ``a/b``, None is left out. ``hparam_domain_discrete`` has lists of the values to
        choose from. As in tensorboardX, ``name`` may stand at its place, before the step.
        """
        if isinstance(hparam_domain_discrete, str):
            name, hparam_domain_discrete = hparam_domain_discrete, None
            run_name, global_step = None, run_name if global_step is None else global_step
        if not isinstance(metric_dict, Mapping):
            raise TypeError(f"metric_dict is a mapping, not {type(metric_dict).__name__}")
        cells = flat_cells("hparam_dict", hparam_dict)
        metrics = {metric: number_of(value) for metric, value in metric_dict.items()}
        values = session(cells, metrics, hparam_domain_discrete or {})
        step, seconds = self._when(global_step, None)
        below = run_name or name or self._trial_of(cells)
        record = self._run_below(str(below))
        record.put(step, seconds, values)
        for metric, number in metrics.items():
            record.put(step, seconds, (), metric, number)
        del self._below[str(below)]
        record.close()

    def _trial_of(self, cells: Mapping[str, Cell]) -> str:
        """The run below for hyperparameters: this one for the first, which another process may have made."""
        if cells not in self._trials:
            self._trials = (*self._trials, cells)
        number = self._trials.index(cells)
        return f"trial_{number + 1}" if number else "."

    def add_configuration(self, configuration: object) -> None:
        """Records hyperparameters of this run, as columns of the run table; TensorBoard reads the first only.

        A configuration is a mapping, a dataclass or a namespace; nested ones become ``a/b``.
        """
        self._run().put_value(0, time(), "hparams", "hparams", configuration)

    def add_tensor(
        self,
        tag: str,
        tensor: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records an array with its type and shape."""
        array = tensorflow_checked(tensor).copy()
        self._put([tensor_value(tag, array, "tensor")], global_step, walltime)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records a text, which is shown as Markdown."""
        if not isinstance(text_string, str):
            raise TypeError(f"text {tag!r}: it is text, not {type(text_string).__name__}")
        self._put([text_value(tag, text_string)], global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        bins: Any = "tensorflow",  # noqa: ANN401
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Records the distribution of an array, without its NaN and infinities.

        ``bins`` is "tensorflow", for buckets that grow by a tenth, or what ``numpy.histogram`` takes; more
        than ``max_bins`` are merged.
        """
        self._put([histogram(tag, values, bins, max_bins)], global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,  # noqa: ANN401
        bucket_counts: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records a histogram that was counted elsewhere: the right limit and the count of each bucket."""
        statistics = (min, max, num, sum, sum_squares)
        self._put([raw_histogram(tag, statistics, bucket_limits, bucket_counts)], global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,  # noqa: ANN401
        predictions: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        num_thresholds: int = 127,
        weights: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records precision and recall of predictions from 0 to 1 against labels, at up to 127 thresholds."""
        self._put([curve(tag, labels, predictions, num_thresholds, weights)], global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,  # noqa: ANN401
        false_positive_counts: Any,  # noqa: ANN401
        true_negative_counts: Any,  # noqa: ANN401
        false_negative_counts: Any,  # noqa: ANN401
        precision: Any,  # noqa: ANN401
        recall: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        num_thresholds: int = 127,
        weights: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records precision and recall that were counted elsewhere, a value for each threshold."""
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        self._put([raw_curve(tag, (*counts, precision, recall), num_thresholds)], global_step, walltime)

    def add_custom_scalars(self, layout: Layout) -> None:
        """Records charts of several tags: ``{category: {chart: ["Multiline", tags]}}``.

        A chart of the kind "Margin" has three tags: a value, its lower and its upper limit.
        """
        self._put([charts(layout)], None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Records one chart of several tags."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Records one chart of a tag with its lower and upper margin."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_graph(
        self,
        model: Any,  # noqa: ANN401
        input_to_model: Any = None,  # noqa: ANN401
        verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:
        """Records the graph of a PyTorch module, traced with an input or a tuple of inputs."""
        if self._muted:
            return
        for values in torch_graph(model, input_to_model, verbose=verbose, strict=use_strict_trace):
            self._put(values, None, None)

    def add_onnx_graph(
        self,
        prototxt: str | os.PathLike[str] = "",
        *,
        onnx_model_file: str | os.PathLike[str] = "",
    ) -> None:
        """Records the graph of an ONNX file, under either name. Needs the package onnx."""
        self._put([onnx_graph(prototxt or onnx_model_file)], None, None)

"""Rules about the types that are multiplied: float32 without tensor cores, attention in float32, float64."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.figures import blocks_of, processors
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.kernel_names import is_attention, is_double, is_tf32, short_name
from insight_profiler.advice.products import products, wide_without_units
from insight_profiler.advice.savings import Savings, if_shorter
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.device_peaks import has_no_matrix_units, multiplies_tf32
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.operator_peaks import counted_owners

_LEAST = 0.02  # of the time of a step that a change must save
_MORE = 0.05
_MATRIX = 0.2  # of the time of kernels
_LATENCY = 10_000  # ns of a kernel that takes as long whatever it computes
_REACHED = 0.7  # of the peak of float32, by products that arithmetic alone limits
_HARDLY = 0.5  # of the share of the peak that products of float32 reach: those too small for tensor cores
_TWICE = (1.5, 4.0)  # times as fast, where the peaks of the device are not known


def mixed_precision(evidence: Evidence) -> Iterator[Finding]:
    """Matrix products, convolutions and attention that do not use tensor cores."""
    compute = evidence.compute
    whole = evidence.time(compute)
    matrix = products(evidence, compute)
    rows = wide_without_units(evidence, matrix)
    device = evidence.device
    if device is not None and has_no_matrix_units(device):
        raise NotChecked(said("no_tensor_cores"))
    if not whole or evidence.time(rows) < _MATRIX * whole:
        return
    attention = evidence.named(is_attention, rows)
    others = evidence.without(rows, attention)
    if evidence.time(evidence.named(is_tf32, matrix)) > evidence.time(others):
        yield from _wide_attention(evidence, attention, whole)
        return
    has_tf32 = device is not None and multiplies_tf32(device)
    slow, fast = _speeds(evidence, InputType.TF32 if has_tf32 else InputType.HALF)
    unhelped = attention if has_tf32 else attention[:0]  # kernels of attention do not use TF32
    savings = _gain(evidence, rows, unhelped, slow, fast)
    if not savings.is_worth(_LEAST):
        raise NotChecked(said("no_saving_precision", share=percent(evidence.time(rows) / whole)))
    name = evidence.biggest_name(rows)
    yield finding(
        evidence,
        said(
            "precision",
            share=percent(evidence.time(matrix) / whole),
            unused=percent(evidence.time(rows) / max(1, evidence.time(matrix))),
            name=short_name(name),
        ),
        evidence.change("precision_tf32_change" if has_tf32 else "precision_change"),
        (evidence.kernel_place(name),),
        savings,
        savings.severity(_MORE),
    )


def _wide_attention(evidence: Evidence, rows: Rows, whole: int) -> Iterator[Finding]:
    """Attention in float32, in a program whose products use TF32 already."""
    share = evidence.time(rows) / whole
    if share < _MATRIX / 2:
        return
    slow, fast = _speeds(evidence, InputType.HALF)
    savings = _gain(evidence, rows, rows[:0], slow, fast)
    if not savings.is_worth(_LEAST):
        raise NotChecked(said("no_saving_precision", share=percent(share)))
    name = evidence.biggest_name(rows)
    yield finding(
        evidence,
        said(
            "precision_attention",
            share=percent(share),
            time=milliseconds(evidence.time(rows) / evidence.counted),
            name=short_name(name),
        ),
        evidence.change("precision_attention_change"),
        (evidence.kernel_place(name),),
        savings,
        savings.severity(_MORE),
    )


def _gain(evidence: Evidence, rows: Rows, unhelped: Rows, slow: float, fast: float) -> Savings:
    """If products become so many times as fast where arithmetic limits them, some of them only at best."""
    surely, maybe = _limited_by_arithmetic(evidence, rows)
    most = np.where(np.isin(rows, unhelped), 1.0, 1 - surely * (1 - 1 / slow))
    assumes = said("assumes_rates", slow=round(slow, 1), fast=round(fast, 1))
    return if_shorter(evidence, rows, most, 1 - maybe * (1 - 1 / fast), assumes)


def _speeds(evidence: Evidence, first: InputType) -> tuple[float, float]:
    """How many times as fast as float32 without tensor cores the device multiplies: ``first`` at half of the
    share of the peak that float32 reaches now, and 16 bits at the same share."""
    peaks = evidence.peaks
    if peaks is None:
        return _TWICE
    slow = _HARDLY * peaks.of(first, on_matrix_units=True) / peaks.plain
    return max(1.0, slow), max(1.0, peaks.matrix / peaks.plain)


def _limited_by_arithmetic(evidence: Evidence, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64[rows]: the share of the time of each product that faster arithmetic would shorten, at least and
    at most.

    At most all of it, by the processors that its blocks fill; nothing of a product that is as short as a
    launch, for latency limits it. At least what its operations take at the peak of the device, where both
    are known: narrow matrices may be limited by memory.
    """
    durations = evidence.slices["duration"][rows]
    most = (durations >= _LATENCY).astype(np.float64)
    count = processors(evidence)
    if count and "kernels" in evidence.profile.tables:
        blocks = blocks_of(evidence)[evidence.slices["kernel"][rows]]
        most *= np.where(blocks > 0, np.minimum(1.0, blocks / count), 1.0)
    peaks, table = evidence.peaks, evidence.operators
    if peaks is None or table is None:
        return most, most
    operator = evidence.operator_of(rows)
    owner = np.where(operator >= 0, counted_owners(evidence.profile, table)[operator], -1)
    known = (owner >= 0) & (table["device_total"][owner] > 0)
    rates = table["flops"][owner] / np.maximum(table["device_total"][owner], 1) * 1e9
    least = np.where(known, np.minimum(most, rates / (_REACHED * peaks.plain)), most)
    return least, most


def double_precision(evidence: Evidence) -> Iterator[Finding]:
    """Kernels that compute with numbers of 64 bits."""
    rows = evidence.named(is_double, evidence.compute)
    share = evidence.time(rows) / max(1, evidence.time(evidence.compute))
    if share < _MORE:
        return
    savings = if_shorter(evidence, rows, 0.5)
    if not savings.is_worth(_LEAST):
        raise NotChecked(said("no_saving_double", share=percent(share)))
    name = evidence.biggest_name(rows)
    yield finding(
        evidence,
        said("double", share=percent(share), name=short_name(name)),
        evidence.change("double_change"),
        (evidence.kernel_place(name),),
        savings,
        savings.severity(_LEAST),
    )


RULES = (
    profile_rule("mixed_precision", said("precision_title"), mixed_precision),
    profile_rule("double_precision", said("double_title"), double_precision),
)

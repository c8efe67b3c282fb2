"""Rules about operators: algorithms, attention, conversions, experts, operators on the wrong processor."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.attention import shapes_of
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.kernel_names import are, is_convolution, is_generic_convolution, short_name
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.products import products
from insight_profiler.advice.replay import ReplayChange
from insight_profiler.advice.savings import Savings, if_changed, if_shorter, shares_without
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.operator_peaks import operator_peaks
from insight_profiler.model import Side, Table

_LEAST = 0.02  # of the time of a step that a change must save
_MORE = 0.05
_EFFICIENT = 0.3  # of the peak that convolutions reach with a good algorithm
_FUSED = (0.6, 0.2)  # of the time of attention that is left once it is fused
_CONVERTED = 0.8  # of the time of convolutions computes: where less does, layouts are the first matter
_UNEVEN = 1.5  # times the mean of all experts
_CONVERTS = re.compile(r"^(aten::_to_copy|Cast|TransData|TransDataRNN|aten::type_as)$")
_HAS_WEIGHTS = re.compile(
    r"^aten::(linear|conv\dd|convolution|_convolution|layer_norm|batch_norm|group_norm|embedding)$"
)
_MOSTLY = 0.5
_EXPERT = re.compile(r"^(.*/|)([^/]*expert[^/]*?[_.]?)(\d+)(?=/|$)", re.IGNORECASE)


def _operators(evidence: Evidence) -> Table:
    if evidence.operators is None:
        raise NotChecked(said("needs_operators"))
    return evidence.operators


def _work_of(evidence: Evidence, operators: NDArray[np.bool_]) -> Rows:
    """The work of devices that some operators launched, with that of operators within them."""
    work, slices = evidence.work, evidence.slices
    calls = evidence.launchers[work]
    found = np.zeros(len(work), bool)
    at = calls.copy()
    while (at >= 0).any():
        operator = slices["operator"][np.maximum(at, 0)]
        found |= (at >= 0) & (operator >= 0) & operators[np.maximum(operator, 0)]
        at = np.where(at >= 0, slices["parent"][np.maximum(at, 0)], -1)
    direct = evidence.operator_of(work)
    own = slices["operator"][work]
    for column in (direct, own):
        found |= (column >= 0) & operators[np.maximum(column, 0)]
    return work[found]


def _with_names(evidence: Evidence, table: Table, pattern: re.Pattern[str], column: str) -> NDArray[np.bool_]:
    return are(lambda text: pattern.search(text) is not None, evidence.profile.texts, table[column])


def convolution_algorithm(evidence: Evidence) -> Iterator[Finding]:
    """Convolutions that reach little of the device's peak: another algorithm is likely to be faster."""
    table = _operators(evidence)
    device = evidence.device
    rates = operator_peaks(evidence.profile).rate
    is_convolution = _with_names(
        evidence, table, re.compile(r"convolution(_transpose)?(_backward)?$|_conv\dd|^aten::conv\dd$"), "type"
    )
    known = is_convolution & np.isfinite(table["flops"]) & (table["device_total"] > 0)
    known &= np.isfinite(rates)
    if not known.any():
        yield from _generic_convolutions(evidence)
        return
    rows = _work_of(evidence, is_convolution)
    # the rest converts layouts
    computing = evidence.time(products(evidence, rows)) / max(1, evidence.time(rows))
    most = float((rates[known] * table["device_total"][known]).sum()) / 1e9 * (computing or 1.0)
    reached = float(table["flops"][known].sum()) / most
    if reached >= _EFFICIENT or evidence.time(rows) < 0.1 * evidence.whole:
        return
    savings = if_shorter(evidence, rows, max(0.5, reached / _EFFICIENT))
    if computing < _CONVERTED or not savings.is_worth(_MORE):
        code = "no_saving_convolutions" if computing >= _CONVERTED else "no_saving_converted_convolutions"
        raise NotChecked(said(code, reached=percent(reached)))
    lost = table["device_total"] - table["flops"] / rates * 1e9
    slowest = int(np.flatnonzero(known)[np.argmax(lost[known])])
    place = evidence.operator_place(slowest)
    yield finding(
        evidence,
        said(
            "convolutions",
            reached=percent(reached),
            device=device.name if device is not None else "",
            time=milliseconds(evidence.time(rows) / evidence.counted),
        ),
        evidence.change("convolutions_change"),
        () if place is None else (place,),
        savings,
        savings.severity(_MORE),
    )


def _generic_convolutions(evidence: Evidence) -> Iterator[Finding]:
    """Where FLOPs are not known, the names of kernels tell which engine computes convolutions."""
    convolutions = evidence.named(is_convolution, evidence.compute)
    if not len(convolutions):
        raise NotChecked(said("needs_flops"))
    rows = evidence.named(is_generic_convolution, convolutions)
    if evidence.time(rows) < 0.1 * evidence.time(evidence.compute):
        return
    savings = if_shorter(evidence, rows, 0.5)
    if not savings.is_worth(_MORE):
        return
    name = evidence.biggest_name(rows)
    yield finding(
        evidence,
        said(
            "generic_convolutions",
            share=percent(evidence.time(rows) / evidence.time(convolutions)),
            time=milliseconds(evidence.time(rows) / evidence.counted),
            name=short_name(name),
        ),
        evidence.change("convolutions_change"),
        (evidence.kernel_place(name),),
        savings,
        savings.severity(_MORE),
    )


def attention(evidence: Evidence) -> Iterator[Finding]:
    """Attention that is computed as single matrix products and a softmax."""
    table = _operators(evidence)
    split = evidence.split_attention
    unfused = _with_names(evidence, table, re.compile(r"_scaled_dot_product_attention_math"), "type")
    if split is None and not unfused.any():
        return
    if split is None:
        rows, most, least = _work_of(evidence, unfused), _FUSED[0], _FUSED[1]
        place = evidence.operator_place(int(np.flatnonzero(unfused)[0]))
    else:
        rows, most, least = split.rows, split.most, split.least
        owners = evidence.operator_of(rows)
        place = evidence.operator_place(evidence.biggest_operator(owners, evidence.slices["duration"][rows]))
    assumes = said("assumes_fused", most=percent(most), least=percent(least))
    savings = if_shorter(evidence, rows, most, least, assumes)
    share = percent(evidence.time(rows) / evidence.time(evidence.work))
    if not savings.is_worth(_LEAST):
        raise NotChecked(said("no_saving_attention", share=share))
    time = milliseconds(evidence.time(rows) / evidence.counted)
    yield finding(
        evidence,
        said("attention", time=time, share=share)
        if split is None
        else said("attention_split", time=time, share=share, shape=split.shape),
        evidence.change("attention_change" if split is None else "attention_split_change"),
        () if place is None else (place,),
        savings,
        savings.severity(_LEAST),
    )


def type_conversion(evidence: Evidence) -> Iterator[Finding]:
    """Kernels that only convert types of numbers or formats of tensors, of weights in each step too."""
    table = _operators(evidence)
    converts = _with_names(evidence, table, _CONVERTS, "type")
    if not converts.any():
        return
    rows = _work_of(evidence, converts)
    rows = rows[evidence.slices["category"][rows] == 0]  # kernels: copies have a rule of their own
    if (split := evidence.split_attention) is not None:  # of which the rule about attention tells
        rows = evidence.without(rows, split.rows)
    if not len(rows):
        return
    savings = _without_operators(evidence, rows, converts)
    told = {
        "count": round(len(rows) / evidence.counted),
        "time": milliseconds(evidence.time(rows) / evidence.counted),
    }
    if not savings.is_worth(_MORE) or evidence.time(rows) < _MORE * evidence.time(evidence.work):
        raise NotChecked(said("no_saving_conversions", **told))
    chosen = np.flatnonzero(converts)
    most = int(chosen[np.argmax(np.maximum(table["device_total"][chosen], table["total"][chosen]))])
    side = Side.DEVICE if table["side"][most] == Side.DEVICE else Side.HOST
    place = evidence.operator_place(most, side)
    weights = rows[_is_weight(evidence, table)[evidence.operator_of(rows)]]
    are_weights = len(weights) > _MOSTLY * len(rows)
    saw = said("conversions", **told, name=evidence.text(int(table["type"][most])))
    if are_weights:
        saw = said("conversions_weights", **told, weights=round(len(weights) / evidence.counted))
    yield finding(
        evidence,
        saw,
        evidence.change("conversions_weights_change" if are_weights else "conversions_change"),
        () if place is None else (place,),
        savings,
        "hint" if are_weights or savings.low < _LEAST else "warning",
    )


def _without_operators(evidence: Evidence, rows: Rows, operators: NDArray[np.bool_]) -> Savings:
    """What is saved without some work, and without what the host does in the operators that launch it."""
    replay = evidence.replay
    if replay is None:
        return if_shorter(evidence, rows, 0.0)
    slices = evidence.slices
    calls = evidence.launchers[rows]
    gone = replay.nodes_of(np.concatenate((rows, calls[calls >= 0])))
    runs = (slices["operator"] >= 0) & operators[np.maximum(slices["operator"], 0)]
    lag = shares_without(replay, evidence.host_spans(runs))
    saves = if_changed(evidence, replay, ReplayChange(np.where(gone, 0.0, 1.0), lag))
    alone = if_shorter(evidence, rows, 0.0)
    return evolve(saves, later=alone.later if (alone.later or 0.0) > saves.high else None)


def _is_weight(evidence: Evidence, table: Table) -> NDArray[np.bool_]:
    """bool[operators + 1]: whether an operator works on a tensor of the shape of a parameter: what products
    and convolutions take after their first input, norms too. The last is of no operator."""
    shapes = shapes_of(evidence, table)
    takes = _with_names(evidence, table, _HAS_WEIGHTS, "type")
    known = {str(one) for row in np.flatnonzero(takes).tolist() for one in shapes[row][1:3] if one}
    found = [bool(of_row) and str(of_row[0]) in known for of_row in shapes]
    return np.array([*found, False])


def unbalanced_experts(evidence: Evidence) -> Iterator[Finding]:
    """Experts of one layer of which one works much longer than the others."""
    table = _operators(evidence)
    sums: dict[str, dict[str, int]] = {}
    slices = evidence.slices
    times = np.zeros(len(table["name"]), np.int64)
    rows = np.flatnonzero(evidence.is_work & evidence.inside)
    if len(rows):
        owners = evidence.operator_of(rows)
        np.add.at(times, owners[owners >= 0], slices["duration"][rows[owners >= 0]])
    else:
        rows = np.flatnonzero((slices["operator"] >= 0) & evidence.inside)
        np.add.at(times, slices["operator"][rows], slices["self"][rows])
    places, inverse = np.unique(table["scope"], return_inverse=True)
    of_scope = np.bincount(inverse.reshape(-1), times)
    for place, time in zip(places.tolist(), of_scope.tolist(), strict=True):
        if (found := _EXPERT.search(evidence.text(place))) is not None:
            layer = sums.setdefault(found[1] + found[2], {})
            layer[found[0]] = layer.get(found[0], 0) + int(time)
    if not sums:
        raise NotChecked(said("needs_experts"))
    for experts in sums.values():
        most = max(experts, key=lambda name: experts[name])
        mean = sum(experts.values()) / len(experts)
        share = (experts[most] - mean) / evidence.whole
        if len(experts) < 2 or experts[most] < _UNEVEN * mean or share < _LEAST:
            continue
        yield finding(
            evidence,
            said(
                "experts",
                expert=most,
                time=milliseconds(experts[most] / evidence.counted),
                count=len(experts),
                mean=milliseconds(mean / evidence.counted),
            ),
            evidence.change("experts_change"),
            (EvidencePlace("operator", "operators", most, {"by": "scope", "q": most}),),
            promised(share),
        )


def host_operators(evidence: Evidence) -> Iterator[Finding]:
    """Operators that an Ascend device computes on its AI CPU instead of its AI cores."""
    table = _operators(evidence)
    device = table["side"] == Side.DEVICE
    cores = _with_names(evidence, table, re.compile(r"AI_?CPU", re.IGNORECASE), "core")
    whole = int(table["total"][device].clip(0).sum())
    if not _with_names(
        evidence, table, re.compile(r"AI_?(CORE|VECTOR|CPU)|MIX", re.IGNORECASE), "core"
    ).any():
        raise NotChecked(said("needs_ascend"))
    time = int(table["total"][device & cores].clip(0).sum())
    if not whole or time < _MORE * whole:
        return
    most = int(np.argmax(np.where(device & cores, table["total"], -1)))
    place = evidence.operator_place(most, Side.DEVICE)
    yield finding(
        evidence,
        said("aicpu", share=percent(time / whole), name=evidence.text(int(table["type"][most]))),
        evidence.change("aicpu_change"),
        () if place is None else (place,),
        promised(time / whole),
    )


RULES = (
    profile_rule("convolution_algorithm", said("convolutions_title"), convolution_algorithm),
    profile_rule("attention", said("attention_title"), attention),
    profile_rule("type_conversion", said("conversions_title"), type_conversion),
    profile_rule("unbalanced_experts", said("experts_title"), unbalanced_experts),
    profile_rule("aicpu", said("aicpu_title"), host_operators),
)

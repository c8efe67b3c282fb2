"""The ranking of parameters as JSON objects."""

from __future__ import annotations

import math
from typing import Any

from attrs import asdict

from insight_lineage.importance.best import Best
from insight_lineage.importance.ranking import FEWEST, Pair, Point, Ranked, Ranking


def ranking_fields(found: Ranking) -> dict[str, Any]:
    """The fields of an answer that come from the ranking."""
    return {
        "used": found.used,
        "fewest": FEWEST,
        "reason": found.reason,
        "explained": found.explained and asdict(found.explained),
        "sure": found.is_sure,
        "clipped": found.clipped,
        "log": found.is_log,
        "parameters": [_parameter(one) for one in found.parameters],
        "interactions": [_pair(one) for one in found.pairs],
    }


def _parameter(one: Ranked) -> dict[str, Any]:
    return {
        "name": one.column.name,
        "title": one.column.title,
        "group": one.column.group,
        "count": one.count,
        "reason": one.reason,
        "importance": one.total and asdict(one.total),
        "alone": one.alone and asdict(one.alone),
        "sure": one.is_sure,
        "together": one.acts_together,
        "calibrated": one.is_calibrated,
        "related": [{"name": column.name, "r": r} for column, r in one.related],
        "curve": [_point(point) for point in one.curve],
        "best": one.best and _best(one.best),
        "follows": one.follows and one.follows.name,
        "correlation": asdict(one.correlation),
    }


def _point(point: Point) -> dict[str, Any]:
    numbers = (
        {"from": None, "to": None} if math.isnan(point.start) else {"from": point.start, "to": point.end}
    )
    mean = {"count": point.count, "mean": point.mean, "low": point.low, "high": point.high}
    return {"text": point.text, **numbers, **mean}


def _best(best: Best) -> dict[str, Any]:
    return {"texts": list(best.texts)} if best.texts else {"from": best.start, "to": best.end}


def _pair(pair: Pair) -> dict[str, Any]:
    best = [one and _best(one) for one in pair.best]
    return {"parameters": [column.name for column in pair.columns], **asdict(pair.gain), "best": best}

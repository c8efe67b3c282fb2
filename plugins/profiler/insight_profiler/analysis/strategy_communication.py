"""What the communication operators of a parallel strategy move, between which ranks, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from insight_profiler.analysis.sharding import sent_bytes

_KINDS: Mapping[str, str] = {
    "allreduce": "AllReduce",
    "mirroroperator": "AllReduce",
    "allgather": "AllGather",
    "reducescatter": "ReduceScatter",
    "alltoall": "AllToAll",
    "alltoallv": "AllToAll",
    "neighborexchange": "AllToAll",
    "broadcast": "Broadcast",
    "send": "Send",
    "receive": "Receive",
}
_REASONS = (
    ("redistribution", "redistribution"),
    ("mirror", "gradient"),
    ("grad", "gradient"),
    ("forward", "result"),
)
_MOST_RANKS = 64  # that are named
_WORLD = re.compile(r"world_?group", re.I)


def kind_of(operator_type: str) -> str | None:
    """The collective that an operator of this type runs; None if it does not communicate."""
    return _KINDS.get(operator_type.replace("_", "").lower())


def communication_of(
    operator: Mapping[str, Any], held: int, stages: Sequence[Sequence[int]], stage: int
) -> dict[str, Any] | None:
    """What a communication operator does; None for another operator. ``held`` are the bytes that a device
    puts in, 0 if unknown; ``stages`` the ranks of each pipeline stage."""
    kind = kind_of(operator["type"])
    if kind is None:
        return None
    attributes = operator["attributes"]
    ranks = ranks_of(attributes, stages)
    text = f"{operator['instance']} {operator['full_name']}".lower()
    reason = next((code for word, code in _REASONS if word in text), None)
    peer = None
    if kind in ("Send", "Receive"):
        reason = "pipeline"
        peer = _peer(attributes, attributes.get("dest_rank" if kind == "Send" else "src_rank"), stages, stage)
    count = len(ranks) or int(_number(attributes.get("rank_size")) or _number(attributes.get("dev_num")) or 0)
    return {
        "kind": kind,
        "reason": reason,
        "ranks": ranks[:_MOST_RANKS],
        "count": count,
        "bytes": held or None,
        "sent": sent_bytes(kind, held, count),
        "peer": peer,
        "tag": attributes.get("sr_tag"),
    }


def ranks_of(attributes: Mapping[str, str], stages: Sequence[Sequence[int]]) -> list[int]:
    """The ranks of the group; without names of its own it is all ranks."""
    for name in ("group_ranks", "rank_list", "group_rank_ids"):
        if numbers := re.findall(r"\d+", attributes.get(name, "")):
            return [int(number) for number in numbers]
    if _WORLD.search(attributes.get("group_ranks") or attributes.get("group", "")):
        return [rank for ranks in stages for rank in ranks]
    return []


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _peer(
    attributes: Mapping[str, str], text: str | None, stages: Sequence[Sequence[int]], stage: int
) -> dict[str, int | None] | None:
    """The other stage: the number is a place in the group of the pipeline, which has a rank of each stage, or
    a rank if the group is that of all ranks."""
    number = _number(text)
    if number is None:
        return None
    is_world = _WORLD.search(attributes.get("group_ranks") or attributes.get("group", "")) is not None
    ranks = [] if is_world else ranks_of(attributes, stages)
    rank = ranks[number] if number < len(ranks) else number
    within = next((place for place, group in enumerate(stages) if rank in group), None)
    if ranks or is_world or number >= len(stages):
        return None if within is None or within == stage else {"stage": within, "rank": rank}
    return None if number == stage else {"stage": number, "rank": None}


def links_of(stages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Sends and the receives that belong to them: by stages, tag, and order among those of the same tag."""
    receives: dict[tuple[Any, ...], list[str]] = {}
    for stage in stages:
        for operator in stage["operators"]:
            found = operator["communication"]
            if found and found["kind"] == "Receive" and found["peer"]:
                key = (found["peer"]["stage"], stage["stage"], found["tag"])
                receives.setdefault(key, []).append(operator["id"])
    links = []
    for stage in stages:
        for operator in stage["operators"]:
            found = operator["communication"]
            if not found or found["kind"] != "Send" or not found["peer"]:
                continue
            target = found["peer"]["stage"]
            waiting = receives.get((stage["stage"], target, found["tag"]))
            links.append(
                {
                    "from_stage": stage["stage"],
                    "from": operator["id"],
                    "to_stage": target,
                    "to": waiting.pop(0) if waiting else None,
                    "bytes": found["bytes"],
                }
            )
    return links

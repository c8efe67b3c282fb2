"""What the ranks of a job are compared by: a small profile of steps and sums, kept next to the whole one."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from attrs import evolve

from insight_profiler.analysis.flops import with_share
from insight_profiler.analysis.memory import peak
from insight_profiler.analysis.stragglers import KERNELS
from insight_profiler.analysis.sums import numbered, ratio, sum_of
from insight_profiler.model import TABLES, Category, Column, Profile, Source, Table

REDUCTIONS = "reductions"  # a table: bytes and time of the collectives of a step
DOCUMENT = "rank"  # {"peak_memory": bytes or None, "flops": {...}}

# tables of a profile about all ranks, and what those of one of them are called
_BY_RANK = {"rank_steps": "steps", "collectives": "collectives", "links": "links"}

_made: WeakKeyDictionary[Profile, Profile] = WeakKeyDictionary()
_split: WeakKeyDictionary[Profile, list[Profile]] = WeakKeyDictionary()


def summary_of(profile: Profile) -> Profile:
    """A profile as a rank: its facts, its steps, and its communication summed up.

    ``steps`` also counts the kernels of each. ``collectives`` has one row a step: ``elapsed`` and ``wait``
    are sums of what is known; ``bytes`` and ``transit`` are sums over the collectives whose size and time are
    both known, their time being that of the transfer, or where only that is known, the whole one;
    ``reductions`` is the same without transfers between two ranks, where sizes and times are known. ``links``
    has one row for each step, link, kind and group; its bandwidth is size over time, ``fastest`` that of one
    transfer. The document ``rank`` holds the peak of memory and the FLOPs.
    """
    if profile.source is Source.CLUSTER:  # of all ranks: see ``ranks_of``
        return profile
    return _summed(profile)


def ranks_of(profile: Profile) -> list[Profile]:
    """Summaries of the ranks of a job, of a profile that is about all of them."""
    found = _split.get(profile)
    if found is not None:
        return found
    tables = {name: profile.tables[table] for table, name in _BY_RANK.items() if table in profile.tables}
    owners = {name: table["source" if name == "links" else "rank"] for name, table in tables.items()}
    numbers = np.unique(
        np.concatenate([column[column >= 0] for column in owners.values()] or [np.empty(0, int)])
    )
    told = profile.documents.get("ranks", {})
    found = []
    for number in numbers.tolist():
        rows = {name: np.flatnonzero(column == number) for name, column in owners.items()}
        about = told.get(str(number), {})
        rank = evolve(
            profile,
            rank=number,
            world_size=profile.world_size or len(numbers),
            host=str(about.get("host", "")),
            facts={"stage": about["stage"]} if "stage" in about else {},
            documents={},
            tables={
                name: {column: tables[name][column][taken] for column in TABLES[name]}
                for name, taken in rows.items()
                if len(taken)
            },
        )
        found.append(_summed(rank))
    _split[profile] = found
    return found


def _summed(profile: Profile) -> Profile:
    found = _made.get(profile)
    if found is not None:
        return found
    top = peak(profile)
    texts: dict[str, int] = {}
    tables: dict[str, Table] = {}
    if "steps" in profile.tables:
        copied = {name: np.array(column) for name, column in profile.tables["steps"].items()}
        tables["steps"] = {**copied, KERNELS: _kernels_of_steps(profile)}
    if "collectives" in profile.tables:
        tables["collectives"] = _by_step(profile.tables["collectives"])
        tables[REDUCTIONS] = _reductions(profile)
    if "links" in profile.tables:
        tables["links"] = _by_link(profile.tables["links"], profile.texts, texts)
    found = evolve(
        profile,
        devices=(),
        tracks=(),
        counters=(),
        notes=(),
        documents={
            DOCUMENT: {
                "peak_memory": None if top is None else top["value"],
                "flops": with_share(profile.documents.get("flops", {}).get("summary", {})),
            }
        },
        texts=tuple(texts),
        tables=tables,
    )
    _made[profile] = found
    return found


def _kernels_of_steps(profile: Profile) -> Column:
    """int64[steps]: how many kernels each step launches, -1 where the profile does not say."""
    count = len(profile.tables["steps"]["number"])
    slices = profile.tables.get("slices")
    if slices is None:
        return np.full(count, -1, np.int64)
    counted = slices["step"][(slices["category"] == Category.KERNEL) & (slices["step"] >= 0)]
    return np.bincount(counted, minlength=count).astype(np.int64) if len(counted) else np.full(count, -1)


def _by_step(table: Table) -> Table:
    groups, firsts = numbered([table["step"]], np.ones(len(table["step"]), bool))
    count = len(firsts)
    time = np.where(table["transit"] > 0, table["transit"], table["elapsed"])
    counts = np.where((time > 0) & (table["bytes"] > 0), groups, -1)
    unknown = np.full(count, -1, np.int32)
    return {
        "step": table["step"][firsts],
        "name": unknown,
        "kind": unknown,
        "start": np.full(count, -1, np.int64),
        "elapsed": sum_of(table["elapsed"], groups, count),
        "wait": sum_of(table["wait"], groups, count),
        "transit": sum_of(time, counts, count),
        "bytes": sum_of(table["bytes"], counts, count),
    }


def _reductions(profile: Profile) -> Table:
    """Bytes and times of the collectives of each step, without transfers between two ranks, by step."""
    table = profile.tables["collectives"]
    kinds = np.array([text == "p2p" for text in profile.texts] or [False])
    chosen = ~(kinds[table["kind"]] & (table["kind"] >= 0)) & (table["step"] >= 0)
    found = _by_step({name: column[chosen] for name, column in table.items()})
    known = (found["bytes"] > 0) & (found["transit"] > 0)
    order = np.argsort(found["step"][known], kind="stable")
    return {name: found[name][known][order] for name in ("step", "bytes", "transit")}


def _by_link(table: Table, texts: tuple[str, ...], kept: dict[str, int]) -> Table:
    keys = [table[name] for name in ("step", "source", "target", "kind", "group")]
    groups, firsts = numbered(keys, np.ones(len(table["step"]), bool))
    count = len(firsts)
    elapsed, size = sum_of(table["elapsed"], groups, count), sum_of(table["bytes"], groups, count)
    fastest = np.zeros(count)
    np.maximum.at(fastest, groups, np.nan_to_num(ratio(table["bytes"], table["elapsed"]) * 1e9))
    found = {name: table[name][firsts] for name in ("step", "source", "target")}
    for name in ("kind", "group"):
        found[name] = renumbered(table[name][firsts], texts, kept)
    bandwidth = ratio(size, elapsed) * 1e9
    return {**found, "elapsed": elapsed, "bytes": size, "bandwidth": bandwidth, "fastest": fastest}


def renumbered(column: Column, texts: Sequence[str], kept: dict[str, int]) -> Column:
    """Places in ``texts``, -1 for none, as places among the texts that are kept; new ones are added to
    these."""
    old, rows = np.unique(column, return_inverse=True)
    new = [kept.setdefault(texts[place], len(kept)) if place >= 0 else -1 for place in old.tolist()]
    return np.array(new, np.int32)[rows]

"""Where the page shows the evidence of a finding: how places travel with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen

from insight_core.plugin.findings import Finding, FindingPlace

Severity = Literal["error", "warning", "hint"]
_EVIDENCE = "evidence"  # the key of a place's state that names it, and has further places
_NAMES = {"operator": "q", "kernel": "kernels-q", "step": "steps"}  # keys of states that name places


@frozen
class EvidencePlace:
    """Where the page shows evidence: a view, and keys of its URL.

    ``kind`` and ``text`` name it for the user: an operator, a kernel, a step, another rank of the job; a
    range of the timeline, a figure (named by the key ``figure``) and a whole view have no ``text``.
    """

    kind: Literal["operator", "kernel", "step", "range", "rank", "figure", "view"]
    view: str
    text: str = ""
    state: Mapping[str, str] = field(factory=dict)


def place_of(places: Sequence[EvidencePlace]) -> FindingPlace:
    """The place of a finding: the first one, with what it is called and the others in its state."""
    first, *others = places
    is_named = first.text == first.state.get(_NAMES.get(first.kind, ""))
    named: list[Any] = [first.kind, "" if is_named else first.text]
    told = [named, *([one.kind, one.text, one.view, dict(one.state)] for one in others)]
    state = {"view": first.view, **first.state}
    if told != [["view", ""]]:
        state[_EVIDENCE] = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return FindingPlace(state=state)


def places_of(one: Finding) -> list[EvidencePlace]:
    """All places of a finding about a profile, the best first; of rules of other plugins one at most."""
    state = dict(one.place.state)
    for key in ("run", "profile"):
        state.pop(key, None)
    view = state.pop("view", "")
    told = json.loads(state.pop(_EVIDENCE, '[["view",""]]'))
    kind, text = told[0]
    first = EvidencePlace(kind, view, text or state.get(_NAMES.get(kind, ""), ""), state)
    return [first, *(EvidencePlace(kind, view, text, state) for kind, text, view, state in told[1:])]

"""Answers about floating-point operations: by operator and module, against ceilings, and of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import asdict, frozen
from werkzeug import Request, Response

from insight_core.plugin.http import whole_number
from insight_profiler.analysis.ceilings import OwnCeilings, ceilings_of, own_ceilings
from insight_profiler.analysis.flops import flops_answer, has_flops
from insight_profiler.analysis.roofline import has_roofline, missing_operations, roofline
from insight_profiler.analysis.utilization import step_utilization
from insight_profiler.model import Profile
from insight_profiler.profiles.opened import Asked, nothing_of


def flops_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views of operations, by route name."""
    views = _Views(asked)
    return {"flops": views.flops, "roofline": views.roofline}


def has_operations(profile: Profile) -> bool:
    """Whether one of these views has something to show, if only how operations are recorded."""
    return has_flops(profile) or has_roofline(profile) or missing_operations(profile) is not None


def utilization(request: Request, profile: Profile) -> dict[str, Any] | None:
    """MFU and HFU of a step, by the ceilings and the step time of the request; None without operations."""
    peak = ceilings_of(profile, _ceilings(request))
    found = step_utilization(profile, peak, measured_step(request))
    return None if found is None else asdict(found)


def measured_step(request: Request) -> int | None:
    """How long a step takes without the profiler, ns."""
    return whole_number(request, "measured", 0, 1 << 53) or None


def _ceilings(request: Request) -> OwnCeilings:
    return own_ceilings(request.args.get("ceilings"))


@frozen
class _Views:
    asked: Asked

    def flops(self, request: Request) -> Response:
        opened = self.asked.opened(request)
        if not has_operations(opened.profile):
            raise nothing_of("flops")
        return opened.answer(flops_answer(opened.profile))

    def roofline(self, request: Request) -> Response:
        """Operators by shape against the ceilings of the device, or against those that ``ceilings`` names; no
        rows where only a document has operations."""
        opened = self.asked.opened(request)
        if not has_operations(opened.profile):
            raise nothing_of("roofline")
        return opened.answer(roofline(opened.profile, _ceilings(request), measured_step(request)))

"""Says advice in the words of the framework and the device of a profile: none of torch.compile for JAX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind
from insight_profiler.advice.words import explained, has_text, said
from insight_profiler.analysis.device_peaks import is_amd
from insight_profiler.model import Profile, Source

_JAX = re.compile(r"^(PjitFunction|pjit|jit_|PjRt|jax)|^jax[./]|/jax/")
_HIP = re.compile(r"^hip[A-Z]")
_OTHER_DEVICES = ("npu", "mtia", "hpu", "xpu", "tpu", "device")  # of torch: none has CUDA


@frozen
class _Dialect:
    """Words of some profiles. ``ending``: texts whose codes end so replace those without. ``replaces``: the
    dialect whose words count where this one has none."""

    ending: str
    speaks: Callable[[Profile], bool]
    replaces: str = ""


def _is_of(*sources: Source) -> Callable[[Profile], bool]:
    return lambda profile: profile.source in sources


def _is_jax(profile: Profile) -> bool:
    return profile.source is Source.XPLANE and any(_JAX.search(text) for text in profile.texts)


def _is_of_amd(profile: Profile) -> bool:
    """By the device, or where nothing is said of it by the calls of the runtime."""
    gpus = [device for device in profile.devices if device.kind == "gpu"]
    return any(map(is_amd, gpus)) or any(_HIP.search(text) for text in profile.texts)


def _is_of_another_device(profile: Profile) -> bool:
    kinds = {device.kind for device in profile.devices} - {"cpu"}
    return bool(kinds) and kinds <= set(_OTHER_DEVICES)


DIALECTS: Sequence[
    _Dialect
] = (  # the first that speaks of a profile; without one the words are torch's and CUDA's
    _Dialect("mindspore", _is_of(Source.MINDSPORE, Source.MINDINSIGHT)),
    _Dialect("npu", _is_of(Source.ASCEND)),
    _Dialect("jax", _is_jax, "xla"),
    _Dialect("tensorflow", _is_of(Source.XPLANE), "xla"),
    _Dialect("amd", _is_of_amd),
    _Dialect("accelerator", _is_of_another_device),
)


def endings_of(profile: Profile) -> tuple[str, ...]:
    """The endings of the codes of texts in the words of a profile, the most special first."""
    own = next((one for one in DIALECTS if one.speaks(profile)), None)
    return () if own is None else tuple(filter(None, (own.ending, own.replaces)))


def in_words(reason: Reason, endings: Sequence[str]) -> Reason:
    """A text of advice, and those among its details, in the words with these endings."""
    details = {
        name: in_words(value, endings) if isinstance(value, Reason) else value
        for name, value in reason.details.items()
    }
    code = reason.code.removeprefix("profiler_")
    if code == reason.code:  # a text of the host
        return reason
    own = next((f"{code}_{ending}" for ending in endings if has_text(f"{code}_{ending}")), code)
    return said(own, **details)


def why_in_words(title: ReasonKind, endings: Sequence[str]) -> Reason | None:
    """Why it matters what the rule of a title finds, in the words with these endings."""
    reason = explained(title)
    return None if reason is None else in_words(reason, endings)

"""Advice in the words of its framework and device: none of another vendor, none of another framework."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import insight_profiler
import pytest
from attrs import evolve
from insight_profiler.advice.dialects import DIALECTS, endings_of, in_words
from insight_profiler.advice.words import said
from insight_profiler.building import Building
from insight_profiler.model import Device, Profile, Source

from tests.profile_faults import FAULTS, profile_of, simulate
from tests.profile_rules import check

_LOCALES = Path(insight_profiler.__file__).parent / "locales"
_EVERY: Mapping[str, Mapping[str, str]] = {
    locale: json.loads((_LOCALES / f"{locale}.json").read_text(encoding="utf-8"))["advice"]
    for locale in ("en", "zh-CN")
}
_NVIDIA = (
    r"NCCL|(?<!torch\.backends\.)cuDNN|CUDA_ALLOC|CUDA graph|CUDA 图|tensor core|张量核心|TF32|warp|cuda:nccl"
)
_TORCH = r"torch|DataLoader|FSDP|Distributed|TorchRec|autocast|bucket_cap|num_workers|scaled_dot|no_sync|"
_TORCH += r"\.item\(\)|pin_memory|non_blocking|zero_grad|\.clone\(|cudnn\.benchmark"
_JAX, _TENSORFLOW = r"jax|jnp|optax|block_until", r"\btf\.|keras|TensorFlow"
_MINDSPORE = r"[Mm]ind[Ss]pore|amp_level|asnumpy|Cell\b|all_reduce_fusion"
WRONG = {  # words that no reader of a dialect may read
    "mindspore": "|".join((_NVIDIA.replace("TF32|", ""), _TORCH, _JAX, _TENSORFLOW)),
    "npu": "|".join((_NVIDIA, r"cudnn|torch\.cuda", _JAX, _TENSORFLOW, _MINDSPORE)),
    "jax": "|".join((r"NCCL|CUDA_ALLOC|cudnn\.", _TORCH, _TENSORFLOW.replace(r"\btf\.|", ""), _MINDSPORE)),
    "tensorflow": "|".join((r"NCCL|CUDA_ALLOC|cudnn", _TORCH, _JAX, _MINDSPORE)),
    "amd": "|".join((_NVIDIA, _JAX, _TENSORFLOW, _MINDSPORE)),
    "accelerator": "|".join((_NVIDIA, r"cudnn|torch\.cuda", _JAX, _TENSORFLOW, _MINDSPORE)),
}
# texts of rules that ask for what only some profiles have: marks of torch, TF32 of NVIDIA's, AI CPUs, queues
_TORCH_ONLY = (
    r"optimiser|zero_grad|accumulation|data_single|needs_ddp|host_bound_compiled|no_saving_optimiser|"
)
_TORCH_ONLY += r"precision_attention|precision_tf32|no_tensor_cores|needs_|tail_|interval_|aicpu|queue_|"
_TORCH_ONLY += r"profiler_cost|between_operators"

_SNAPSHOTS = r"out_of_memory|fragmentation|peak_place"  # of PyTorch, on any device


@pytest.mark.parametrize("ending", [one.ending for one in DIALECTS])
@pytest.mark.parametrize("locale", _EVERY)
def test_no_text_that_a_dialect_can_read_has_words_of_others(ending: str, locale: str) -> None:
    dialect = next(one for one in DIALECTS if one.ending == ending)
    texts = _EVERY[locale]
    endings = [end for one in DIALECTS for end in (one.ending, one.replaces) if end]
    wrong = {}
    for key in texts:
        code = key.removeprefix("reason.profiler_")
        if re.match(_TORCH_ONLY, code) or any(code.endswith(f"_{end}") for end in endings):
            continue
        if dialect.ending in ("mindspore", "jax", "tensorflow") and re.match(_SNAPSHOTS, code):
            continue
        if dialect.ending == "amd" and code.startswith("start_up"):
            continue
        own = [f"{key}_{end}" for end in (dialect.ending, dialect.replaces) if end]
        text = next((texts[one] for one in own if one in texts), texts[key])
        if found := re.search(WRONG[ending], text):
            wrong[code] = found[0]
    assert wrong == {}


def test_texts_of_a_dialect_name_the_details_of_those_that_they_replace() -> None:
    for texts in _EVERY.values():
        for key, text in texts.items():
            for ending in {one.ending for one in DIALECTS} | {one.replaces for one in DIALECTS} - {""}:
                plain = key.removesuffix(f"_{ending}")
                if plain != key:
                    assert plain in texts, key
                    assert set(re.findall(r"{(\w+)}", text)) <= set(re.findall(r"{(\w+)}", texts[plain])), key


def _profile(
    source: Source, device: str = "", kind: str = "gpu", texts: tuple[str, ...] = (), **facts: int
) -> Profile:
    building = Building(source)
    if device:
        building.device(Device(device, kind, facts))
    for text in texts:
        building.text(text)
    return evolve(building.finish(), texts=tuple(texts))


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        (_profile(Source.TORCH, "NVIDIA H200", warpSize=32, computeMajor=9), ()),
        (_profile(Source.TORCH, "NVIDIA B200", warpSize=32, computeMajor=10), ()),
        (_profile(Source.TORCH, "AMD Instinct MI300X", computeMajor=9), ("amd",)),
        (_profile(Source.TORCH, "gfx942", warpSize=64), ("amd",)),
        (_profile(Source.TORCH, "GPU 0", texts=("hipLaunchKernel",)), ("amd",)),
        (_profile(Source.TORCH, "MTIA 0", "mtia"), ("accelerator",)),
        (_profile(Source.ASCEND, "NPU 0", "npu"), ("npu",)),
        (_profile(Source.MINDSPORE, "NPU 0", "npu"), ("mindspore",)),
        (_profile(Source.MINDINSIGHT, "GPU 0"), ("mindspore",)),
        (_profile(Source.XPLANE, "GPU 0", texts=("PjitFunction(step)",)), ("jax", "xla")),
        (_profile(Source.XPLANE, "TPU 0", "tpu", texts=("jit_step(123)",)), ("jax", "xla")),
        (_profile(Source.XPLANE, "GPU 0", texts=("TraceContext", "MatMul")), ("tensorflow", "xla")),
        (_profile(Source.TORCH), ()),
    ],
)
def test_the_words_follow_from_the_framework_and_the_device(
    profile: Profile, expected: tuple[str, ...]
) -> None:
    assert endings_of(profile) == expected


def test_a_text_within_another_is_said_in_the_same_words() -> None:
    inner = said("precision", share=90, unused=50, name="gemm")
    assert "matrix cores" in str(in_words(said("since_step", step=3, saw=inner), ("amd",)))


@pytest.mark.parametrize("device", ["AMD Instinct MI300X", "Vendor MTIA"])
def test_findings_about_other_devices_have_their_words(device: str) -> None:
    ending, kind = ("amd", "gpu") if "AMD" in device else ("accelerator", "mtia")
    found = 0
    for training in FAULTS.values():
        profile = profile_of(simulate(training))
        devices = tuple(evolve(one, name=device, kind=kind) for one in profile.devices)
        for one in check(evolve(profile, devices=devices)):
            for each in one.found:
                found += 1
                saw = _EVERY["en"][f"reason.{each.saw.code}"]  # without the names of the simulator's kernels
                assert not re.search(WRONG[ending], f"{saw} {each.change}"), one.rule.id
    assert found >= len(FAULTS) / 2


@pytest.mark.parametrize(
    ("endings", "word"),
    [
        ((), "autocast"),
        (("mindspore",), "amp_level"),
        (("jax", "xla"), "jnp"),
        (("tensorflow", "xla"), "keras"),
    ],
)
def test_a_change_has_the_options_of_the_framework(endings: tuple[str, ...], word: str) -> None:
    assert word in str(in_words(said("precision_change"), endings))

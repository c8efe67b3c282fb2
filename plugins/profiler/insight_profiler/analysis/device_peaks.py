"""Peak rates of devices by name and type of the inputs, from data sheets: dense matrices, sums in float32.

Sources, by the names of the documents: NVIDIA's data sheets of HGX B300/B200, GB300/GB200 NVL72, H200, H100,
GH200, H20, A100, A800, A40, A30, A10, L40S, L40, L4, T4, V100, P100, RTX A6000 and RTX 6000 Ada, and the
architecture papers of Blackwell, Ada and Ampere for GeForce; AMD's data sheets of Instinct MI100 to MI355X.
Where a sheet has figures with sparsity only (two of four numbers are 0), half of them stand here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from attrs import evolve, frozen

from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.model import Device

_COLUMNS = (
    InputType.FLOAT64,
    InputType.FLOAT32,
    InputType.TF32,
    InputType.HALF,
    InputType.INT8,
    InputType.FLOAT8,
    InputType.FLOAT4,
)


@frozen
class PeakRate:
    """What a device reaches at most: FLOP/s, and bytes a second of its memory (NaN: not known).

    ``plain`` is float32 without tensor or matrix cores. ``by_type`` is of products of inputs of a type, on
    tensor or matrix cores where these multiply it.
    """

    plain: float
    by_type: Mapping[InputType, float]
    memory: float = math.nan

    @property
    def matrix(self) -> float:
        """Of products of bfloat16 or float16."""
        return self.of(InputType.HALF, on_matrix_units=True)

    def of(self, precision: InputType, on_matrix_units: bool) -> float:
        """Of products of a type. The device computes a type that it does not know in the next wider one."""
        if precision is InputType.FLOAT32 and not on_matrix_units:
            return self.plain
        wider = [
            kind
            for kind in self.by_type
            if kind == precision or (kind < precision and kind is not InputType.INT8)  # no float fits in it
        ]
        return self.by_type[max(wider)] if wider else self.plain

    def with_own(self, memory: float | None, by_type: Mapping[InputType, float]) -> PeakRate:
        """The same with rates that a user gave; one of float32 counts with and without matrix units."""
        return evolve(
            self,
            plain=by_type.get(InputType.FLOAT32, self.plain),
            by_type={**self.by_type, **by_type},
            memory=self.memory if memory is None else memory,
        )


UNKNOWN_PEAK = PeakRate(math.nan, {})

_PEAKS: tuple[tuple[str, float, float, tuple[float, ...]], ...] = (  # the first that matches
    # name, TB/s of memory, TFLOP/s: float32, then float64, float32, TF32, 16 bits, int8, float8, float4
    # 0: it does not multiply these, or (int8 of B300) the sheet does not tell for dense matrices
    (r"GB300|B300", 8.0, 77.0, (1.3, 77.0, 1250.0, 2500.0, 0, 5000.0, 15000.0)),
    (r"GB200", 8.0, 80.0, (40.0, 80.0, 1250.0, 2500.0, 5000.0, 5000.0, 10000.0)),
    (r"B200", 8.0, 80.0, (40.0, 80.0, 1125.0, 2250.0, 4500.0, 4500.0, 9000.0)),
    (r"B100", 8.0, 60.0, (30.0, 60.0, 875.0, 1750.0, 3500.0, 3500.0, 7000.0)),
    (r"H20-3e", 4.8, 44.0, (1.0, 44.0, 74.0, 148.0, 296.0, 296.0, 0)),
    (r"H20(?!\d)", 4.0, 44.0, (1.0, 44.0, 74.0, 148.0, 296.0, 296.0, 0)),
    (r"H200 NVL", 4.8, 60.0, (60.0, 60.0, 417.5, 835.5, 1670.5, 1670.5, 0)),
    (r"H100 NVL", 3.9, 60.0, (60.0, 60.0, 417.5, 835.5, 1670.5, 1670.5, 0)),
    (r"GH200.*144G", 4.9, 66.9, (66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9, 0)),
    (r"GH200", 4.0, 66.9, (66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9, 0)),
    (r"H200", 4.8, 66.9, (66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9, 0)),
    (r"H100.*(SXM|HBM3)", 3.35, 66.9, (66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9, 0)),
    (r"H100", 2.0, 51.2, (51.2, 51.2, 378.0, 756.5, 1513.0, 1513.0, 0)),  # PCIe
    (r"H800 PCIe", 2.0, 51.2, (0.8, 51.2, 378.0, 756.5, 1513.0, 1513.0, 0)),
    (r"H800", 3.35, 66.9, (1.0, 66.9, 494.7, 989.4, 1978.9, 1978.9, 0)),
    (r"A[18]00(?!\d).*40GB", 1.555, 19.5, (19.5, 19.5, 156.0, 312.0, 624.0, 0, 0)),
    (r"A[18]00(?!\d).*PCIe", 1.935, 19.5, (19.5, 19.5, 156.0, 312.0, 624.0, 0, 0)),
    (r"A100(?!\d)|A800(?!\d)", 2.039, 19.5, (19.5, 19.5, 156.0, 312.0, 624.0, 0, 0)),
    (r"A6000", 0.768, 38.7, (0.6, 38.7, 77.4, 154.8, 309.7, 0, 0)),
    (r"6000 Ada", 0.96, 91.1, (1.4, 91.1, 182.1, 364.2, 728.5, 728.5, 0)),
    (r"A40(?!\d)", 0.696, 37.4, (0.6, 37.4, 74.8, 149.7, 299.3, 0, 0)),
    (r"A30(?!\d)", 0.933, 10.3, (10.3, 10.3, 82.0, 165.0, 330.0, 0, 0)),
    (r"A10G", 0.6, 31.5, (0.5, 31.5, 35.0, 70.0, 140.0, 0, 0)),
    (r"A10(?!\d)", 0.6, 31.2, (0.5, 31.2, 62.5, 125.0, 250.0, 0, 0)),
    (r"L40S", 0.864, 91.6, (1.4, 91.6, 183.0, 362.1, 733.0, 733.0, 0)),
    (r"L40(?!\w)", 0.864, 90.5, (1.4, 90.5, 90.5, 181.1, 362.0, 362.0, 0)),
    (r"L4(?!\d)", 0.3, 30.3, (0.5, 30.3, 60.0, 121.0, 242.5, 242.5, 0)),
    (r"V100S", 1.134, 16.4, (8.2, 16.4, 0, 130.0, 0, 0, 0)),
    (r"V100.*PCI", 0.9, 14.0, (7.0, 14.0, 0, 112.0, 0, 0, 0)),
    (r"V100", 0.9, 15.7, (7.8, 15.7, 0, 125.0, 0, 0, 0)),
    (r"Tesla T4|(?<!\w)T4(?!\w)", 0.32, 8.1, (0.3, 8.1, 0, 65.0, 130.0, 0, 0)),
    (r"P100(?!\d)", 0.732, 10.6, (5.3, 10.6, 0, 21.2, 0, 0, 0)),
    (r"RTX 5090(?! [DL])", 1.792, 104.8, (1.6, 104.8, 104.8, 209.5, 838.0, 419.0, 1676.0)),
    (r"RTX 4090(?! [DL])", 1.008, 82.6, (1.3, 82.6, 82.6, 165.2, 660.6, 330.3, 0)),
    (r"RTX 3090(?! Ti)", 0.936, 35.6, (0.6, 35.6, 35.6, 71.0, 284.0, 0, 0)),
    (r"MI355X", 8.0, 157.3, (78.6, 157.3, 0, 2516.6, 5033.2, 5033.2, 10066.3)),
    (r"MI350X", 8.0, 144.2, (72.1, 144.2, 0, 2306.9, 4613.7, 4613.7, 9227.5)),
    (r"MI325X", 6.0, 163.4, (163.4, 163.4, 653.7, 1307.4, 2614.9, 2614.9, 0)),
    (r"MI300X", 5.3, 163.4, (163.4, 163.4, 653.7, 1307.4, 2614.9, 2614.9, 0)),
    (r"MI300A", 5.3, 122.6, (122.6, 122.6, 490.3, 980.6, 1961.2, 1961.2, 0)),
    # half of a card: each of its two dies is a device of its own
    (r"MI250X", 1.638, 23.9, (47.9, 47.9, 0, 191.5, 191.5, 0, 0)),
    (r"MI250(?!\w)", 1.638, 22.6, (45.3, 45.3, 0, 181.0, 181.0, 0, 0)),
    (r"MI210", 1.638, 22.6, (45.3, 45.3, 0, 181.0, 181.0, 0, 0)),
    (r"MI100", 1.229, 23.1, (11.5, 46.1, 0, 184.6, 184.6, 0, 0)),
)
_LINKS = ((9, 55e9), (8, 25e9), (6, 12e9))  # PCIe 5, 4, 3 with 16 lanes, from a compute capability on
_AMD = re.compile(r"AMD|Instinct|Radeon|gfx\d|(?<!\w)MI\d{2,3}")
_VEGA = re.compile(r"Vega|Radeon VII|(?<!\w)MI[256][05](?!\d)|gfx90[0-6]")


def peak_rate(device: str) -> PeakRate | None:
    """The peak rates of a device of this name, None if they are not known."""
    if "MIG" in device:  # a part of it, of a size that the name tells in other units
        return None
    for pattern, memory, plain, rates in _PEAKS:
        if re.search(pattern, device, re.IGNORECASE):
            by_type = {kind: rate * 1e12 for kind, rate in zip(_COLUMNS, rates, strict=True) if rate}
            return PeakRate(plain * 1e12, by_type, memory * 1e12)
    return None


def device_peaks(device: Device) -> PeakRate | None:
    """The peak rates of a device of a profile, by its name or, of a log of XLA, by what the log calls it."""
    return peak_rate(device.name) or peak_rate(str(device.facts.get("gpu_device_name", "")))


def has_no_matrix_units(device: Device) -> bool:
    """Whether a GPU is known to have neither tensor cores (NVIDIA before Volta) nor matrix cores (AMD's GCN,
    Vega, and RDNA before the third)."""
    major = _capability(device)
    if major is None:
        return False
    if is_amd(device):
        return major < 9 or major == 10 or bool(_VEGA.search(device.name))
    return major < 7


def multiplies_tf32(device: Device) -> bool:
    """Whether a GPU is NVIDIA's with tensor cores that multiply TF32 (since Ampere)."""
    major = _capability(device)
    return device.kind == "gpu" and major is not None and major >= 8 and not is_amd(device)


def host_link(device: Device) -> float | None:
    """Bytes a second that copies between pinned memory and a GPU reach: on PCIe of the generation that GPUs
    of NVIDIA of this compute capability have. None for others."""
    major = _capability(device)
    if major is None or is_amd(device):
        return None
    return next((rate for least, rate in _LINKS if major >= least), None)


def _capability(device: Device) -> float | None:
    """The major number of its compute capability: PyTorch and XLA have a name of their own for it."""
    for fact in ("computeMajor", "compute_cap_major"):
        if isinstance(major := device.facts.get(fact), int | float):
            return float(major)
    return None


def is_amd(device: Device) -> bool:
    """By the name or the width of wavefronts: ``computeMajor`` is 9 for gfx942 as for an H100."""
    return bool(_AMD.search(device.name)) or device.facts.get("warpSize") == 64

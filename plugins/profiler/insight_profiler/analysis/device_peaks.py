"""Peak rates of devices by name, in floating-point operations a second, from data sheets.

``plain`` is float32 without tensor cores; ``matrix`` is that of tensor or matrix cores on bfloat16 or float16
with dense matrices, accumulating in float32 where the data sheet tells both apart.
"""

from __future__ import annotations

import re

from attrs import frozen


@frozen
class PeakRate:
    """FLOP/s that a device reaches at most."""

    plain: float
    matrix: float


_PEAKS = (  # the first that matches; TFLOP/s
    (r"H200|H100.*(SXM|HBM3)|GH200", 66.9, 989.4),
    (r"H100", 51.2, 756.5),  # PCIe
    (r"H800", 66.9, 989.4),
    (r"B200", 80.0, 2250.0),
    (r"A100|A800", 19.5, 312.0),
    (r"A40(?!\d)", 37.4, 149.7),
    (r"A30(?!\d)", 10.3, 165.0),
    (r"A10G", 31.5, 70.0),
    (r"A10(?!\d)", 31.2, 125.0),
    (r"L40S", 91.6, 362.1),
    (r"L40(?!\w)", 90.5, 181.1),
    (r"L4(?!\d)", 30.3, 121.0),
    (r"V100.*PCI", 14.0, 112.0),
    (r"V100", 15.7, 125.0),
    (r"Tesla T4|(?<!\w)T4(?!\w)", 8.1, 65.0),
    (r"P100", 10.6, 21.2),
    (r"RTX 4090(?! D)", 82.6, 165.2),
    (r"RTX 3090(?! Ti)", 35.6, 71.0),
    (r"MI300X", 163.4, 1307.4),
    (r"MI250X", 47.9, 383.0),
    (r"MI210", 22.6, 181.0),
)


def peak_rate(device: str) -> PeakRate | None:
    """The peak rates of a device of this name, None if they are not known."""
    for pattern, plain, matrix in _PEAKS:
        if re.search(pattern, device, re.IGNORECASE):
            return PeakRate(plain * 1e12, matrix * 1e12)
    return None

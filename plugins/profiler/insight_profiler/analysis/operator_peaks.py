"""Finds the peak rate of each operator that computes products: by the types of its inputs and by its kernels.

The log has the types of inputs. The names of kernels tell whether float32 is multiplied as TF32, and the type
where the log has none. The kernels of an operator are those that it and the operators within it launched.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.device_peaks import PeakRate, device_peaks
from insight_profiler.analysis.kernel_schemes import InputType, MatrixKernel, matrix_kernel
from insight_profiler.derived.upwards import nearest_marked
from insight_profiler.model import Profile, Table

_UNKNOWN = len(InputType)  # the place of kernels whose names do not tell the type
_UNITS = 2


@frozen(eq=False)
class OperatorPeaks:
    """Of each row of the operators: FLOP/s at most (NaN: not known), and of which InputType it is."""

    rate: NDArray[np.float64]
    precision: NDArray[np.int8]


def profile_peak(profile: Profile) -> PeakRate | None:
    """The peak rates of the device of a profile, None if they are not known."""
    known = [device_peaks(device) for device in profile.devices if device.kind != "cpu"]
    return next((one for one in known if one is not None), None)


def operator_peaks(profile: Profile, peak: PeakRate | None = None) -> OperatorPeaks:
    """The peaks of all operators of a profile; ``peak``: of its device, instead of those of the data sheet.
    Those without operations count as float32."""
    operators = profile.tables["operators"]
    count = len(operators["name"])
    peak = profile_peak(profile) if peak is None else peak
    if peak is None:
        return OperatorPeaks(np.full(count, np.nan), np.full(count, InputType.FLOAT32, np.int8))
    times = _matrix_times(profile, operators)
    chosen = times.argmax(1)
    chosen[times.sum(1) == 0] = -1
    kinds = np.stack((operators["precision"].astype(np.int64), chosen), axis=1)
    distinct, inverse = np.unique(kinds, axis=0, return_inverse=True)
    found = [_precision(int(given), int(kernel)) for given, kernel in distinct.tolist()]
    rates = np.array([peak.of(precision, on_units) for precision, on_units in found])
    places = inverse.reshape(-1)
    return OperatorPeaks(rates[places], np.array([int(one) for one, _ in found], np.int8)[places])


def _precision(given: int, kernel: int) -> tuple[InputType, bool]:
    """What an operator computes with, by the type of its inputs and its kernels (a place in the times; -1:
    unknown), and whether on matrix units."""
    named = kernel // _UNITS if kernel >= 0 else _UNKNOWN
    on_units = kernel >= 0 and kernel % _UNITS == 1
    if given == InputType.FLOAT64:
        return InputType.FLOAT64, True
    if given > InputType.FLOAT32:
        return InputType(given if named == _UNKNOWN else max(given, named)), True
    if named < _UNKNOWN:
        return InputType(named), on_units
    if not on_units:
        return InputType.FLOAT32, False
    return (InputType.TF32 if given == InputType.FLOAT32 else InputType.HALF), True


def _matrix_times(profile: Profile, operators: Table) -> NDArray[np.int64]:
    """int64[operators, types x units]: time of the kernels that compute products, of operators within too."""
    times = np.zeros((len(operators["name"]), (_UNKNOWN + 1) * _UNITS), np.int64)
    kernels = profile.tables.get("kernels")
    if kernels is None:
        return times
    names, inverse = np.unique(kernels["name"], return_inverse=True)
    kinds = [matrix_kernel(profile.texts[name]) if name >= 0 else None for name in names.tolist()]
    places = np.array([-1 if kind is None else _place(kind) for kind in kinds])[inverse.reshape(-1)]
    owners = counted_owners(profile, operators)[kernels["operator"]]
    owners[kernels["operator"] < 0] = -1
    rows = np.flatnonzero((places >= 0) & (owners >= 0))
    np.add.at(times, (owners[rows], places[rows]), kernels["total"][rows].clip(0))
    return times


def _place(kind: MatrixKernel) -> int:
    named = _UNKNOWN if kind.precision is None else int(kind.precision)
    return named * _UNITS + int(kind.on_matrix_units)


def counted_owners(profile: Profile, operators: Table) -> NDArray[np.int64]:
    """int64[operators]: the operator with operations that a call of each is or lies in, or -1."""
    has_flops = operators["flops"] > 0
    owners = np.where(has_flops, np.arange(len(has_flops)), -1)
    slices = profile.tables.get("slices")
    if slices is not None:
        calls = slices["operator"]
        marked = (calls >= 0) & has_flops[calls]
        around = nearest_marked(marked, slices["parent"])
        within = np.flatnonzero((calls >= 0) & ~marked & (around >= 0))
        owners[calls[within]] = calls[around[within]]
    return owners

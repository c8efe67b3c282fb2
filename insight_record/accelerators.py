"""Load, memory, power and temperature of GPUs (NVML) and of Ascend NPUs (``npu-smi``)."""

from __future__ import annotations

import contextlib
import importlib
import re
import shutil
import subprocess
from typing import Any, Protocol

_PATIENCE = 5  # seconds for npu-smi
_LINE = re.compile(r"^\s*([^:\n]+?)\s*:\s*(-?\d+(?:\.\d+)?)\s*$", re.M)
_NPU_METRICS = (  # what ``npu-smi info -t`` takes, the line of its answer, our name
    ("usages", re.compile(r"Aicore Usage Rate"), "load_percent"),
    ("usages", re.compile(r"HBM Usage Rate"), "memory_percent"),
    ("power", re.compile(r"Power"), "power_W"),
    ("temp", re.compile(r"Temperature"), "temperature_C"),
)


class Accelerators(Protocol):
    """Accelerators of one kind."""

    def names(self) -> list[str]:
        """The model of each."""

    def read(self) -> dict[str, float]:
        """Numbers by name, such as ``gpu0/load_percent``."""


class Gpus:
    """GPUs of NVIDIA, by nvidia-ml-py. Raises ImportError without it, NVMLError without a driver."""

    def __init__(self) -> None:
        self._nvml: Any = importlib.import_module("pynvml")
        self._nvml.nvmlInit()
        count = self._nvml.nvmlDeviceGetCount()
        self._devices = [self._nvml.nvmlDeviceGetHandleByIndex(number) for number in range(count)]

    def names(self) -> list[str]:
        """The model of each GPU."""
        found = [self._nvml.nvmlDeviceGetName(device) for device in self._devices]
        return [name.decode() if isinstance(name, bytes) else str(name) for name in found]

    def read(self) -> dict[str, float]:
        """Load and memory in percent, power in watts, temperature in degrees Celsius; others lack."""
        nvml, found = self._nvml, dict[str, float]()
        for number, device in enumerate(self._devices):
            for name, value in (
                ("load_percent", lambda device=device: nvml.nvmlDeviceGetUtilizationRates(device).gpu),
                ("memory_percent", lambda device=device: _used(nvml.nvmlDeviceGetMemoryInfo(device))),
                ("power_W", lambda device=device: nvml.nvmlDeviceGetPowerUsage(device) / 1000),
                ("temperature_C", lambda device=device: nvml.nvmlDeviceGetTemperature(device, 0)),
            ):
                with contextlib.suppress(nvml.NVMLError):
                    found[f"gpu{number}/{name}"] = float(value())
        return found


class Npus:
    """NPUs of Ascend, by the program ``npu-smi``. Raises OSError without it."""

    def __init__(self) -> None:
        program = shutil.which("npu-smi")
        if program is None:
            raise FileNotFoundError("npu-smi is not installed")
        self._program = program
        listed = self._asked("info", "-l")
        self._numbers = [int(one) for one in re.findall(r"NPU ID\s*:\s*(\d+)", listed)]

    def names(self) -> list[str]:
        """The number of each NPU."""
        return [f"Ascend NPU {number}" for number in self._numbers]

    def read(self) -> dict[str, float]:
        """Load and memory in percent, power in watts, temperature in degrees Celsius."""
        found = {}
        for number in self._numbers:
            answers: dict[str, dict[str, float]] = {}
            for kind, line, name in _NPU_METRICS:
                if kind not in answers:
                    text = self._asked("info", "-t", kind, "-i", str(number))
                    answers[kind] = {key: float(value) for key, value in _LINE.findall(text)}
                values = [value for key, value in answers[kind].items() if line.search(key)]
                if values:
                    found[f"npu{number}/{name}"] = values[0]
        return found

    def _asked(self, *arguments: str) -> str:
        done = subprocess.run(
            [self._program, *arguments], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
        return done.stdout


def accelerators() -> list[Accelerators]:
    """The kinds of accelerators that can be read here; may be empty."""
    found: list[Accelerators] = []
    for kind in (Gpus, Npus):
        with contextlib.suppress(Exception):  # no package, no driver, or no program: errors of each differ
            found.append(kind())
    return found


def accelerator_names() -> list[str]:
    """The accelerators of this machine."""
    return [name for kind in accelerators() for name in kind.names()]


def _used(memory: Any) -> float:  # noqa: ANN401
    return 100 * float(memory.used) / float(memory.total)

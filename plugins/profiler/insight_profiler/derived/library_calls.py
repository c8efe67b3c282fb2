"""Names of calls inside of torch's C++ library, as one reads them in a stack."""

from __future__ import annotations

import re

_BACKWARD = re.compile(
    r"torch::autograd::(?:generated::)?(?:\(anonymous namespace\)::)?(\w+Backward\d*|AccumulateGrad)"
)
_OPERATOR = re.compile(r"at::_ops::(\w+)::(?:call|redispatch)")
_NOISE = re.compile(
    r"torch::unwind|CapturedTraceback|gather_with_cpp|CachingAllocator|^_?Py[A-Z_]|^_start$|^__libc|^__clone"
)
_ARGUMENTS = re.compile(r"[<(](?!anonymous|lambda).*", re.DOTALL)


def step_of_library(function: str) -> str:
    """The step of the backward pass (``AddmmBackward0``) or the operator (``aten::mm``) that a function is;
    empty for another one."""
    if found := _BACKWARD.search(function):
        return found[1]
    found = _OPERATOR.search(function)
    return f"aten::{found[1]}" if found else ""


def is_noise(function: str) -> bool:
    """Whether a function is the interpreter's, the allocator's, or what took the stack."""
    return _NOISE.search(function) is not None


def without_arguments(function: str) -> str:
    """A function of C++ without arguments and parameters of templates."""
    return _ARGUMENTS.sub("", function.removeprefix("void "))

"""The line of a user's code in a stack trace that PyTorch recorded."""

from __future__ import annotations

import re

_OF_PYTORCH = re.compile(r"[/\\](site|dist)-packages[/\\]torch[/\\]")


def line_of_code(trace: str) -> str:
    """The innermost frame that is not PyTorch's own, with its line of code; empty without one."""
    lines = [line.strip() for line in trace.splitlines()]
    frames = [place for place, line in enumerate(lines) if line.startswith("File ")]
    own = [place for place in frames if not _OF_PYTORCH.search(lines[place])] or frames
    if not own:
        return ""
    code = [line for line in lines[own[-1] + 1 : own[-1] + 2] if not line.startswith("File ")]
    return "\n".join([lines[own[-1]], *code])

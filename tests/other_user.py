"""Programs run as another user, which only root can do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

NOBODY = 65533  # no process of the machine has it


def needs_root() -> None:
    """Skips a test that runs something as another user, unless root runs it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can run a program as another user")


def run_as_other(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python program with the modules of this interpreter, as a user without any rights."""
    needs_root()
    command: Sequence[str] = [sys.executable, "-c", f"{_BECOME}\n{program}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


# The modules are found before: directories of the checkout may be closed to others.
_BECOME = f"""
import os, socket, ssl, sys, json, urllib.request, http.client
try:
    import grpc
    import grpc._channel
except ImportError:
    pass
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
"""

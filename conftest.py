"""Lets tests import the plugins that are distributions of their own; hosts that tests start have no such tab.

They are not installed in the environment of the tests, so that a test can install others with the same names
and claims.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [
    str(project.parent) for project in sorted(Path(__file__).parent.glob("plugins/*/pyproject.toml"))
]

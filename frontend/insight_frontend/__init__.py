"""The built page: the directory `static/` holds its assets (made by hatch_build.py, not committed)."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent / "static"

"""The built page (`static/`) and npm packages for authors of tabs, made by hatch_build.py, not committed."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent / "static"
PACKAGES = Path(__file__).parent / "packages"

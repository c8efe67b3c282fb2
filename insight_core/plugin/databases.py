"""SQLite databases that other programs write, without a promise to others."""

from insight_core.databases import *  # noqa: F403

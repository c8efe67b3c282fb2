"""Formats of tables and settings that are declared in a line, and YAML within limits."""

from __future__ import annotations

from insight_log_tables.declaration import log_settings, log_table, yaml_value

__all__ = ["log_settings", "log_table", "yaml_value"]

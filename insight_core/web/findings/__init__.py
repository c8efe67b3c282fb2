"""One table of all rules: calls them, keeps what they say, and merges it to one answer."""

from insight_core.web.findings.table import FindingsTable

__all__ = ["FindingsTable"]

"""Which of many names match a text or a regular expression."""

from __future__ import annotations

from insight_core.matching import Matcher, matcher_of

__all__ = ["Matcher", "matcher_of"]

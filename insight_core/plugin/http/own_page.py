"""Accepts writes only from the host's own page."""

from __future__ import annotations

from insight_core.own_page import READ_ONLY_CLIENT, TOKEN_HEADER, Forbidden, OwnPage, body_of

__all__ = ["READ_ONLY_CLIENT", "TOKEN_HEADER", "Forbidden", "OwnPage", "body_of"]

"""For the routes of plugins: parameters of requests, answers, and the records of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from insight_core.http.answers import (
    READ_ONLY,
    Column,
    bytes_response,
    csv_field,
    csv_response,
    is_gone,
    json_response,
    may_save,
    safetensors_response,
    streamed_response,
)
from insight_core.http.parameters import (
    Reader,
    attempts,
    choice,
    flag,
    headers,
    number,
    series_key,
    series_keys,
    text,
    texts,
    whole_number,
)
from insight_core.http.records import is_pinned, record_of, records_response
from insight_core.matching import matcher_of
from insight_core.moved import old_names

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)


__path__: list[str] = []  # of modules of the last release, which insight_core.moved finds

__all__ = [
    "READ_ONLY",
    "Column",
    "Reader",
    "attempts",
    "bytes_response",
    "choice",
    "csv_field",
    "csv_response",
    "flag",
    "headers",
    "is_gone",
    "is_pinned",
    "json_response",
    "matcher_of",
    "may_save",
    "number",
    "record_of",
    "records_response",
    "safetensors_response",
    "series_key",
    "series_keys",
    "streamed_response",
    "text",
    "texts",
    "whole_number",
]

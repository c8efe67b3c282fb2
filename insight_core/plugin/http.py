"""For the routes of plugins: parameters of requests, answers, and the records of a series."""

from __future__ import annotations

from insight_core.http.answers import (
    Column,
    bytes_response,
    json_response,
    safetensors_response,
    streamed_response,
)
from insight_core.http.clients import READ_ONLY, is_gone, may_save
from insight_core.http.csv_text import csv_field, csv_response
from insight_core.http.parameters import (
    attempts,
    choice,
    empty,
    flag,
    number,
    required_number,
    required_text,
    required_whole_number,
    series_key,
    series_keys,
    whole_number,
)
from insight_core.http.records import is_pinned, record_of, records_response
from insight_core.matching import matcher_of

__path__: list[str] = []  # of modules of the last release, which insight_core.moved finds

__all__ = [
    "READ_ONLY",
    "Column",
    "attempts",
    "bytes_response",
    "choice",
    "csv_field",
    "csv_response",
    "empty",
    "flag",
    "is_gone",
    "is_pinned",
    "json_response",
    "matcher_of",
    "may_save",
    "number",
    "record_of",
    "records_response",
    "required_number",
    "required_text",
    "required_whole_number",
    "safetensors_response",
    "series_key",
    "series_keys",
    "streamed_response",
    "whole_number",
]

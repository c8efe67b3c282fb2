"""What modules of this repository are made of, and others must not rely on: it may change in any release."""

from __future__ import annotations

from insight_core.activity import Question as Question
from insight_core.ingest.fetching import RequestCounts as RequestCounts
from insight_core.ingest.locked_directory import first_locked as first_locked
from insight_core.ingest.locked_directory import locked as locked
from insight_core.ingest.walk import size_below as size_below
from insight_core.isolation import *  # noqa: F403
from insight_core.own_hooks import GuestSettings as GuestSettings
from insight_core.own_hooks import OtherProgram as OtherProgram
from insight_core.token_files import *  # noqa: F403

"""What plugins of this repository use and others must not rely on: it may change in any release."""

from __future__ import annotations

from insight_core.databases import SIDE_FILES as SIDE_FILES
from insight_core.databases import SQLITE_MARK as SQLITE_MARK
from insight_core.databases import DatabaseChanging as DatabaseChanging
from insight_core.databases import DatabaseTooLarge as DatabaseTooLarge
from insight_core.databases import OpenPart as OpenPart
from insight_core.databases import copy_database as copy_database
from insight_core.databases import opened_database as opened_database
from insight_core.databases import tables_of as tables_of
from insight_core.encoding import check_elements as check_elements
from insight_core.encoding import plain as plain
from insight_core.formats.compiled import NotCompiled as NotCompiled
from insight_core.formats.file_references import file_reference as file_reference
from insight_core.histogram_routes import comparison_route as comparison_route
from insight_core.histogram_routes import histograms_route as histograms_route
from insight_core.http.answers import accepts_gzip as accepts_gzip
from insight_core.http.findings import findings_document as findings_document
from insight_core.http.findings import may_change as may_change
from insight_core.http.parameters import check_order as check_order
from insight_core.http.records import RECORDS_READ as RECORDS_READ
from insight_core.http.tags import streamed_tags_response as streamed_tags_response
from insight_core.http.tags import tags_response as tags_response
from insight_core.matching import Matcher as Matcher
from insight_core.plugin.claims import claim_of as claim_of
from insight_core.plugin.findings.answer import FindFaults as FindFaults
from insight_core.plugin.findings.model import Severity as Severity
from insight_core.plugin.payloads import EIGHT_BYTES as EIGHT_BYTES
from insight_core.plugin.payloads import Malformed as Malformed
from insight_core.plugin.payloads import histogram_of as histogram_of
from insight_core.plugin.payloads import varint as varint
from insight_core.providers.scalar_answers import AnswerScalars as AnswerScalars
from insight_core.store.writers import written_at_once as written_at_once
from insight_core.tag_roles import is_held_out as is_held_out
from insight_core.tag_roles import role_of as role_of
from insight_core.tag_roles import training_runs as training_runs
from insight_core.tag_roles import words_of as words_of

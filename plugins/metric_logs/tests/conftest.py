"""A provider with the formats of the plugin, and the tabs that show what they give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import insight_image
import insight_lineage
import insight_scalar
import pytest
from insight_metric_logs import FORMATS

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from tests.program_logs import Load


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Looks at the logs again."""
    plugins = [each.insight_plugin() for each in (insight_scalar, insight_image, insight_lineage)]
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=FORMATS, reload_interval=0)

    def look() -> LocalProvider:
        provider.load()
        return provider

    yield look
    provider.close()

"""The log format of docs/writing_a_plugin.md, run as printed."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import insight_scalar

from insight_core.cli.log_formats import follow_log_formats
from insight_core.ingest.discover import Logdir
from insight_core.plugin import SeriesKey
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry


def test_the_log_format_of_the_documentation_works_as_printed(repository: Path, tmp_path: Path) -> None:
    text = (repository / "docs/writing_a_plugin.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(\"\"\"my_logs\.py.*?)^```$", text, flags=re.M | re.S)
    module = ModuleType("my_logs")
    exec(code, module.__dict__)
    registry = Registry.of([("my_logs", lambda: module)], distribution="my-logs")
    registry.wait_until_loaded()
    path = tmp_path / "a.words"
    path.write_text("loss 0 1.5\nloss 1 0.5\nhello\nloss 2 0.2")
    provider = LocalProvider(
        [Logdir(str(tmp_path))],
        [insight_scalar.insight_plugin()],
        reload_interval=0,
    )
    follow_log_formats(registry, provider.admit_log_format)
    assert dict(registry.failures) == {}
    try:
        provider.load()
        with path.open("a") as file:
            file.write("5\n")
        provider.load()
        key = SeriesKey(".", "loss")
        assert provider.scalars("scalar", [key])[key].values.tolist() == [1.5, 0.5, 0.25]
        assert [damage.reason for damage in provider.damage()] == ["line 3 is not a tag, a step and a value"]
    finally:
        provider.close()

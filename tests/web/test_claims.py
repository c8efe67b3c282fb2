"""Claims of decoders: kinds and fields that no log can have are refused when the decoder is made."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from insight_core.formats.event import claimable_fields
from insight_core.plugin import Dialect, EventField, FileName, RecordDecoder


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ("text", "its claims are a str, not a set of claims"),
        (["text"], "one of its claims is a str"),
        (7, "its claims are a int"),
        (
            {EventField(Dialect.MINDSPORE, "explian")},
            "mindspore has no field 'explian': scalar_value, image, tensor, histogram, loss_landscape, "
            "graph_def, explain",
        ),
        ({EventField(Dialect.TENSORBOARD, "summary")}, "tensorboard has no field 'summary': simple_value"),
    ],
    ids=["text", "texts", "number", "unknown field", "field without values"],
)
def test_claims_that_no_log_can_have_are_refused(claims: Any, words: str) -> None:  # noqa: ANN401
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        RecordDecoder(claims=claims)


@pytest.mark.parametrize("name", ["reference/formats.md", "writing_a_plugin.md"])
def test_the_documentation_has_every_field_that_can_be_claimed(name: str, repository: Path) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (`\w+`(?:, `\w+`)*) \|", (repository / "docs" / name).read_text(), re.MULTILINE
    )
    fields = {dialect: re.findall(r"\w+", names) for dialect, names in rows if dialect in list(Dialect)}
    assert fields == {str(dialect): claimable_fields(dialect) for dialect in Dialect}


@pytest.mark.parametrize("makes_run", ["a string", 7, None])
def test_whether_a_file_makes_a_run_is_a_bool_or_a_function(makes_run: Any) -> None:  # noqa: ANN401
    with pytest.raises((TypeError, ValueError)):
        FileName("*.x", makes_run=makes_run)
    assert FileName("*.x", makes_run="builtins:bool").makes_run(b"x") is True  # type: ignore[operator]

"""Rules of the host's URLs match and build as werkzeug's own do."""

from __future__ import annotations

import pytest
from werkzeug import routing

from insight_core.web.mounting import UrlRule, new_map


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/data/runs", {}),
        ("/data/runs", {"run": "a b"}),
        ("/static/<path:name>", {"name": "a/b c.js"}),
        ("/data/plugin/x/<int:index>", {"index": 7, "since": "3"}),
    ],
)
def test_a_rule_is_matched_and_built_as_one_of_werkzeug(path: str, values: dict[str, object]) -> None:
    ours = new_map([UrlRule(path, endpoint="view", methods=["GET"])]).bind("host")
    theirs = new_map([routing.Rule(path, endpoint="view", methods=["GET"])]).bind("host")
    url = ours.build("view", values)
    assert url == theirs.build("view", values)
    place = url.partition("?")[0]
    assert ours.match(place, "GET") == theirs.match(place, "GET")

"""Finding names: as the lines of a text, one by one, in time."""

from __future__ import annotations

import socket
import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug import Request

from insight_core import matching
from insight_core.matching import RegexMatcher, TextMatcher
from insight_core.plugin import InvalidArgument
from insight_core.plugin.http import is_gone

NAMES = ["a/b", "A/c_1", "conv", "conv/bias", "x.y", "b", "Äb", "a\nb", "1-2", "[x]", "_"]
PATTERNS = [
    "b", "^b$", "a.b", "[^/]*$", "^[^a]+$", r"\bb", r"\d", r"[\d_]$", "a|^c", "(?:a|c)/", "(b)", "c.*s",
    "x{1,2}", "[a-c]/", r"\.", r"[^\w]", "a*", "", "$", "^", r"\W", r"\s", r"a\Z", "(?s)a.b", "(?=b)",
    "x*+", "(?i:A)", r"\Ab", r"\D", r"\S$", "(?<!a)/b", r"a\s*b",
    "b?$", "[^b-c/]/?b", r"\[x", "(?<=a/)b", r"^(?!.*conv)", r"[^\S]", "(?is)a.B",
]  # fmt: skip


def _one_by_one(pattern: str, names: list[str]) -> list[int]:
    compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)
    return [row for row, name in enumerate(names) if compiled.search(name)]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("names", [NAMES, [name for name in NAMES if "\n" not in name]])
def test_lines_of_a_text_match_as_each_does(pattern: str, names: list[str]) -> None:
    assert RegexMatcher(pattern).rows(names).tolist() == _one_by_one(pattern, names)


@settings(max_examples=500, deadline=None)
@given(
    pattern=st.text("ab/.^$*+?|()[]-\\dwbsWZ{}1,:=", max_size=12),
    names=st.lists(st.text("ab/1-_.", min_size=1, max_size=6), max_size=12),
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_any_pattern_matches_lines_as_it_does_names(pattern: str, names: list[str]) -> None:
    try:
        found = RegexMatcher(pattern).rows(names).tolist()
    except InvalidArgument:
        return
    assert found == _one_by_one(pattern, names)


@pytest.mark.parametrize(
    "pattern",
    [
        "(", "[", "]", "a{", "(?R)", r"(a)\1", "(?P<n>a)(?P=n)", "a{99999999}", "(?:a{100}){11}", "(a){e<=1}",
        r"\p{L}", r"\L<a>", "(?0)", "(?&a)", "[[:alpha:]]", "[a--b]", r"\N{DIGIT ONE}", "a\nb", "*", "(?<=a",
        "a{2,1}", r"\x41", "(?V1)[a||b]", "a" * 201, "{" + "9" * 199,
    ],
)  # fmt: skip
def test_what_may_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidArgument, match="q "):
        RegexMatcher(pattern)


@pytest.mark.parametrize("wanted", ["b", "A/", "ä", "\n", "conv", "i\u0307"])
def test_a_text_is_found_in_small_and_large_letters(wanted: str) -> None:
    for names in (NAMES, ["İ/b", "b", "x/B"]):
        expected = [row for row, name in enumerate(names) if wanted.lower() in name.lower()]
        assert TextMatcher(wanted).rows(names).tolist() == expected


def test_many_names_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_AT_ONCE", 7)
    names = [f"n{number}" for number in range(100)]
    assert RegexMatcher("3$").rows(names).tolist() == list(range(3, 100, 10))
    assert TextMatcher("9").rows(names).tolist() == [9, *range(19, 90, 10), *range(90, 100)]
    assert TextMatcher("9").rows([]).tolist() == []


_ENDLESS = r"(.+)+(.+)+(.+)+(?=[0-9])[a-z]"  # there are very many ways to divide a name


def test_a_regular_expression_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "SECONDS", 0.3)
    began = time.monotonic()
    with pytest.raises(InvalidArgument, match="too long"):
        RegexMatcher(_ENDLESS).rows(["ab" * 2000 + "7"])
    assert time.monotonic() - began < 5
    matcher = RegexMatcher("a")
    monkeypatch.setattr(matcher, "_end", 0.0)
    with pytest.raises(InvalidArgument, match="too long"):
        matcher.rows(["a"])


def test_a_search_ends_when_nobody_waits() -> None:
    with pytest.raises(InvalidArgument, match="nobody"):
        TextMatcher("a", lambda: True).rows(["a"])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        request = Request({"werkzeug.socket": ours})
        assert not is_gone(request)
        theirs.close()
        assert is_gone(request)
    assert is_gone(request)  # closed here too
    assert not is_gone(Request({}))

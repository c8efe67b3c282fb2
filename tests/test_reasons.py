"""Texts for users carry a code and details, and have a translation."""

from __future__ import annotations

import ast
import errno
import json
import math
import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from insight_profiler.advice.dialects import DIALECTS

from insight_core.formats.batch import CUT_MEANWHILE, unreadable
from insight_core.plugin import InvalidArgument, Messages, Reason, ReasonKind, Undecodable
from insight_core.plugin.data import Damage
from insight_core.rpc.messages import damage_message, damage_of
from insight_record.formats.reason import system_reason

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "frontend/shell/src/locales/zh-CN.json"
CATALOGUES = [
    *sorted(ROOT.glob("plugins/*/insight_*/**/locales/**/zh-CN.json")),
]
ADVICE: dict[str, str] = json.loads(
    (ROOT / "plugins/profiler/insight_profiler/locales/en.json").read_text(encoding="utf-8")
)["advice"]
PIECES = ("metadata", "convergence", "interval", "path")
READERS = [  # what they cannot read is shown to users
    *(path for path in ROOT.glob("insight_*/formats/*.py") if path.stem not in {"reason", "stored_block"}),
    *ROOT.glob("plugins/*/insight_*/decoder.py"),
    *ROOT.glob("plugins/graph/insight_graph/*.py"),
    *ROOT.glob("plugins/image/insight_image/*.py"),
    ROOT / "plugins/audio/insight_audio/wav.py",
]
SYSTEM = {f"system_{name.lower()}" for name in errno.errorcode.values()}
_OF_A_FILE = (
    "database_changing",
    "empty_file",
    "no_database",
    "no_events",
    "no_flight",
    "no_profile_rows",
    "no_rank_steps",
    "no_samples",
    "no_snapshot",
    "no_speedscope",
    "no_stacks",
    "not_a_trace",
    "snapshot_cut",
)
BUILT: dict[str, set[str]] = {  # codes that are put together, with their details
    **{f"importers_record_{problem}": set() for problem in ("header", "checksum", "order")},
    **{f"landscape_{piece}_missing": set() for piece in PIECES},
    **{f"landscape_{piece}_unreadable": {"cause"} for piece in PIECES},
    "more_records": {"more", "most"},
    "more_tags": {"more", "most"},
    **{f"system_{name}": set() for name in ("eacces", "enoent", "eio", "enospc", "estale", "emfile")},
    **{f"profiler_failure_{code}": {"file"} for code in _OF_A_FILE},
    "profiler_failure_flight_entry": {"file", "entry", "key", "value"},
    **{
        f"profiler_failure_broken_{what}": {"file", "reason"}
        for what in ("trace", "database", "flight", "json")
    },
    "profiler_failure_large_database": {"file", "most"},
    **{f"profiler_failure_no_{what}": {"file", "reason"} for what in ("perfetto", "pprof")},
    **{f"profiler_failure_{what}_too_large": {"file", "most"} for what in ("json", "pprof")},
    "profiler_failure_samples_too_large": {"file", "name"},
    "profiler_failure_stacks_too_large": {"file", "count", "most"},
    "profiler_failure_speedscope_broken": {"file", "count", "reason"},
    "profiler_failure_no_track_events": {"file", "count"},
    "profiler_failure_snapshot_events": set(),
    **{
        f"profiler_failure_snapshot_{code}": {"file", "place", "operation"}
        for code in ("damaged", "runs_code")
    },
    "profiler_failure_events_not_read": {"file", "kinds", "count"},
    **{f"profiler_failure_{code}": set() for code in ("no_xplane", "nothing_readable", "out_of_memory")},
    **{f"profiler_failure_{code}": {"reason"} for code in ("not_kept", "reader_failed", "unreadable_file")},
    "profiler_failure_out_of_time": {"seconds"},
    "profiler_failure_reader_died": {"how"},
    **{f"profiler_slow_rank{cause}_change": {"rank"} for cause in ("", "_data", "_host", "_more")},
    **{key.removeprefix("reason."): set() for key in ADVICE if key.endswith("_why")},  # by titles
    "state_not_read": {"path", "cause"},
    "state_not_written": {"path", "cause"},
    "undecodable_record": {"run", "tag", "step", "index", "cause"},
    "table_not_a_number": {"name", "value", "more"},
    "table_not_a_number_more": {"name", "value", "more"},
}


def python_files() -> list[Path]:
    core = [*ROOT.glob("insight_core/**/*.py"), *ROOT.glob("insight_record/formats/*.py")]
    libraries = [*ROOT.glob("insight_layers/*.py"), *ROOT.glob("insight_log_tables/*.py")]
    return [*core, *libraries, *ROOT.glob("plugins/*/insight_*/**/*.py")]


def coded_reasons() -> Iterator[tuple[str, set[str] | None]]:
    """Each code in a call of ``Reason`` or ``ReasonKind``, or of ``said`` and ``change``, which make the
    reasons of the profiler's advice, and the names of its details; None where they are in a mapping."""
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            names = [keyword.arg for keyword in node.keywords]
            details = None if None in names else {str(name) for name in names}
            match getattr(node.func, "id", ""), node.args:
                case "Reason", [_, ast.Constant(value=str(code))]:
                    yield code, details
                case "ReasonKind", [ast.Constant(value=str(code)), ast.Constant(value=str(text)), *unsaid]:
                    yield code, set(ReasonKind(code, text, *map(ast.literal_eval, unsaid)).names)
                case "said", [ast.Constant(value=str(code))] if "insight_profiler" in path.parts:
                    yield from in_all_words(code, details)
                case "", [ast.Constant(value=str(code))] if getattr(node.func, "attr", "") == "change":
                    yield from in_all_words(code, details)


ENDINGS = sorted({end for one in DIALECTS for end in (one.ending, one.replaces)} - {""})


def is_in(sources: str, code: str) -> bool:
    """Whether a code is a string of the sources, or one of advice is without what comes before and after."""
    plain = re.sub(rf"_({'|'.join(ENDINGS)})$", "", code)
    names = {code, code.removeprefix("profiler_"), plain.removeprefix("profiler_")}
    is_reason = f"reason.{plain}" in ADVICE and plain.endswith("_why")  # found by the title
    return is_reason or any(f'"{name}"' in sources for name in names)


def in_all_words(code: str, details: set[str] | None) -> Iterator[tuple[str, set[str] | None]]:
    """A text of advice, and those that say the same in the words of other frameworks and devices."""
    yield f"profiler_{code}", details
    for ending in ENDINGS:
        if f"reason.profiler_{code}_{ending}" in ADVICE:
            yield f"profiler_{code}_{ending}", details


def texts_of_reasons(path: Path) -> dict[str, str]:
    every = Messages.read("zh-CN", path).texts
    return {key: text for key, text in every.items() if key.startswith("reason.")}


def test_every_code_has_a_text_in_chinese_that_names_no_other_details() -> None:
    texts: dict[str, str] = {}
    for path in CATALOGUES:
        found = texts_of_reasons(path)
        assert not texts.keys() & found.keys(), path
        texts |= found
    texts = {**texts_of_reasons(PAGE), **texts}  # tabs may say more
    known = {**dict(coded_reasons()), **BUILT}
    assert {f"reason.{code}" for code in known} <= texts.keys()
    sources = "".join(path.read_text(encoding="utf-8") for path in python_files())
    of_the_page = {"malformed", "offline"}  # an answer that is not JSON, or none
    others = {key.removeprefix("reason.") for key in texts} - known.keys() - of_the_page - SYSTEM
    assert [code for code in others if not is_in(sources, code)] == [], "nothing has these codes"
    for code, details in known.items():
        wanted = set(re.findall(r"\{(\w+)\}", texts[f"reason.{code}"]))
        assert details is None or wanted <= details | {"text"}, code  # the server's own text


def errors_without_reason() -> Iterator[tuple[Path, int, str | None]]:
    """Each error of the plugin API that is made with a text of its own: file, line, and its code."""
    kinds = {"NotFound", "InvalidArgument", "TooLarge", "Unavailable", "Undecodable"}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in kinds or not node.args:
                continue
            if isinstance(call := node.args[0], ast.Call):
                name = getattr(call.func, "id", "")
                if name == "Reason" or name.isupper():  # the kinds of reasons
                    continue
            code = next((each.value for each in node.keywords if each.arg == "code"), None)
            yield path, node.lineno, str(code.value) if isinstance(code, ast.Constant) else None


def test_every_code_of_an_error_has_a_text_in_chinese() -> None:
    texts = {key for path in [PAGE, *CATALOGUES] for key in texts_of_reasons(path)}
    codes = {code for _, _, code in errors_without_reason() if code is not None}
    assert "many_streams" in codes
    assert sorted(code for code in codes if f"reason.{code}" not in texts) == []


def test_errors_that_routes_of_plugins_share_have_a_code() -> None:
    shared = ROOT / "insight_core/plugin/http"
    plain = [f"{path}:{line}" for path, line, code in errors_without_reason() if code is None]
    assert [place for place in plain if place.startswith(str(shared))] == []


def test_what_readers_cannot_read_has_a_code() -> None:
    plain = [
        f"{path.name}:{node.lineno}"
        for path in READERS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise)
        and isinstance(call := node.exc, ast.Call)
        and getattr(call.func, "id", "") in {"ValueError", "Malformed", "Undecodable", "Unavailable"}
        and (not call.args or isinstance(call.args[0], ast.Constant | ast.JoinedStr))
    ]
    assert plain == []


def test_an_error_of_the_system_has_its_own_code_and_other_texts_stay() -> None:
    denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/log")
    assert system_reason(denied).fields() == {"error": "Permission denied", "code": "system_eacces"}
    assert unreadable(denied).details["cause"] == system_reason(denied)
    assert system_reason(OSError(errno.EAGAIN, "it is locked")).fields() == {"error": "it is locked"}
    assert system_reason(OSError(CUT_MEANWHILE)).code == "file_cut"
    assert system_reason(OSError(7777, "odd")).fields() == {"error": "odd"}


@pytest.mark.parametrize(
    "reason",
    [
        Reason("plain"),
        Reason("with\0zero"),
        Reason("a text", "code"),
        Reason("a text\n", "code", line=3, name="é\udc80", cause=Reason("why", "deeper", at=[1, 2])),
    ],
)
def test_what_is_stored_of_a_reason_makes_it_again(reason: Reason) -> None:
    again = Reason.restored(reason.stored())
    assert again.fields() == reason.fields()
    assert pickle.loads(pickle.dumps(reason)).fields() == reason.fields()


def test_a_detail_that_json_cannot_hold_is_its_text_and_costs_no_list_of_damage() -> None:
    around: list[object] = []
    around.append(around)
    reason = Reason("text", "mine_odd", file=Path("a/b"), names={(1, 2): 3}, around=around, number=math.nan)
    details = {"file": "a/b", "names": "{(1, 2): 3}", "around": "[[...]]", "number": "NaN"}
    assert Reason.restored(reason.stored()).details == details
    received = damage_of(damage_message(Damage("run", "file", 0, reason)))
    assert Reason.of(received.reason).details == details


def test_messages_of_a_folder_are_the_texts_of_reasons_in_its_files(tmp_path: Path) -> None:
    (tmp_path / "zh-CN.json").write_text('{"title": "标题", "reason.m_saw": "看"}', encoding="utf-8")
    (tmp_path / "en.json").write_text('{"title": "Title"}', encoding="utf-8")
    assert list(Messages.of(tmp_path)) == [Messages("en", {}), Messages("zh-CN", {"reason.m_saw": "看"})]
    with pytest.raises(FileNotFoundError, match="zh-CN"):
        Messages.of(tmp_path / "none")
    groups = '{"page": {"title": "Title"}, "rules": {"reason.m_saw": "saw"}}'
    (tmp_path / "en.json").write_text(groups, encoding="utf-8")
    assert next(iter(Messages.of(tmp_path))) == Messages("en", {"reason.m_saw": "saw"})
    (tmp_path / "en.json").write_text("[]", encoding="utf-8")
    with pytest.raises(TypeError, match="not a mapping of strings"):
        Messages.of(tmp_path)


def test_messages_with_the_keys_of_the_last_release_are_kept_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="write 'reason.'") as warned:
        messages = Messages("zh-CN", {"error.m_old": "旧", "error.m_saw": "旧", "reason.m_saw": "看"})
    assert messages.texts == {"reason.m_old": "旧", "reason.m_saw": "看"}
    assert warned[0].filename == __file__


def test_an_answer_has_the_texts_of_its_codes_alone() -> None:
    given = [
        Messages("zh-CN", {"reason.m_saw": "看", "reason.m_cause": "因", "reason.m_other": "他"}),
        Messages("zh-CN", {"reason.m_saw": "second"}),
        Messages("en", {"reason.m_other": "other"}),
    ]
    reason = Reason("saw: why", "m_saw", causes=[Reason("why", "m_cause").fields()])
    answer = {"findings": [{"saw": reason.fields(), "code": 7, "tag": "m_other"}]}
    assert Messages.said_in(answer, given) == {"zh-CN": {"reason.m_saw": "看", "reason.m_cause": "因"}}


@pytest.mark.parametrize("texts", [["reason.a"], {"reason.a": 3}, {3: "text"}, [], "text", None])
def test_messages_of_a_plugin_are_texts_by_code(texts: object) -> None:
    with pytest.raises(TypeError, match="not a mapping of strings"):
        Messages("zh-CN", texts)  # type: ignore[arg-type]


def test_a_kind_of_reason_makes_its_english_text_from_the_details() -> None:
    saw = ReasonKind("calextra_saw", "{tag!r}: error {ece:.1f} of {{most}}, {size:,} bytes: {cause}", "most")
    cause = Reason("why", "deeper")
    made = saw(tag="acc", ece=0.25, size=12345, cause=cause, most=9)
    assert made == "'acc': error 0.2 of {most}, 12,345 bytes: why"
    assert (made.code, set(made.details)) == ("calextra_saw", {"tag", "ece", "size", "cause", "most"})
    assert made.details["cause"] is cause
    assert ReasonKind("mine", "it is odd")() == "it is odd"
    assert ReasonKind("mine", "{self} in {code}")(self=1, code=2) == "1 in 2"


def test_wrong_details_of_a_kind_of_reason_fail_at_once() -> None:
    saw = ReasonKind("calextra_saw", "{tag}: error {ece} at step {step}")
    with pytest.raises(TypeError, match=r"calextra_saw: ece, step \(missing\), stepp \(unknown\)"):
        saw(tag="acc", stepp=3)
    with pytest.raises(TypeError, match=r"run \(unknown\)"):
        saw(tag="acc", ece=1, step=3, run="a")
    for malformed in ("{}", "{0}", "{tag.name}", "{tag[0]}", "{tag", "{tag:{}}"):
        with pytest.raises(ValueError, match=r"is not the name|expected"):
            ReasonKind("mine", malformed)


def test_other_text_is_no_stored_reason() -> None:
    for text in ('a\0{"code": 3}', "a\0[]", 'a\0{"code": "b", "details": 7}', "a\0{"):
        with pytest.raises(ValueError, match=r"not a stored reason|Expecting"):
            Reason.restored(text)


def test_a_reason_keeps_its_code_through_the_errors_that_carry_it() -> None:
    reason = Reason("it is odd", "mine_odd", number=7)
    for error in (
        ValueError(reason),
        Undecodable(reason),
        InvalidArgument("it is odd", code="mine_odd", number=7),
    ):
        assert Reason.of(error).fields() == {
            "error": "it is odd",
            "code": "mine_odd",
            "details": {"number": 7},
        }
    assert Reason.of(ValueError("plain")).fields() == {"error": "plain"}
    assert (Undecodable(reason).code, Undecodable("plain").code) == ("mine_odd", "undecodable")


def test_a_cause_without_a_code_is_its_text_among_the_details() -> None:
    fields = Reason("failed: why", "failed_so", cause=Reason("why"), deeper=Reason("so", "code")).fields()
    assert fields["details"] == {"cause": "why", "deeper": {"error": "so", "code": "code"}}

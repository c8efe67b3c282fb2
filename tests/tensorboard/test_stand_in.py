"""What stands in for TensorBoard where it is not installed, and what plugins are told of the host."""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard import errors, plugin_util
from tensorboard.backend import http_util
from tensorboard.data.provider import RunTagFilter
from tensorboard.plugins import base_plugin
from tensorboard.plugins.scalar import metadata
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from insight_core.tensorboard.adapter import Refused
from insight_core.tensorboard.context import LogdirForPlugins, SamplingHints, plugin_flags
from insight_core.tensorboard.importing import COMPAT, has_tensorboard
from insight_core.tensorboard.requests import text_answer


def _request(**headers: str) -> Request:
    return Request(EnvironBuilder(headers=list(headers.items())).get_environ())


def test_a_directory_of_logs_is_not_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    before = has_tensorboard()
    (tmp_path / "tensorboard").mkdir()
    assert has_tensorboard() is before
    (tmp_path / "tensorboard/__init__.py").touch()
    assert has_tensorboard()


def test_what_is_no_text_can_be_refused() -> None:
    assert text_answer("no run \ud800", 404).get_data() == b"no run \\ud800"


def test_the_real_package_is_never_hidden(tmp_path: Path) -> None:
    """Not even where ours comes first, as in a child with another interpreter."""
    real = tmp_path / "tensorboard"
    (real / "plugins").mkdir(parents=True)
    (real / "__init__.py").write_text("real = True\n")
    (real / "plugins/__init__.py").write_text("real = True\n")
    program = "import tensorboard, tensorboard.plugins as plugins; print(tensorboard.real, plugins.real)"
    environment = os.environ | {"PYTHONPATH": f"{COMPAT}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout.strip() == "True True", done.stderr


def test_answers() -> None:
    answer = http_util.Respond(_request(), {"b": float("nan"), "a": {b"y", b"x"}}, "application/json")
    assert answer.get_data() == b'{"b": "NaN", "a": ["x", "y"]}'
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-cache, must-revalidate"
    page = http_util.Respond(_request(), "ü", "text/html", csp_scripts_sha256s=["abc="], expires=60)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "private, max-age=60"
    assert page.headers["Content-Security-Policy"].endswith("script-src 'self' 'unsafe-eval' 'sha256-abc='")
    packed = http_util.Respond(_request(**{"Accept-Encoding": "gzip"}), "text", "text/plain")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.get_data()) == b"text"
    for refusing in ("gzip;q=0", "br"):
        request = _request(**{"Accept-Encoding": refusing})
        plain = http_util.Respond(request, gzip.compress(b"x"), "text/plain", content_encoding="gzip")
        assert plain.get_data() == b"x"
        assert "Content-Encoding" not in plain.headers
    with pytest.raises(TypeError):
        http_util.Respond(_request(), 3, "text/plain")


@pytest.mark.parametrize(
    ("unsafe", "safe"),
    [
        ("<p>a &amp; b</p>", "<p>a &amp; b</p>"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ('<a href="javascript:x" title="t" onclick="y">l</a>', '<a title="t">l</a>'),
        ('<a href="java\nscript:x">l</a>', "<a>l</a>"),
        ('<img src="a.png" onerror="x">', '<img src="a.png">'),
        ("<em><strong>open", "<em><strong>open</strong></em>"),
        ("a</p>b", "ab"),
        ("</x<y> onfocus=z() autofocus <p>hello", "&lt;/x&lt;y&gt; onfocus=z() autofocus <p>hello</p>"),
        (b"1 < 2", "1 &lt; 2"),
    ],
)
def test_html_is_made_safe(unsafe: str | bytes, safe: str) -> None:
    assert plugin_util.safe_html(unsafe) == safe


def test_markdown_stays_text() -> None:
    assert plugin_util.markdown_to_safe_html("a **b**\n\n<script>") == "<p>a **b**</p>\n<p>&lt;script&gt;</p>"


def test_values() -> None:
    assert RunTagFilter(runs=["a", "a"]).runs == frozenset({"a"})
    for wrong in ("abc", [1]):
        with pytest.raises(TypeError):
            RunTagFilter(tags=wrong)  # type: ignore[arg-type]
    frontend = base_plugin.FrontendMetadata()
    assert (frontend.disable_reload, frontend.remove_dom, frontend.tab_name) == (False, False, None)
    refusal = errors.UnauthenticatedError(challenge="Digest")
    assert (str(refusal), refusal.headers) == ("Unauthenticated", [("WWW-Authenticate", "Digest")])
    assert metadata.create_summary_metadata("name", "text").plugin_data.plugin_name == "scalars"
    assert metadata.parse_plugin_metadata(b"").version == 0


def test_hints_of_nothing_are_every_point() -> None:
    hints = SamplingHints({"scalars": 7, "images": 0})
    assert hints
    assert hints.get("scalars", 1000) == 7
    assert hints.get("images", 10) > 1 << 32
    assert hints.get("text", 10) == hints["mesh"] > 1 << 32
    assert SamplingHints({})  # plugins say ``sampling_hints or {}``


def test_flags_of_plugins_do_not_collide() -> None:
    class Loader:
        def define_flags(self, parser: argparse.ArgumentParser) -> None:
            parser.add_argument("--logdir", default="mine")
            parser.add_argument("--depth", type=int, default=3)

        def fix_flags(self, flags: argparse.Namespace) -> None:
            flags.depth += 1

    for _ in range(2):
        flags, _ = plugin_flags(Loader(), {"logdir": "theirs"})
        assert (flags.logdir, flags.depth) == ("theirs", 4)
    assert plugin_flags(object(), {"logdir": "theirs"})[0].logdir == "theirs"  # a loader need not have any


def test_flags_of_plugins_as_the_user_sets_them() -> None:
    class Loader:
        def define_flags(self, parser: argparse.ArgumentParser) -> None:
            group = parser.add_argument_group("mine")
            group.add_argument("--depth", type=int, required=True)
            group.add_argument("--words", nargs="*", default=[])

    words = ["--depth", "3", "--depth_of_others", "4", "--words", "a b", "c", "-x"]
    flags, unknown = plugin_flags(Loader(), {}, words)
    assert (flags.depth, flags.words) == (3, ["a b", "c"])
    assert unknown == {"--depth_of_others", "-x"}
    with pytest.raises(Refused, match="required: --depth; set them with --plugin-flag="):
        plugin_flags(Loader(), {}, ["--words", "3"])
    with pytest.raises(Refused, match="invalid int value: 'deep'"):
        plugin_flags(Loader(), {}, ["--depth=deep"])


def test_several_logdirs_are_one_directory_of_links(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "run").mkdir(parents=True)
    one = LogdirForPlugins([("", str(tmp_path / "a"))])
    assert one.path == str(tmp_path / "a")
    several = LogdirForPlugins([("a", str(tmp_path / "a")), ("deep/b", str(tmp_path / "b"))])
    assert Path(several.path, "a/run").is_dir()
    assert Path(several.path, "deep/b/run").is_dir()
    several.close()
    assert not Path(several.path).exists()
    assert (tmp_path / "b/run").is_dir()
    assert LogdirForPlugins([]).path == ""

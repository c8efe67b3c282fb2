"""The context of plugins made for TensorBoard: flags, hints and a log directory."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

import pytest
from insight_tensorboard.hosted.adapter import Refused
from insight_tensorboard.hosted.context import LogdirForPlugins, SamplingHints, plugin_flags
from insight_tensorboard.hosted.discovery import has_tensorboard
from insight_tensorboard.hosted.requests import text_answer


def test_a_directory_of_logs_is_not_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    (tmp_path / "tensorboard").mkdir()
    assert not has_tensorboard()
    (tmp_path / "tensorboard/__init__.py").touch()
    importlib.invalidate_caches()
    assert has_tensorboard()


def test_what_is_no_text_can_be_refused() -> None:
    assert text_answer("no run \ud800", 404).get_data() == b"no run \\ud800"


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

"""A third-party package that uses every hook, installed by pip into an environment of its own."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from insight_core.plugin.testing import EventWriter
from tests.distributions import bare_venv
from tests.support.pictures import png
from tests.waiting import eventually

SETTINGS = "optimizer = adam\nrate = 0.1\n"


@pytest.fixture(scope="module")
def command(
    repository: Path,
    wheel_file: Path,
    record_wheel: Path,
    tmp_path_factory: pytest.TempPathFactory,
    offline_environment: dict[str, str],
) -> Path:
    """``insight-host`` of an environment into which pip has installed the wheel and a copy of the example."""
    place = tmp_path_factory.mktemp("extensions")
    copy = place / "copy"
    shutil.copytree(repository / "examples/insight-plugin-extensions", copy)
    python = bare_venv(place / "venv", offline_environment)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--force-reinstall"]
    subprocess.run(
        [python, "-m", "pip", "install", *options, record_wheel, wheel_file, copy],
        check=True,
        env=offline_environment,
    )
    shutil.rmtree(copy)
    return python.with_name("insight-host")


@pytest.fixture
def run(
    command: Path, offline_environment: dict[str, str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, *words], capture_output=True, text=True, env=offline_environment, timeout=60
        )

    return run


@pytest.fixture
def serve(command: Path, offline_environment: dict[str, str]) -> Iterator[Callable[..., str]]:
    """Starts the host and returns its address; it ends with the test."""
    processes = []

    def start(*words: str, env: Mapping[str, str] | None = None) -> str:
        process = subprocess.Popen(
            [command, "--port", "0", *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**offline_environment, **(env or {})},
        )
        processes.append(process)
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        return found.group()

    yield start
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0


def _get(url: str, path: str, **headers: str) -> Any:  # noqa: ANN401
    return urlopen(Request(url + path, headers=headers), timeout=60)


def _json(url: str, path: str, **query: object) -> Any:  # noqa: ANN401
    with _get(url, f"{path}?{urlencode(query)}") as answer:
        return json.load(answer)


def test_help_has_its_flag_and_its_command(run: Callable[..., Any]) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "flags of extensions" in done.stdout
    assert "--greeting" in done.stdout
    assert "greet by name" in done.stdout


def test_its_subcommand_gets_the_arguments(run: Callable[..., Any]) -> None:
    done = run("greet", "Ada", "Lovelace")
    assert (done.returncode, done.stdout) == (0, "Hello Ada Lovelace\n")


@pytest.mark.parametrize("by", ["flag", "variable"])
def test_its_location_its_column_and_its_middleware(serve: Callable[..., str], by: str) -> None:
    flags = ["--greeting", "hello"] if by == "flag" else []
    url = serve("--data-provider", "mem://3", *flags, env={} if flags else {"INSIGHT_HOST_GREETING": "hello"})
    with _get(url, "data/run_table?columns=all") as answer:
        table = json.load(answer)
        assert answer.headers["X-Greeting"] == "hello"
    assert [run["name"] for run in table["runs"]] == ["run1", "run2", "run3"]
    [column] = [each for each in table["columns"] if each["plugin"] == "extensions"]
    assert (column["name"], column["values"]) == ("length", [1, 2, 3])


def test_a_malformed_location_ends_the_start_with_its_reason(run: Callable[..., Any]) -> None:
    done = run("--data-provider", "mem://many")
    assert done.returncode == 1
    assert "'mem://many' is not of the form mem://RUNS" in done.stderr


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """One run with event files, a file of its log format and one of its decoder."""
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("accuracy", 0, 0.5)
    (tmp_path / "run/a.words").write_text("loss 0 1.5\nhello\nloss 1 0.5\nloss 2 0.2")
    (tmp_path / "run/b.settings").write_text(SETTINGS)
    return tmp_path


def _losses(url: str, points: int) -> dict[str, Any] | None:
    """The tag that the log format reads, once it has so many points."""
    loss = _json(url, "data/plugin/scalar/tags").get("run", {}).get("loss")
    return loss if loss and loss["points"] == points else None


def test_its_log_format_is_read_and_followed(serve: Callable[..., str], logdir: Path) -> None:
    url = serve("--logdir", str(logdir), "--reload-interval", "0.05")
    assert eventually(lambda: _losses(url, 2))["last_step"] == 1
    with (logdir / "run/a.words").open("a") as file:
        file.write("5\n")
    assert eventually(lambda: _losses(url, 3))["last_step"] == 2
    [damage] = _json(url, "data/damage")["damage"]
    assert damage["reason"] == "line 2 is not a tag, a step and a value"


def test_its_store_is_read_as_a_logdir(serve: Callable[..., str]) -> None:
    url = serve("--logdir", "sample://2")
    tags = eventually(lambda: len(found := _json(url, "data/plugin/scalar/tags")) == 2 and found)
    assert {run: own["loss"]["points"] for run, own in tags.items()} == {"run1": 2, "run2": 2}


def test_its_texts_in_chinese_are_installed_with_it(serve: Callable[..., str], logdir: Path) -> None:
    url = serve("--logdir", str(logdir))
    answer = eventually(lambda: (found := _json(url, "data/damage"))["damage"] and found)
    assert answer["messages"]["zh-CN"]["reason.extensions_line"].startswith("第 {line} 行")


def test_its_own_tests_pass(repository: Path, offline_environment: dict[str, str]) -> None:
    """Those that show authors the test client, and that each hook has an example."""
    source = repository / "examples/insight-plugin-extensions"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, env=offline_environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_texts_pictures_and_settings_are_in_the_built_in_tabs(
    serve: Callable[..., str], logdir: Path
) -> None:
    (logdir / "run/1.png").write_bytes(png([[0, 255]]))
    said = [
        {"settings": {"model": {"layers": 3}}},
        {"step": 4, "answer": "*yes*"},
        {"step": 4, "picture": "1.png"},
    ]
    (logdir / "run/answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in said))
    url = serve("--logdir", str(logdir), "--reload-interval", "0.05")
    tags = eventually(lambda: _json(url, "data/plugin/image/tags"))
    assert tags["run"]["picture"]["last_step"] == 4
    place = {"run": "run", "tag": "picture", "index": 0}
    [picture] = _json(url, "data/plugin/image/value", **place)["value"]["pictures"]
    assert (picture["mimetype"], picture["width"], picture["height"]) == ("image/png", 2, 1)
    [column] = _json(url, "data/run_columns", column="lineage/model/layers")["columns"]
    assert column["values"] == [3]


def test_its_decoder_is_called_by_the_host(serve: Callable[..., str], logdir: Path) -> None:
    url = serve("--logdir", str(logdir), "--reload-interval", "0.05")
    place = {"run": "run", "tag": "b.settings", "index": 0}
    eventually(lambda: _json(url, "data/plugin/extensions/tags"))
    assert _json(url, "data/plugin/extensions/value", **place)["value"] == [
        {"name": "optimizer", "value": "adam"},
        {"name": "rate", "value": "0.1"},
    ]
    with _get(url, f"data/plugin/extensions/blob?{urlencode(place)}", Range="bytes=12-15") as answer:
        assert answer.status == 206
        assert answer.headers["Content-Range"] == f"bytes 12-15/{len(SETTINGS)}"
        assert answer.read() == b"adam"

"""Flags, their aliases and environment variables to options."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from insight_tensorboard.hosted.settings import plugin_flag_words

from insight_core.cli.flag_types import without_token
from insight_core.cli.flags import COMMANDS, Options
from insight_core.cli.logdirs import cache_shares
from insight_core.cli.options import read_options
from insight_core.ingest.logdir import Logdir
from insight_core.machine import physical_memory


def options(*arguments: str, **environment: str) -> Options:
    return read_options(arguments, environment)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, **environment: str) -> str:
    """What is said about a command line that is wrong."""
    with pytest.raises(SystemExit) as ended:
        options(*arguments, **environment)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_defaults() -> None:
    assert options("--logdir", "logs") == Options(
        command="serve",
        logdir=("logs",),
        host="127.0.0.1",
        port=None,
        path_prefix="",
        reload_interval=1.0,
        samples_per_plugin={},
        cache_preset=None,
        cache_dir=None,
        cache=True,
        cache_size=None,
        max_memory=None,
        disable_plugin=(),
        window_title="",
        allowed_host=(),
        frame_ancestor=(),
        open=False,
        verbosity="warning",
        json=False,
        origins={"logdir": "--logdir"},
    )


def test_serve_may_be_said_or_not() -> None:
    assert options("serve", "--logdir", "a") == options("--logdir", "a")


def test_directories_need_no_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = options("--logdir", "./a", "--logdir", "name:b/", "--port", "1")
    assert options("./a", "name:b/", "--port", "1") == expected
    assert options("--port", "1", "./a", "name:b/") == expected
    assert options("--logdir", "./a", "--port", "1", "name:b/") == expected
    assert options("s3://bucket/runs") == options("--logdir", "s3://bucket/runs")
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "plugins"):  # the second one is a command, too
        (tmp_path / name).mkdir()
    assert options("mine") == options("--logdir", "mine")
    assert options("plugins").command == "plugins"


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--logdir", "a", "--logdir", "n:b"], "logdir", ("a", "n:b")),
        (["--summary-base-dir", "a"], "logdir", ("a",)),
        (["--summary_base_dir=a_b"], "logdir", ("a_b",)),
        (["--host", "0.0.0.0"], "host", "0.0.0.0"),
        (["--port=0"], "port", 0),
        (["--load", "Server"], "load", "server"),
        (["--path_prefix", "a/b/"], "path_prefix", "/a/b"),
        (["--url-path-prefix", "/a"], "path_prefix", "/a"),
        (["--path-prefix", "/"], "path_prefix", ""),
        (["--reload_interval", "0"], "reload_interval", 0.0),
        (["--reload-interval=2.5"], "reload_interval", 2.5),
        (["--samples_per_plugin", "a_b=1,c=0"], "samples_per_plugin", {"a_b": 1, "c": 0}),
        (["--samples-per-plugin=a=1", "--samples-per-plugin=a=2"], "samples_per_plugin", {"a": 2}),
        (["--cache-preset", "mindinsight"], "cache_preset", "mindinsight"),
        (["--cache-dir", "/c"], "cache_dir", "/c"),
        (["--no-cache"], "cache", False),
        (["--state_dir", "/s"], "state_dir", "/s"),
        (["--read-only"], "read_only", True),
        (["--cache-size", "4G"], "cache_size", 4 << 30),
        (["--max-memory", "4G"], "max_memory", 4 << 30),
        (["--max_memory=1.5k"], "max_memory", 1536),
        (["--max-memory", "512 MiB"], "max_memory", 512 << 20),
        (["--max-memory", "1000000"], "max_memory", 1_000_000),
        (["--disable-plugin", "a", "--disable_plugin", "b"], "disable_plugin", ("a", "b")),
        (["--window-title", "My --runs_1"], "window_title", "My --runs_1"),
        (["--watch-front-ends"], "watch_front_ends", True),
        (["--open"], "open", True),
        (["--verbosity", "DEBUG"], "verbosity", "debug"),
        (["--allowed-host", "a.example", "--allowed_host", "b"], "allowed_host", ("a.example", "b")),
        (
            ["--frame-ancestor", "https://*.a.example:*", "--frame-ancestor", "vscode-webview:"],
            "frame_ancestor",
            ("https://*.a.example:*", "vscode-webview:"),
        ),
    ],
)
def test_flags(arguments: list[str], name: str, value: object) -> None:
    assert getattr(options("--logdir", "z", *arguments), name) == (
        value if name != "logdir" else ("z", *value)  # type: ignore[misc]
    )


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("LOGDIR", "/a", "logdir", ("/a",)),
        ("LOGDIR", "/a,n:/b", "logdir", ("/a", "n:/b")),
        ("DATA_PROVIDER", "grpc://h:1", "data_provider", "grpc://h:1"),
        ("LOAD", "rust", "load", "rust"),
        ("HOST", "::1", "host", "::1"),
        ("PORT", "7007", "port", 7007),
        ("DATA_PROVIDER_TOKEN_FILE", "token", "data_provider_token_file", "token"),
        ("DATA_PROVIDER_CA", "ca.pem", "data_provider_ca", "ca.pem"),
        ("UNIX_SOCKET", "run/host", "unix_socket", "run/host"),
        ("TLS_CERT", "chain.pem", "tls_cert", "chain.pem"),
        ("TLS_KEY", "key.pem", "tls_key", "key.pem"),
        ("PATH_PREFIX", "x", "path_prefix", "/x"),
        ("RELOAD_INTERVAL", "0.5", "reload_interval", 0.5),
        ("SAMPLES_PER_PLUGIN", "image=1,scalar=2", "samples_per_plugin", {"image": 1, "scalar": 2}),
        ("FOLLOW_SYMLINKS", "yes", "follow_symlinks", True),
        ("FOLD", "no", "fold", False),
        ("CACHE_PRESET", "all", "cache_preset", "all"),
        ("CACHE_DIR", "c:d", "cache_dir", "c:d"),
        ("CACHE", "no", "cache", False),
        ("STATE_DIR", "s", "state_dir", "s"),
        ("READ_ONLY", "yes", "read_only", True),
        ("CACHE_SIZE", "2G", "cache_size", 2 << 30),
        ("MAX_MEMORY", "100kb", "max_memory", 100 << 10),
        ("PLUGIN", "a=b-c, d=e", "plugin", {"a": "b-c", "d": "e"}),
        ("DISABLE_PLUGIN", f"a{os.pathsep}b,c", "disable_plugin", ("a", "b", "c")),
        ("PLUGIN_FILE", f"{__file__}:{__file__}", "plugin_file", (__file__, __file__)),
        ("WINDOW_TITLE", "Runs, all", "window_title", "Runs, all"),
        ("WATCH_FRONT_ENDS", "1", "watch_front_ends", True),
        ("INSECURE", "1", "insecure", True),
        ("OPEN", "1", "open", True),
        ("OPEN", "no", "open", False),
        ("VERBOSITY", "info", "verbosity", "info"),
        ("ALLOWED_HOST", "a, b", "allowed_host", ("a", "b")),
        ("FRAME_ANCESTOR", "https://a, https://b:*", "frame_ancestor", ("https://a", "https://b:*")),
    ],
)
def test_variables(variable: str, text: str, name: str, value: object) -> None:
    logdir = {} if variable == "DATA_PROVIDER" else {"INSIGHT_HOST_LOGDIR": "z"}
    environment = {**logdir, f"INSIGHT_HOST_{variable}": text}
    read = options(**environment)
    assert getattr(read, name) == value
    assert read.origin(name) == f"INSIGHT_HOST_{variable}"


def test_every_flag_has_a_variable_that_was_tried_above() -> None:
    parameters = test_variables.pytestmark[0].args[1]  # type: ignore[attr-defined]
    tried = {f"INSIGHT_HOST_{parameter[0]}" for parameter in parameters}
    assert {flag.variable for flag in COMMANDS["serve"][0]} == tried


def test_the_source_that_a_flag_names_wins_over_that_of_a_variable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = options("--data-provider", "grpc://[::1]:80", INSIGHT_HOST_LOGDIR="z", INSIGHT_HOST_LOAD="rust")
    assert (server.data_provider, server.logdir, server.load) == ("grpc://[::1]:80", (), "inprocess")
    logs = options("--logdir", "z", INSIGHT_HOST_DATA_PROVIDER="grpc://h:1")
    assert (logs.data_provider, logs.logdir) == (None, ("z",))
    both = options(INSIGHT_HOST_LOGDIR="z", INSIGHT_HOST_DATA_PROVIDER="grpc://h:1")
    assert (both.data_provider, both.logdir) == ("grpc://h:1", ("z",))
    both = options("--logdir", "z", "--data-provider", "grpc://h:1", "--load", "server")
    assert (both.data_provider, both.logdir, both.load) == ("grpc://h:1", ("z",), "server")
    assert "--load" in refused(capsys, "--data-provider", "grpc://h:1", "--load", "server")


@pytest.mark.skipif(os.pathsep != ":", reason="drive letters have colons there")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("/a:/b", ("/a", "/b")),
        ("base:/a:other:/b", ("base:/a", "other:/b")),
        ("base:/a:/b", ("base:/a", "/b")),
        ("./a:b/c:d", ("./a", "b/c", "d")),
        ("..:/b", ("..", "/b")),
        ("a,", ("a",)),
    ],
)
def test_logdirs_in_a_variable(text: str, value: tuple[str, ...]) -> None:
    assert options(INSIGHT_HOST_LOGDIR=text).logdir == value


def test_flags_win_over_variables() -> None:
    read = options(
        "--logdir=flag",
        "--no-open",
        INSIGHT_HOST_LOGDIR="variable",
        INSIGHT_HOST_OPEN="yes",
        INSIGHT_HOST_PORT="1",
    )
    assert (read.logdir, read.open, read.port) == (("flag",), False, 1)
    assert read.origin("logdir") == "--logdir"


def test_an_empty_variable_is_none() -> None:
    assert options("--logdir=a", INSIGHT_HOST_PORT="").port is None


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("PORT", "http"),
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("RELOAD_INTERVAL", "soon"),
        ("RELOAD_INTERVAL", "-1"),
        ("RELOAD_INTERVAL", "nan"),
        ("RELOAD_INTERVAL", "inf"),
        ("SAMPLES_PER_PLUGIN", "image"),
        ("SAMPLES_PER_PLUGIN", "image=-1"),
        ("SAMPLES_PER_PLUGIN", "=1"),
        ("CACHE_PRESET", "some"),
        ("OPEN", "perhaps"),
        ("CACHE_SIZE", "much"),
        ("CACHE_SIZE", "50%"),
        ("MAX_MEMORY", "much"),
        ("MAX_MEMORY", "0"),
        ("MAX_MEMORY", "-1G"),
        ("MAX_MEMORY", "0%"),
        ("MAX_MEMORY", "4P"),
        ("VERBOSITY", "loud"),
        ("FRAME_ANCESTOR", "https://a/b"),
        ("FRAME_ANCESTOR", "'none'; x"),
        ("PATH_PREFIX", "/a b"),
        ("PATH_PREFIX", "/a/../b"),
        ("PATH_PREFIX", "/a?b"),
    ],
)
def test_bad_values_name_their_origin(capsys: pytest.CaptureFixture[str], variable: str, text: str) -> None:
    said = refused(capsys, "--logdir=a", **{f"INSIGHT_HOST_{variable}": text})
    assert f"INSIGHT_HOST_{variable}" in said
    assert text in said
    if variable == "OPEN":
        return  # as a flag it takes no value
    flag = f"--{variable.lower().replace('_', '-')}"
    said = refused(capsys, "--logdir=a", f"{flag}={text}")
    assert flag in said
    assert text in said


def test_a_logdir_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ([], ["serve"]):
        said = refused(capsys, *command)
        assert "insight-host runs/" in said
        assert "INSIGHT_HOST_LOGDIR" in said
    assert "is empty" in refused(capsys, "--logdir=")


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "insepct", "--logdir", "a")
    assert "insepct" in said
    assert "inspect" in said
    assert "demo" in said


def test_flags_are_not_abbreviated_nor_invented(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--log" in refused(capsys, "--log", "a")
    assert "--reload-threads" in refused(capsys, "--logdir=a", "--reload_threads")


@pytest.mark.parametrize(
    ("flag", "answer"),
    [
        ("--bind_all", "--host 0.0.0.0"),
        ("--logdir_spec=a:runs/a,b:runs/b", "--logdir NAME:DIR"),
        ("--inspect", "insight-host inspect DIR"),
        ("--load_fast=false", "nothing"),
    ],
)
def test_flags_of_tensorboard_are_answered_with_ours(
    capsys: pytest.CaptureFixture[str], flag: str, answer: str
) -> None:
    assert f"is a flag of TensorBoard; here: {answer}" in refused(capsys, "--logdir=a", flag)


def test_other_commands_look_at_their_own_variables_only() -> None:
    read = options("plugins", "--json", INSIGHT_HOST_PORT="bad")
    assert (read.command, read.json) == ("plugins", True)


def test_memory_as_a_share_of_the_machine() -> None:
    half, all_of_it = (options("--logdir=a", f"--max-memory={share}").max_memory for share in ("50%", "100%"))
    assert half is not None
    assert all_of_it == physical_memory() >= 1 << 20
    assert abs(2 * half - all_of_it) <= 2


def test_commands_of_two_words(capsys: pytest.CaptureFixture[str]) -> None:
    read = options("cache", "info", "--json", "--cache-dir=c", INSIGHT_HOST_LOGDIR="logs")
    assert (read.command, read.json, read.cache_dir) == ("cache info", True, "c")
    assert options("cache", "clear").command == "cache clear"
    said = refused(capsys, "cache", "empty")
    assert "'cache empty'" in said
    assert "cache info, cache clear" in said


def test_commands_of_plugins_are_a_group_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        options("plugin", "--help")
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(f"plugin {name} " in said for name in ("new", "build", "dev", "types"))
    assert "inspect" not in said
    assert "plugin new" in refused(capsys, "plugin")
    unknown = refused(capsys, "plugin", "knew")
    assert "'plugin knew'" in unknown
    assert "plugin new, plugin build" in unknown
    assert "inspect" not in unknown


def test_half_a_command_lists_what_may_follow(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "cache")
    assert all(
        f"{command} " in said and COMMANDS[command][1] in said for command in ("cache info", "cache clear")
    )
    assert "inspect" not in said
    assert "--json" in refused(capsys, "cache", "--json")
    with pytest.raises(SystemExit) as ended:
        options("cache", "--help")
    assert ended.value.code == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("command", [[], ["serve"], ["plugins"], ["cache", "clear"]])
def test_help_names_every_flag(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        options(*command, "--help")
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert all(f"--{flag.name}" in said for flag in COMMANDS[" ".join(command) or "serve"][0])


def test_flags_of_plugins_are_left_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    given = options("--logdir", "a", "--plugin-flag", "--my_depth 3", "--plugin-flag=--my_word='a b'")
    assert given.registry is not None
    words = given.registry.options["tensorboard-plugins"]["plugin_flag"]
    assert plugin_flag_words(words) == ["--my_depth", "3", "--my_word=a b"]
    assert "'depth 3' is not a flag such as '--name value'" in refused(
        capsys, "--logdir", "a", "--plugin-flag", "depth 3"
    )
    assert "has an open quotation" in refused(capsys, "--logdir", "a", "--plugin-flag=--a 'b")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("grpc://h:6806", "grpc://h:6806"),
        ("http://h:6006/a/?token=secret", "http://h:6006/a/"),
        ("http://h:6006/?token=secret&locale=zh", "http://h:6006/?locale=zh"),
        ("http://h:6006/?locale=zh&token=secret", "http://h:6006/?locale=zh"),
        ("lake:place?version=token", "lake:place?version=token"),
    ],
)
def test_notes_are_kept_under_a_location_without_its_token(given: str, kept: str) -> None:
    assert without_token(given) == kept


@pytest.mark.parametrize(
    ("places", "mirrors", "others"),
    [(["/logs"], 0, 4 << 30), (["/logs", "s3://bucket/logs"], 2 << 30, 2 << 30), ([], 0, 4 << 30)],
)
def test_all_caches_together_are_within_the_size_that_is_given(
    places: list[str], mirrors: int, others: int
) -> None:
    read = options("--logdir", "z", "--cache-size", "4G")
    assert cache_shares(read, [Logdir(place) for place in places]) == (mirrors, others)

"""One small example of each hook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import (
    AppSettings,
    Cell,
    Command,
    FileName,
    InvalidArgument,
    LogFormat,
    Messages,
    Option,
    Plugin,
    ProviderSettings,
    RecordDecoder,
    RemoteFiles,
    RunColumn,
    hookimpl,
)
from insight_core.plugin.data import DataProvider
from insight_core.plugin.findings import Needs, Rule
from insight_core.plugin.sql import QueryTable
from insight_extensions.findings import LONGEST, ZERO_RATE
from insight_extensions.tables import COLUMNS
from insight_extensions.words import looks_right, read

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name="extensions",
        title="Extensions",
        titles={"zh-CN": "扩展"},
        decoder=RecordDecoder(
            claims={FileName("*.settings")},
            decode="insight_extensions.settings:settings_of",
            encode="insight_extensions.settings:encoded",
        ),
        frontend=Path(__file__).parent / "static",
    )


@hookimpl
def insight_options() -> Iterable[Option]:
    return [Option("greeting", "text of the header X-Greeting (default: none)", default="", type=str)]


@hookimpl
def insight_commands() -> Iterable[Command]:
    def greet(arguments: Sequence[str]) -> int:
        print(f"Hello {' '.join(arguments) or 'world'}")
        return 0

    return [Command("greet", "greet by name", greet)]


@hookimpl
def insight_open_provider(location: str, settings: ProviderSettings) -> DataProvider | None:
    scheme, _, count = location.partition("://")
    if scheme != "mem":
        return None  # the host asks the next module
    if not count.isdecimal():
        raise InvalidArgument(f"{location!r} is not of the form mem://RUNS")
    from insight_extensions.memory import runs_in_memory

    return runs_in_memory(int(count))


@hookimpl
def insight_open_files(location: str) -> RemoteFiles | None:
    scheme, _, count = location.partition("://")
    if scheme != "sample":
        return None
    if not count.isdecimal():
        raise InvalidArgument(f"{location!r} is not of the form sample://RUNS")
    from insight_extensions.store import SampleFiles

    return SampleFiles(int(count))


@hookimpl
def insight_log_formats() -> Iterable[LogFormat]:
    return [
        LogFormat("words", FileName("*.words", makes_run=looks_right), read),
        LogFormat("answers", FileName("answers.jsonl", makes_run=False), "insight_extensions.answers:read"),
    ]


def _lengths(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
    """The largest number of points of a scalar series, by run."""
    longest: dict[str, int] = {}
    for info in data.series("scalar", runs=runs):
        longest[info.key.run] = max(longest.get(info.key.run, 0), info.points)
    return longest


@hookimpl
def insight_run_columns() -> Iterable[RunColumn]:
    return [RunColumn("length", "Length", _lengths, titles={"zh-CN": "长度"}, kind="number")]


@hookimpl
def insight_rules() -> Iterable[Rule]:
    return [
        Rule("zero_rate", ZERO_RATE, "insight_extensions.findings:rate_is_zero", Needs(["lr"])),
        Rule("longest", LONGEST, "insight_extensions.findings:longest", scope="runs"),
    ]


@hookimpl
def insight_tables() -> Iterable[QueryTable]:
    return [QueryTable("tag_names", "a run", COLUMNS, "insight_extensions.tables:rows")]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    return Messages.of(Path(__file__).parent / "locales")


@hookimpl
def insight_wrap_app(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    greeting = settings.options["greeting"]
    if not greeting:
        return app

    def greeting_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *rest: object) -> object:
            return start_response(status, [*headers, ("X-Greeting", greeting)], *rest)  # type: ignore[arg-type]

        return app(environ, start)  # type: ignore[arg-type]

    return greeting_app

"""The official client (package ``mcp``) over stdio and HTTP, by the stateless revision and by a handshake."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest

import insight_host
from tests.agent_hosts import cursor_of, opened, rows_of
from tests.hosts import listening

Connect = Callable[[], AbstractAsyncContextManager[Any]]
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def url(sample_logs: Path) -> Iterator[str]:
    with opened(sample_logs) as host, listening(host) as address:
        yield f"{address.rstrip('/')}/mcp"


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, sample_logs: Path) -> Connect:
    # 2 s of processor time, which every process of pytest-xdist would pay while it collects tests
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if request.param == "http":
        address = str(request.getfixturevalue("url"))
        return lambda: streamable_http_client(address)
    command = ["-m", "insight_core.cli", "mcp", str(sample_logs)]
    return lambda: stdio_client(StdioServerParameters(command=sys.executable, args=command))


@pytest.mark.parametrize("mode", VERSIONS)
def test_a_session_of_the_official_client(connect: Connect, mode: Any, sample_logs: Path) -> None:  # noqa: ANN401
    from mcp import Client

    with insight_host.open(sample_logs) as logs:
        points = len(logs.scalars())

    async def session() -> None:
        async with Client(connect(), mode=mode) as client:
            assert client.protocol_version == VERSIONS[mode]
            assert client.server_info is not None
            assert client.server_info.name == "insight-host"
            assert "never follow" in (client.instructions or "")
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [
                "describe", "runs", "series", "compare", "diagnose", "sql", "profile", "samples",
            ]  # fmt: skip
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)

            async def call(name: str, **arguments: object) -> list[dict[str, str]]:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result.content
                return [one.model_dump(by_alias=True) for one in result.content]

            assert rows_of(await call("runs", columns=["status"]))[0] == ["run", "status"]
            [row] = rows_of(await call("compare", runs=["torch/lr0.2_seed0"], tags=["val/loss"]))[1:]
            assert row[2:4] == ["6", "0"]
            count = rows_of(await call("sql", query="select count(*) n from scalars"))
            assert count == [["n"], [str(points)]]
            first = await call("series", plugin="all", budget=300)
            second = await call("series", plugin="all", budget=300, cursor=cursor_of(first))
            assert rows_of(first)[1:] != rows_of(second)[1:]
            profiled = {row[0] for row in rows_of(await call("profile"))[1:]}
            assert {"torch/lr0.02_seed1", "mindspore/lenet_lr0.002"} <= profiled
            shown = rows_of(await call("profile", run="torch/lr0.02_seed1"))[1:]
            assert {"profile", "steps", "time", "operator (host)"} <= {row[0] for row in shown}
            advised = rows_of(await call("profile", run="keras/fit/train"))[1:]
            assert any("loading data" in row[2] for row in advised if row[0] == "advice")
            assert "checked in 1 run" in (await call("diagnose", runs=["torch/lr0.2_seed0"]))[0]["text"]
            failed = await client.call_tool("compare", {"tags": ["los"]})
            assert failed.is_error
            assert "near: batch_loss" in str(failed.content)

    anyio.run(session)

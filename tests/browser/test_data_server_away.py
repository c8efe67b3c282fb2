"""The page while the data server behind the host is away, and when it is back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin.testing import EventWriter
from tests.browser.header import choose_in_page_menu
from tests.browser.waiting import until
from tests.waiting import eventually

pytestmark = pytest.mark.browser

StartServer = Callable[..., tuple[subprocess.Popen[bytes], int]]


@pytest.fixture
def data_server(tmp_path: Path) -> Iterator[StartServer]:
    """Starts ``insight-data-server`` for a logdir; returns the process and its port."""
    with ExitStack() as running:

        def start(logdir: Path, port: int = 0) -> tuple[subprocess.Popen[bytes], int]:
            port_file = tmp_path / "port"
            port_file.unlink(missing_ok=True)
            flags = [
                f"--logdir={logdir}",
                f"--port={port}",
                f"--port-file={port_file}",
                "--reload=0.1",
                "--no-cache",
            ]
            process = subprocess.Popen([sys.executable, "-m", "insight_core.cli.data_server", *flags])
            running.callback(process.wait)
            running.callback(process.kill)

            def listens() -> bool:
                assert process.poll() is None
                return port_file.exists() and port_file.read_text().endswith("\n")

            eventually(listens)
            return process, int(port_file.read_text())

        yield start


def test_what_is_shown_stays_and_new_data_comes_when_the_server_is_back(
    page: Page, serve: Callable[..., str], data_server: StartServer, tmp_path: Path
) -> None:
    logdir = tmp_path / "logs"
    with EventWriter(logdir / "run") as writer:
        for step in range(100):
            writer.scalar("loss", step, 1 / (step + 1))
        writer.flush()
        process, port = data_server(logdir)
        page.goto(serve("--data-provider", f"grpc://127.0.0.1:{port}"))
        card = page.locator('[data-testid="card"][data-tag="loss"]')
        shown = card.get_by_test_id("card-status")
        expect(shown).to_contain_text("100 points")
        expect(card.locator("[data-ready]")).to_be_visible()
        place = card.bounding_box()

        process.kill()
        process.wait()
        banner = page.get_by_role("status").filter(has_text="The data server does not respond")
        expect(banner).to_contain_text("does not answer")
        expect(page.locator("[data-live]")).to_have_attribute("data-live", "away")
        expect(page.locator('[data-run="run"]')).to_be_visible()
        until(page, lambda: card.bounding_box() == place)
        expect(shown).to_contain_text("100 points")
        page.reload()  # the host is there, the data are not
        expect(page.get_by_role("alert")).to_contain_text("does not answer")

        for step in range(100, 150):
            writer.scalar("loss", step, 1 / (step + 1))
    data_server(logdir, port)
    expect(shown).to_contain_text("150 points")
    expect(page.locator("[data-live]")).to_have_attribute("data-live", "live")
    expect(banner).to_have_count(0)


def test_a_restart_is_said_and_forgotten(
    page: Page, serve: Callable[..., str], data_server: StartServer, tmp_path: Path
) -> None:
    logdir = tmp_path / "logs"
    with EventWriter(logdir / "run") as writer:
        writer.scalar("loss", 1, 0.5)
    process, port = data_server(logdir)
    page.goto(serve("--data-provider", f"grpc://127.0.0.1:{port}"))
    expect(page.locator('[data-run="run"]')).to_be_visible()
    choose_in_page_menu(page, "locale-zh-CN")
    process.kill()
    process.wait()
    expect(page.get_by_role("status").filter(has_text="数据服务器没有响应")).to_be_visible()
    data_server(logdir, port)
    expect(page.locator(".ih-toast").filter(has_text="数据服务器已恢复")).to_be_visible()
    expect(page.locator('[data-run="run"]')).to_be_visible()

"""Real hosts that serve real files, and logdirs that several modules look at."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize

from tests.browser.images_page import write_pictures
from tests.browser.landscapes_page import bowls
from tests.browser.lineage_page import write_six_runs
from tests.browser.profiler_page import write_trace
from tests.browser.timeline_page import opened
from tests.waiting import PATIENCE

Serve = Callable[..., str]


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Starts `insight-host` with these arguments on a free port; returns its URL.

    What is said of runs is kept in a directory of the test, never in that of the user.
    """
    with _hosts(tmp_path_factory.mktemp("state")) as start:
        yield start


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """The same, for tests that only look: all that give the same arguments get the same host."""
    urls: dict[object, str] = {}
    with _hosts(tmp_path_factory.mktemp("state")) as start:

        def share(*arguments: str | Path, environment: dict[str, str] | None = None) -> str:
            key = (arguments, frozenset((environment or {}).items()))
            if key not in urls:
                urls[key] = start(*arguments, environment=environment)
            return urls[key]

        yield share


@contextmanager
def _hosts(place: Path) -> Iterator[Serve]:
    """What starts hosts that end together; their state is kept in ``place``, and what they complain of."""
    with ExitStack() as running:

        def start(*arguments: str | Path, environment: dict[str, str] | None = None) -> str:
            state = [] if "--state-dir" in arguments else ["--state-dir", str(place / "state")]
            said = (place / "said").open("a+", encoding="utf-8")
            running.enter_context(said)
            process = subprocess.Popen(
                [sys.executable, "-m", "insight_core.cli", "--port", "0", *map(str, arguments), *state],
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                env={**os.environ, **(environment or {})},
            )
            running.callback(_stop, process)
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.search(r"http://\S+", line):
                    return found.group()
            said.seek(0)
            raise AssertionError(f"insight-host printed no URL:\n{said.read()}")

        yield start


def _stop(process: subprocess.Popen[str]) -> None:
    with process:  # waits for it, and closes its pipe
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


@pytest.fixture(scope="session")
def violations(repository: Path) -> Callable[[Page], list[str]]:
    """Returns what axe finds on a page against WCAG 2.2 AA: rule, element, reason."""
    axe = (repository / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

    def check(page: Page) -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe)
        return list(
            page.evaluate(
                """async rules => {
                    const { violations } = await axe.run({ runOnly: rules, resultTypes: ['violations'] });
                    return violations.flatMap(({ id, nodes }) =>
                        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
                }""",
                rules,
            )
        )

    return check


@pytest.fixture(scope="module")
def every_tab(shared: Serve, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Starts a host of logs for every tab, also with alerts and the report ``sample``."""
    rules = tmp_path_factory.mktemp("rules") / "alerts.toml"
    old = "hours = 1e6\n"  # the sample logs are of any age
    rules.write_text(old + '[[rule]]\nname = "Any loss"\nwhen = "above"\nvalue = 0\ntag = "^train/loss$"\n')

    def start(*arguments: str) -> str:
        flags = ("--alerts", rules, "--allow-delete", *arguments)
        url = shared("--logdir", repository / "examples/every_tab", *flags)
        _save_report(url)
        return url

    return start


def _save_report(url: str) -> None:
    """Saves the report ``sample``, unless the host has it: text, and the card of a tag."""
    saved = urljoin(url, "data/saved/plugin/reports")
    with urlopen(saved) as answer:
        known = json.load(answer)
    if known["entries"]:
        return
    card = json.dumps({"plugin": "scalar", "card": "train/loss", "state": {}})
    entry = {"name": "sample", "value": {"text": f"# Sample\n\n```card\n{card}\n```\n"}, "version": None}
    headers = {"Origin": urljoin(url, "/").rstrip("/"), "X-Insight-Token": known["token"]}
    urlopen(Request(saved, json.dumps(entry).encode(), headers, method="PUT")).close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page on a phone; an uncaught error in it fails the test."""
    size: ViewportSize = {"width": 390, "height": 844}
    with browser.new_context(viewport=size, has_touch=True, is_mobile=True, locale="en-US") as context:
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
    assert errors == [], "uncaught errors in the page"


# Logdirs that are made once and only looked at.


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """See ``write_pictures``."""
    logs = tmp_path_factory.mktemp("pictures")
    write_pictures(logs)
    return logs


@pytest.fixture(scope="session")
def landscapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """See ``bowls``."""
    return bowls(tmp_path_factory.mktemp("landscapes"))


@pytest.fixture(scope="session")
def six_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """See ``write_six_runs``."""
    logs = tmp_path_factory.mktemp("six_runs")
    write_six_runs(logs)
    return logs


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One trace, see ``write_trace``."""
    logs = tmp_path_factory.mktemp("traced")
    write_trace(logs / "fast/host_1.1700000000000.pt.trace.json")
    return logs


@pytest.fixture
def touched(browser: Browser) -> Iterator[Page]:
    """A page on a touch screen."""
    with browser.new_context(has_touch=True, viewport={"width": 900, "height": 700}, locale="en-US") as made:
        yield made.new_page()


@pytest.fixture
def timeline(page: Page, shared: Serve, traced: Path) -> Locator:
    """The Profiler page with the timeline of that trace in front."""
    return opened(page, shared("--logdir", traced))

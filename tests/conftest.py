"""What tests share: the repository, the sample logs, an environment without this checkout, a browser."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import insight_scalar
import pytest

from insight_core.ingest import schedule as reading
from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from tests.distributions import bare_venv, built, copy_compiled, made_once, unpacked
from tests.support.tiers import changed_paths, mark_tiers
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ROOT = Path(__file__).parents[1]
_STAY = ("/playwright/driver/", "multiprocessing.resource_tracker", "multiprocessing.forkserver")


# How long one example takes says how busy the machine is, nothing about the code.
hypothesis.settings.register_profile("any machine", deadline=None)
hypothesis.settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kill-rounds", type=int, default=0, help="of tests that kill and damage")
    parser.addoption("--kill-seed", type=int, default=1, help="of what these tests do")
    parser.addoption("--fuzz-examples", type=int, default=60, help="of each fuzz target")
    parser.addoption("--fuzz-requests", type=int, default=2, help="of each route and kind of log")
    parser.addoption("--fuzz-mutants", type=int, default=60, help="changed log files")
    parser.addoption("--fuzz-seed", type=int, default=1, help="of these changes")


@pytest.hookimpl(tryfirst=True)  # before pytest's own selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only tests that drive a browser may run once more after a failure (``--reruns`` of `make test`)."""
    mark_tiers(items, _ROOT, changed_paths(_ROOT))
    for item in items:
        if item.get_closest_marker("browser") is None:
            item.add_marker(pytest.mark.flaky(reruns=0))


@pytest.fixture(scope="session", autouse=True)
def _environment_of_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hosts that tests start keep nothing in the user's directories, and have no tab but ours.

    TensorBoard's page and its projector are hosted where a test is about them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("xdg-state")))
        patch.setenv("INSIGHT_HOST_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("INSIGHT_HOST_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        patch.setenv("INSIGHT_HOST_DISABLE_PLUGIN", "projector,tensorboard")
        patch.setenv("INSIGHT_HOST_TOKEN", "0")  # tests of access ask for tokens
        yield


@pytest.fixture(scope="module", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    """What a module of tests starts ends with it: another's failure would be its fault."""
    before = _children()
    yield
    if (decoding := sys.modules.get("insight_core.worker.decoding")) is not None:
        decoding.end_decoders()  # these stay for a while
    ends = time.monotonic() + 30
    while left := {number: command for number, command in _children().items() if number not in before}:
        assert time.monotonic() < ends, f"left running: {left}"
        time.sleep(0.01)


def _children() -> dict[int, str]:
    """Commands of processes that this one has started, but for those that stay until it ends; by number."""
    found = {}
    for listed in Path("/proc/self/task").glob("*/children"):
        numbers: list[str] = []
        with suppress(FileNotFoundError, ProcessLookupError):  # of a thread that has ended
            numbers = listed.read_text().split()
        for number in numbers:
            with suppress(OSError):
                # nothing of one that has ended and was not waited for
                command = Path("/proc", number, "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if command and not any(name in command for name in _STAY):
                    found[int(number)] = command
    return found


@pytest.fixture(scope="session")
def repository() -> Path:
    return _ROOT


@pytest.fixture(scope="session")
def sample_logs(repository: Path) -> Path:
    """The committed logs of real runs; not to be written to."""
    return repository / "examples/logs"


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read one by one, however small they are."""
    monkeypatch.setattr(reading, "LARGEST", -1)


@pytest.fixture
def load() -> Iterator[Callable[..., LocalProvider]]:
    """Opens a provider of the scalars below a directory, loaded, or with ``live`` started."""
    opened = []

    def open_provider(logdir: Path, *, live: float = 0.0) -> LocalProvider:
        plugins = [insight_scalar.insight_plugin()]
        provider = LocalProvider([Logdir(str(logdir))], plugins, reload_interval=live)
        opened.append(provider)
        if live:
            provider.start()
        else:
            provider.load()
        return provider

    yield open_provider
    for provider in opened:
        provider.close()


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The browser of most tests of the page."""
    packages = "chromium-headless-shell fonts-noto-cjk"
    return _installed(packages, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def firefox() -> Path:
    return _installed("firefox-esr", "firefox-esr", "firefox")


def _installed(packages: str, *names: str) -> Path:
    """The first of these programs on PATH; without one, tests that need it are skipped, and fail in CI."""
    for name in names:
        if found := shutil.which(name):
            return Path(found)
    reason = f"no {names[0]} on PATH (Debian: `apt install {packages}`)"
    if os.environ.get("CI"):
        pytest.fail(f"{reason}, and browser tests must run in CI")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser(chromium: Path) -> Iterator[Browser]:
    """Headless Chromium; ``--no-sandbox`` because tests run as root in containers."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page, fresh profile, 1280 x 800, English, light; an uncaught error in it fails the test."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, locale="en-US", color_scheme="light", accept_downloads=True
    )
    context.set_default_timeout(1000 * PATIENCE)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == [], "uncaught errors in the page"


@pytest.fixture(scope="session")
def offline_environment() -> dict[str, str]:
    """Environment of subprocesses that must not find this checkout by PYTHONPATH, nor ask an index."""
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    environment.pop("PYTHONPATH", None)
    return environment


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory, offline_environment: dict[str, str]) -> Path:
    """Python of an environment with our dependencies but neither this checkout nor any plugin."""
    return bare_venv(tmp_path_factory.mktemp("bare") / "venv", offline_environment)


@pytest.fixture(scope="session")
def common_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that is the same for all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def sdist(repository: Path, common_directory: Path, offline_environment: dict[str, str]) -> Path:
    def make(out: Path) -> None:
        built(repository, out, "sdist", offline_environment)

    return made_once(common_directory / "sdist", make)


@pytest.fixture(scope="session")
def wheel_file(
    sdist: Path,
    repository: Path,
    common_directory: Path,
    tmp_path_factory: pytest.TempPathFactory,
    offline_environment: dict[str, str],
) -> Path:
    """Built from the sdist, as pip does, without Node.js; compiled modules are those of the checkout."""

    def make(out: Path) -> None:
        source = unpacked(sdist, tmp_path_factory.mktemp("source"))
        copy_compiled(repository, source)  # what is fresh is not compiled again
        environment = {**offline_environment, "PATH": os.path.dirname(sys.executable), "CC": "no-compiler"}
        built(source, out, "wheel", environment)

    return made_once(common_directory / "wheel", make)


@pytest.fixture(scope="session")
def record_wheel(repository: Path, common_directory: Path, offline_environment: dict[str, str]) -> Path:
    """The wheel of insight-record, on which that of the host depends; without a C compiler too."""

    def make(out: Path) -> None:
        built(repository / "insight_record", out, "wheel", {**offline_environment, "CC": "no-compiler"})

    return made_once(common_directory / "record_wheel", make)

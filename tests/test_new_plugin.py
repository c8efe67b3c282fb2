"""Plugins that ``insight-host plugin new`` writes, in an environment that has nothing but the wheel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from attrs import frozen
from playwright.sync_api import Page, expect

from insight_authoring.commands import types
from insight_authoring.node import WHEEL
from insight_authoring.scaffold import write_plugin
from tests.distributions import bare_venv
from tests.support.scaffold_lock import TEMPLATE, scaffold_lock
from tests.waiting import eventually

TEXTS = {"first": "one\ntwo\n", "second": "three\n"}


@frozen
class Author:
    """Somebody with the wheel, pip and npm, in a directory of their own."""

    python: Path
    directory: Path
    environment: dict[str, str]

    def run(self, *words: str | Path, status: int = 0) -> str:
        """Runs a command of the environment, or one on PATH; returns its output, errors included."""
        done = subprocess.run(
            words,
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def pip(self, *words: str | Path) -> None:
        """Installs from files only."""
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--force-reinstall"]
        self.run(self.python, "-m", "pip", "install", *options, *words)

    @contextmanager
    def serve(self, *words: str) -> Iterator[str]:
        """The address of a host that runs meanwhile."""
        command = [str(self.python.with_name("insight-host")), *words, "--logdir", "runs", "--port", "0"]
        environment = {**self.environment, "INSIGHT_HOST_TOKEN": "1"}  # the address has it
        with subprocess.Popen(
            command, cwd=self.directory, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                found = re.search(r"http://\S+", process.stdout.readline())
                assert found is not None
                yield found.group()
            finally:
                process.terminate()


@pytest.fixture(scope="module")
def author(
    wheel_file: Path,
    record_wheel: Path,
    tmp_path_factory: pytest.TempPathFactory,
    offline_environment: dict[str, str],
) -> Author:
    place = tmp_path_factory.mktemp("author")
    python = bare_venv(place / "venv", offline_environment)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    author = Author(python, place / "work", {**offline_environment, "PATH": path})
    author.directory.mkdir()
    author.pip(record_wheel, wheel_file)
    return author


@pytest.fixture(scope="module")
def made(author: Author) -> Author:
    """With a plugin of each kind, built and installed."""
    author.run("insight-host", "plugin", "new", "demo_tab")
    author.run("insight-host", "plugin", "new", "plain_tab", "--javascript")
    author.run("insight-host", "plugin", "build", "demo_tab")
    author.pip("./demo_tab", "./plain_tab")
    return author


@pytest.fixture(scope="module")
def logs(made: Author) -> Author:
    """With a logdir of two runs."""
    for run, text in TEXTS.items():
        for name in ("demo_tab", "plain_tab"):
            path = made.directory / "runs" / run / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def url(logs: Author) -> Iterator[str]:
    with logs.serve() as url:
        yield url


@pytest.mark.parametrize("name", ["demo_tab", "plain_tab"])
def test_its_tests_of_python_pass(made: Author, name: str) -> None:
    assert "1 passed" in made.run(made.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", name)


def test_its_tests_of_the_tab_pass(made: Author) -> None:
    assert re.search(r"Tests .*2 passed", made.run("npm", "--prefix", "demo_tab", "test", "--", "--no-color"))


@pytest.mark.parametrize("name", ["demo_tab", "plain_tab"])
def test_the_installed_package_holds_the_plugin_and_nothing_else(made: Author, name: str) -> None:
    script = f"import insight_{name} as m, pathlib; print(pathlib.Path(m.__file__).parent)"
    place = Path(made.run(made.python, "-c", script).strip())
    files = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.suffix != ".pyc"}
    expected = {"__init__.py", "decoder.py", "routes.py", "py.typed"}
    expected |= {"static", "static/index.js", "static/manifest.json"}
    if name == "demo_tab":
        expected |= {"locales", "locales/en.json", "locales/zh-CN.json"}
    assert files - {"__pycache__"} == expected
    manifest = json.loads((place / "static/manifest.json").read_text(encoding="utf-8"))
    source = re.sub(r"\s", "", (place / "static/index.js").read_text(encoding="utf-8"))
    assert set(manifest["imports"]) == set(re.findall(r"from[\"'`]([^\"'`]+)", source))


@pytest.mark.browser
@pytest.mark.parametrize("name", ["demo_tab", "plain_tab"])
def test_its_tab_has_a_slider_of_the_kit_and_the_colours_of_runs(page: Page, url: str, name: str) -> None:
    page.goto(f"{url}#locale=en&tab={name}")
    panel = page.locator(f'[data-plugin="{name}"]')
    expect(panel.locator("article p")).to_have_text(["one", "three"])
    colors = panel.locator("article").evaluate_all(
        "items => items.map(item => getComputedStyle(item).borderLeftColor)"
    )
    assert len({*colors}) == 2
    panel.locator('[data-control="line"]').fill("2")
    expect(panel.locator("article p")).to_have_text(["two", ""])
    assert f"{name}.line=2" in page.url


@pytest.mark.browser
def test_dev_shows_each_save_of_both_halves_in_the_page_that_is_open(page: Page, logs: Author) -> None:
    with logs.serve("plugin", "dev", "demo_tab") as url:
        page.goto(f"{url}#locale=en&tab=demo_tab&demo_tab.line=2")
        panel = page.locator('[data-plugin="demo_tab"]')
        expect(panel.locator("article p")).to_have_text(["two", ""])
        page.evaluate("() => { window.still = true; }")
        _edit(logs.directory / "demo_tab/frontend/index.tsx", "<h3>", "<h3>saved: ")
        expect(panel.locator("h3")).to_have_text(["saved: first", "saved: second"])
        expect(panel.locator("article p")).to_have_text(["two", ""])  # the line is in the URL
        decoder = logs.directory / "demo_tab/insight_demo_tab/decoder.py"
        _edit(decoder, ".decode()", ".decode().upper()")
        expect(panel.locator("article p")).to_have_text(["TWO", ""])
        assert page.evaluate("() => window.still")
    _edit(decoder, ".decode().upper()", ".decode()")  # other tests run those of the plugin


@pytest.mark.browser
def test_dev_shows_a_plugin_of_plain_javascript_that_is_not_installed(page: Page, logs: Author) -> None:
    logs.run("insight-host", "plugin", "new", "live_tab", "--javascript")
    (logs.directory / "runs/first/live_tab.txt").write_text("alive", encoding="utf-8")
    with logs.serve("plugin", "dev", "live_tab") as url:
        page.goto(f"{url}#locale=en&tab=live_tab")
        panel = page.locator('[data-plugin="live_tab"]')
        expect(panel.locator("article p")).to_have_text(["alive"])
        expect(panel.get_by_role("toolbar")).to_have_css("display", "flex")  # the styles of the kit are there
        _edit(logs.directory / "live_tab/insight_live_tab/static/index.js", "<h3>", "<h3>saved: ")
        expect(panel.locator("h3")).to_have_text(["saved: first"])


def test_dev_ends_with_the_status_of_a_host_that_does_not_start(logs: Author) -> None:
    output = logs.run("insight-host", "plugin", "dev", "plain_tab", "--no-such-flag", status=2)
    assert "unrecognized arguments: --no-such-flag" in output
    assert "pyproject.toml: No such file" in logs.run("insight-host", "plugin", "dev", "runs", status=1)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_editors_of_plain_javascript_know_the_types_of_the_page(tmp_path: Path, repository: Path) -> None:
    plugin = write_plugin("typed_tab", tmp_path, javascript=True)
    command = [
        "node",
        str(repository / "node_modules/typescript/bin/tsc"),
        "-p",
        str(plugin / "jsconfig.json"),
    ]
    check = partial(subprocess.run, [*command, "--allowJs"], capture_output=True, text=True)
    done = check()
    assert done.returncode == 0, done.stdout
    wrong = "// @ts-check\nimport { valueText } from '@insight-host/kit';\nvalueText('no number');\n"
    (plugin / "insight_typed_tab/static/wrong.js").write_text(wrong)
    assert "wrong.js(3,11): error TS2345" in check().stdout
    shutil.rmtree(plugin / ".insight-host")
    assert types([str(plugin)], "") == 0
    assert "error TS2345" in check().stdout


def test_types_gives_it_the_packages_of_the_installed_host(made: Author) -> None:
    packages = made.directory / "demo_tab/.insight-host"
    unpacked = made.directory / "older"
    with tarfile.open(packages / "kit.tgz") as packed:
        packed.extractall(unpacked, filter="data")
    readme = unpacked / "package/README.md"
    readme.write_text("of an older host", encoding="utf-8")
    installed = made.directory / "demo_tab/node_modules/@insight-host/kit/README.md"
    now = installed.read_text(encoding="utf-8")
    newest = (packages / "kit.tgz").read_bytes()
    made.run("tar", "-czf", packages / "kit.tgz", "-C", unpacked, "package")
    made.run("insight-host", "plugin", "types", "demo_tab")
    assert (packages / "kit.tgz").read_bytes() == newest
    assert installed.read_text(encoding="utf-8") == now
    (installed.parents[2] / ".package-lock.json").unlink()
    shutil.rmtree(installed.parents[1])
    made.run("insight-host", "plugin", "build", "demo_tab")  # as npm finds the checksums in its lock file
    assert installed.read_text(encoding="utf-8") == now


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("taken", "taken: File exists"),
        ("scalar", "is the name of an installed plugin"),
        ("core", "is the name of an installed plugin or package"),
        ("pr_curves", "is the name of an installed plugin"),
        ("../outside", "cannot name a plugin"),
        ("Upper", "cannot name a plugin"),
        ("a-b", "cannot name a plugin"),
    ],
)
def test_a_name_that_cannot_be_used_writes_nothing(made: Author, name: str, reason: str) -> None:
    (made.directory / "taken").mkdir(exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in made.directory.parent.glob("*/*")}
    assert reason in made.run("insight-host", "plugin", "new", name, status=1)
    assert {path: path.stat().st_mtime_ns for path in made.directory.parent.glob("*/*")} == before


def test_check_finds_a_wrong_type_in_the_tab_and_nothing_in_what_new_wrote(made: Author) -> None:
    assert "no faults in demo_tab" in made.run("insight-host", "plugin", "check", "demo_tab")
    shutil.copytree(made.directory / "demo_tab", made.directory / "wrong_tab", symlinks=True)
    _edit(made.directory / "wrong_tab/frontend/index.tsx", "low={1}", 'low="one"')
    said = made.run("insight-host", "plugin", "check", "wrong_tab", status=1)
    assert re.search(r"types: frontend/index.tsx\(\d+,\d+\): error TS2322", said)
    assert "1 fault in wrong_tab" in said


@pytest.mark.parametrize("name", ["demo_tab", "plain_tab"])
def test_the_commands_of_its_workflow_pass(made: Author, name: str) -> None:
    plugin = made.directory / name
    workflow = (plugin / ".github/workflows/test.yml").read_text(encoding="utf-8")
    install, *commands = re.findall(r"^ +- run: (.+)$", workflow, re.MULTILINE)
    assert install.startswith("pip install ")
    assert ("npm test" in commands) is (plugin / "package.json").is_file()
    for command in commands:
        made.run("sh", "-c", f"cd {name} && {command}")


def test_npm_installs_the_locked_versions_and_keeps_the_lock_file(made: Author) -> None:
    made.run("insight-host", "plugin", "new", "fresh_tab")
    lock = made.directory / "fresh_tab/package-lock.json"
    before = lock.read_text(encoding="utf-8")
    made.run("npm", "--prefix", "fresh_tab", "ci", "--ignore-scripts", "--prefer-offline")
    made.run("insight-host", "plugin", "build", "fresh_tab")
    assert lock.read_text(encoding="utf-8") == before


def test_the_lock_of_the_template_is_made_of_that_of_the_repository(repository: Path, tmp_path: Path) -> None:
    kept = (repository / TEMPLATE).read_text(encoding="utf-8")
    assert scaffold_lock(repository, tmp_path) == kept, "run python -m tests.support.scaffold_lock"
    packages = json.loads(kept)["packages"].items()
    places = {name: one["resolved"] for name, one in packages if "resolved" in one}
    assert set(places.values()) == {"file:.insight-host/api.tgz", "file:.insight-host/kit.tgz"}


def test_dev_says_wrong_types_and_builds_what_can_be_read(logs: Author) -> None:
    shutil.copytree(logs.directory / "demo_tab", logs.directory / "seen_tab", symlinks=True)
    plugin = logs.directory / "seen_tab"
    built = plugin / "insight_demo_tab/static/index.js"
    _edit(plugin / "frontend/index.tsx", "low={1}", 'low="one"')
    command = [str(logs.python.with_name("insight-host")), "plugin", "dev", "seen_tab", "--logdir", "runs"]
    with subprocess.Popen(
        [*command, "--port", "0"],
        cwd=logs.directory,
        env=logs.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        late = threading.Timer(120, process.terminate)
        late.start()
        try:
            assert process.stderr is not None
            wrong = next(line for line in process.stderr if line.startswith("types: "))
            assert re.match(r"types: frontend/index.tsx\(\d+,\d+\): error TS2322: ", wrong)
            _edit(plugin / "frontend/index.tsx", 'low="one"', "low={1}")
            assert "types: no errors left\n" in process.stderr
            eventually(lambda: "function linesOf(page) {\n" in _text(built))  # Vite is another process
            eventually(lambda: "//# sourceMappingURL=data:application/json" in _text(built))
        finally:
            late.cancel()
            process.terminate()


def test_build_of_another_directory_names_what_is_missing(made: Author) -> None:
    assert "runs has no package.json" in made.run("insight-host", "plugin", "build", "runs", status=1)


def test_versions_of_the_template_are_those_of_our_own_tabs(repository: Path) -> None:
    ours = json.loads((repository / "package.json").read_text(encoding="utf-8"))
    ours = ours["dependencies"] | ours["devDependencies"]
    templates = repository / "insight_authoring/templates"
    theirs = json.loads((templates / "tsx/package.json.template").read_text(encoding="utf-8"))[
        "devDependencies"
    ]
    found = {name: bounds for name, bounds in theirs.items() if not bounds.startswith("file:")}
    assert found == {name: ours[name] for name in found}
    build = (repository / "hatch_build.py").read_text(encoding="utf-8")
    assert f'NODE_WHEEL = "{WHEEL}"' in build
    project = tomllib.loads(
        (templates / "python/pyproject.toml.template").read_text(encoding="utf-8").replace("@", "a")
    )
    built = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert set(project["build-system"]["requires"]) <= set(built["requires"])

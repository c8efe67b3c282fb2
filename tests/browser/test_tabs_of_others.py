"""Tabs of others: built from the npm packages in the wheel alone, or in plain JavaScript without a build."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from insight_core.plugin import Plugin
from insight_core.plugin.testing import EventWriter, FakeProvider
from tests.browser.npm_packages import add_packages
from tests.browser.waiting import until
from tests.distributions import install
from tests.hosts import served

pytestmark = pytest.mark.browser

SOURCES = {
    "package.json": '{"private": true, "type": "module"}',
    "tsconfig.json": json.dumps(
        {
            "compilerOptions": {
                "target": "ES2022",
                "lib": ["ES2023", "DOM", "DOM.Iterable"],
                "module": "ESNext",
                "moduleResolution": "bundler",
                "jsx": "react-jsx",
                "jsxImportSource": "preact",
                "strict": True,
                "exactOptionalPropertyTypes": True,
                "noUncheckedIndexedAccess": True,
                "noEmit": True,
                "types": [],
            },
            "include": ["frontend"],
        }
    ),
    "vite.config.js": """
        import { insightPlugin } from '@insight-host/kit/build';
        export default insightPlugin({ entry: 'frontend/index.tsx', out: 'static' });
    """,
    "frontend/index.tsx": """
        import { codecs, Page, PluginCards, Range, tab } from '@insight-host/kit';
        import { mountLineChart } from '@insight-host/kit/lines';
        import type { JSX } from 'preact';
        import { useEffect, useRef } from 'preact/hooks';
        import { rows } from './rows';

        const wordsOf = (page: Page) => ({
          page,
          size: page.setting('size', codecs.number(0, 10, 4)),
          contributed: page.follow(page.ctx.contributed),
          open: page.setting('cards', codecs.flag(true)),
        });
        type Words = ReturnType<typeof wordsOf>;

        function Curve({ page }: { readonly page: Page }): JSX.Element {
          const host = useRef<HTMLDivElement>(null);
          const [theme, locale, runs] = [page.theme.value, page.locale.value, page.runs.value];
          useEffect(() => {
            if (!host.current) return;
            const lines = runs.map((run) => ({ id: run.name, label: run.name, color: run.color, ...rows }));
            const chart = mountLineChart(host.current, {
              lines, theme, locale, xKind: "step", xLabel: "x", yLabel: "y", title: "t", description: "d",
            });
            return () => chart.dispose();
          }, [theme, locale, runs]);
          return <div class="curve" ref={host} style="height: 200px" />;
        }

        const App = ({ board }: { readonly board: Words }): JSX.Element => (
          <div class="kit words">
            <Range name="size" label="Size" setting={board.size} low={0} high={10} step={1} />
            <ul>{board.page.runs.value.map((run) => <li style={{ color: run.color }}>{run.name}</li>)}</ul>
            <output>{board.size.value}</output>
            <Curve page={board.page} />
            <PluginCards page={board.page} cards={board.contributed.value.cards} open={board.open} />
          </div>
        );

        export default tab({
          messages: { en: {}, 'zh-CN': {} },
          styles: '.words { padding: 8px }',
          board: wordsOf,
          view: (board) => <App board={board} />,
          keys: () => [],
        });
    """,
    "frontend/rows.ts": "export const rows = { x: [0, 1, 2], y: [3, 1, 2] };",
}

STUCK = "export default { apiVersion: 2, mount: () => new Promise(() => undefined) };"

PLAIN = """
    import { API } from '@insight-host/api';
    import { codecs, Page, Range } from '@insight-host/kit';
    import { html } from '@insight-host/kit/html';
    import { render } from 'preact';

    const wordsOf = (page) => ({ page, size: page.setting('size', codecs.number(0, 10, 4)) });
    const App = ({ board }) => html`<div class="kit">
      <${Range} name="size" label="Size" setting=${board.size} low=${0} high=${10} step=${1} />
      <ul>${board.page.runs.value.map((run) => html`<li style=${{ color: run.color }}>${run.name}</li>`)}</ul>
      <output>${board.size.value}</output>
    </div>`;

    export default {
      apiVersion: API,
      mount(host, ctx) {
        const page = new Page(ctx);
        render(html`<${App} board=${wordsOf(page)} />`, host);
        return () => {
          render(null, host);
          page.dispose();
        };
      },
    };
"""


# A distribution that adds to the page and has no tab: all sources of its front end are these.
WITHOUT_TAB = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
        [project]
        name = "insight-plugin-clock"
        version = "1"
        [project.entry-points."insight.plugins"]
        clock = "insight_clock"
        [tool.hatch.build.targets.wheel]
        packages = ["insight_clock"]
        artifacts = ["insight_clock/static/**"]
    """,
    "insight_clock/__init__.py": """
from pathlib import Path

from insight_core.plugin import Plugin, hookimpl


@hookimpl
def insight_plugin():
    return Plugin("clock", "Clock", frontend=Path(__file__).parent / "static", tab=False)
""",
    "package.json": SOURCES["package.json"],
    "tsconfig.json": SOURCES["tsconfig.json"],
    "vite.config.js": """
        import { insightPlugin } from '@insight-host/kit/build';
        export default insightPlugin({ entry: 'frontend/contributions.tsx', out: 'insight_clock/static' });
    """,
    "frontend/contributions.tsx": """
        import { API, type Contributions } from '@insight-host/api';
        import { Page } from '@insight-host/kit';
        import { render } from 'preact';

        const Runs = ({ page }: { readonly page: Page }) => (
          <p>{page.runs.value.map((run) => run.name).join()}</p>
        );

        export default {
          apiVersion: API,
          messages: { en: { card: 'Clock' }, 'zh-CN': { card: '时钟' } },
          cards: [
            {
              id: 'clock',
              title: 'card',
              tabs: ['scalar', 'words'],
              mount(host, ctx) {
                const page = new Page(ctx);
                render(<Runs page={page} />, host);
                return () => page.dispose();
              },
            },
          ],
        } satisfies Contributions;
    """,
}


def _written(root: Path, sources: dict[str, str]) -> Path:
    for name, text in sources.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A plugin's front end outside the repository, with the packages of the wheel next to Vite and Preact."""
    root = tmp_path_factory.mktemp("words")
    add_packages(root, repository)
    return _written(root, SOURCES)


def _node(project: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["node", f"node_modules/{script}", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(project: Path) -> Path:
    done = _node(project, "vite/bin/vite.js", "build")
    assert done.returncode == 0, done.stdout + done.stderr
    return project / "static"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    (tmp_path / "index.js").write_text(PLAIN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def host(built: Path, plain: Path, clock: Path) -> Iterator[str]:
    provider = FakeProvider("some/logs")
    for run in ("a", "b"):
        provider.add_scalars(run, "loss", [3.0, 2.0])
    stuck = plain / "stuck"
    stuck.mkdir()
    (stuck / "index.js").write_text(STUCK, encoding="utf-8")
    plugins = [
        Plugin("words", "Words", frontend=built, is_active=lambda ctx: True),
        Plugin("plain", "Plain", frontend=plain, is_active=lambda ctx: True),
        Plugin("stuck", "Stuck", titles={"zh-CN": "卡住"}, frontend=stuck, is_active=lambda ctx: True),
        Plugin("clock", "Clock", frontend=clock / "insight_clock/static", tab=False),
    ]
    with served(provider, plugins) as url:
        yield url


def test_the_types_of_the_packages_are_whole(project: Path) -> None:
    done = _node(project, "typescript/bin/tsc", "-p", ".")
    assert done.returncode == 0, done.stdout


def test_what_the_page_has_is_not_in_the_bundle(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["imports"] == [
        "@insight-host/kit",
        "@insight-host/kit/lines",
        "preact/hooks",
        "preact/jsx-runtime",
    ]
    assert (manifest["api"], manifest["later"]) == (2, [])
    assert (built / "index.js").stat().st_size < 3000


@pytest.mark.parametrize("name", ["preact/compat", "@preact/signals-core", "@insight-host/kit/testing"])
def test_an_import_that_the_page_would_not_share_fails_the_build(project: Path, name: str) -> None:
    entry = project / "frontend/index.tsx"
    entry.write_text(f"import '{name}';\n{SOURCES['frontend/index.tsx']}", encoding="utf-8")
    try:
        done = _node(project, "vite/bin/vite.js", "build", "--outDir", "elsewhere")
    finally:
        entry.write_text(SOURCES["frontend/index.tsx"], encoding="utf-8")
    assert done.returncode != 0
    assert f"imports {name}, which the page does not share" in done.stdout + done.stderr


@pytest.mark.parametrize("tab", ["words", "plain"])
def test_it_has_a_slider_of_the_kit_and_the_colours_of_runs(page: Page, host: str, tab: str) -> None:
    page.goto(f"{host}#locale=en&tab={tab}")
    panel = page.locator(f'[data-plugin="{tab}"]')
    expect(panel.locator("li")).to_have_text(["a", "b"])
    colors = panel.locator("li").evaluate_all("items => items.map(item => getComputedStyle(item).color)")
    assert len({*colors}) == 2
    expect(panel.locator("output")).to_have_text("4")
    panel.locator('[data-control="size"]').fill("7")
    expect(panel.locator("output")).to_have_text("7")
    expect(page).to_have_url(re.compile(rf"{tab}\.size=7"))
    cards = panel.locator('[data-testid="plugin-card"][data-from="clock"]')
    if tab == "words":
        expect(panel.locator(".curve canvas").first).to_be_visible()
        expect(cards.locator("p")).to_have_text("a,b")  # in tabs of third parties too
    loaded = page.evaluate("() => performance.getEntriesByType('resource').map(entry => entry.name)")
    assert len([name for name in loaded if "/preact-" in name]) == 1


def test_a_name_that_went_to_the_lab_is_still_in_the_kit(page: Page, host: str) -> None:
    page.goto(f"{host}#locale=en&tab=plain")
    expect(page.locator('[data-plugin="plain"] output')).to_be_visible()
    same = """async () => {
        const [kit, lab] = await Promise.all([import('@insight-host/kit'), import('@insight-host/kit/lab')]);
        return kit.Latest === lab.Latest && typeof lab.Latest === 'function';
    }"""
    assert page.evaluate(same)


def test_a_tab_that_never_opens_says_so(page: Page, host: str) -> None:
    page.clock.install()
    page.goto(f"{host}#locale=en&tab=stuck")
    panel = page.locator('[data-plugin="stuck"]')
    expect(panel).to_be_attached()
    until(page, lambda: _after_ten_seconds(page, panel.locator(".ih-plugin-remark")))
    expect(panel.locator(".ih-plugin-remark")).to_contain_text("Stuck is not there after 10 seconds")
    panel.locator(".ih-plugin-remark button:not([aria-label])").click()  # tries again
    expect(panel.locator(".ih-plugin-remark")).to_have_count(0)


def _after_ten_seconds(page: Page, remark: Locator) -> bool:
    """Whether the remark is there once the clock of the page, which may have begun late, goes on."""
    page.clock.fast_forward(10_000)
    return remark.count() == 1


@pytest.fixture(scope="module")
def clock(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The distribution without a tab, its front end checked and built with the packages of the wheel."""
    root = _written(tmp_path_factory.mktemp("clock"), WITHOUT_TAB)
    add_packages(root, repository)
    for script in ("typescript/bin/tsc", "vite/bin/vite.js build"):
        done = _node(root, *script.split())
        assert done.returncode == 0, done.stdout + done.stderr
    return root


def test_a_build_of_contributions_alone_has_no_module_of_a_tab(clock: Path) -> None:
    static = clock / "insight_clock/static"
    assert {path.name for path in static.iterdir()} == {"contributions.js", "manifest.json"}
    manifest = json.loads((static / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["imports"] == ["@insight-host/api", "@insight-host/kit", "preact", "preact/jsx-runtime"]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_distribution_without_a_tab_adds_its_card_and_no_tab(
    page: Page,
    clock: Path,
    shared: Callable[..., str],
    tmp_path_factory: pytest.TempPathFactory,
    offline_environment: dict[str, str],
    language: str,
) -> None:
    logs = tmp_path_factory.mktemp("logs")
    with EventWriter(logs / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    site = install(clock, tmp_path_factory.mktemp("site"), offline_environment)
    url = shared("--logdir", logs, environment={"PYTHONPATH": str(site)})
    page.goto(f"{url}#locale={language}&tab=scalar")
    card = page.locator('[data-testid="plugin-card"][data-from="clock"]')
    expect(card.locator("h3")).to_have_text({"en": "Clock", "zh-CN": "时钟"}[language])
    expect(card.locator("p")).to_have_text("run")
    expect(page.get_by_role("tab").first).to_be_visible()
    expect(page.get_by_role("tab", name=re.compile("Clock|clock"))).to_have_count(0)

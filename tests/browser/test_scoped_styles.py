"""The CSS of a plugin applies in its own elements only, and all of it applies there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from insight_core.plugin import Plugin
from insight_core.plugin.testing import EventWriter, FakeProvider
from tests.hosts import served
from tests.support.pictures import png

pytestmark = pytest.mark.browser

RUDE = """
    button { display: none }
    * { color: rgb(255, 0, 0) !important; animation: none }
    .card, .toolbar, .tooltip, h2 { border: 7px solid red; font-size: 30px }
    :root, html, body { background: red; font-size: 40px }
    [data-plugin], .ih-panel { padding: 50px }
    @media (min-width: 1px) { .card > input { min-height: 99px } }
"""
TAB = """
    import {{ addStyles, Page, tab }} from '@insight-host/kit';
    import {{ html }} from '@insight-host/kit/html';
    import {{ render }} from 'preact';

    const App = () => html`<div class="kit {name}">
      <section class="card"><h2>{name}</h2><button>press</button><input aria-label="text" /></section>
      {inside}
    </div>`;
    export default {export};
"""
WITH_TAB = """tab({
  messages: { en: {}, 'zh-CN': {} },
  styles: `STYLES`,
  board: (page) => page,
  view: () => html`<${App} />`,
  keys: () => [],
})"""
WITH_FUNCTION = """{
  apiVersion: 2,
  mount(host, ctx) {
    const remove = addStyles(ctx, `STYLES`);
    render(html`<${App} />`, host);
    return () => { remove(); render(null, host); };
  },
}"""
# What the browser computes for the header, the run list and the tab of the other plugin.
LOOK = """() => {
  const parts = 'html, body, .ih-header *, .ih-sidebar *, #panel-polite, #panel-polite *';
  return [...document.querySelectorAll(parts)].map((part) => {
    const style = getComputedStyle(part);
    return ['display', 'color', 'background-color', 'border-top-width', 'font-size', 'padding-top', 'height']
      .map((name) => style.getPropertyValue(name)).join(' ');
  });
}"""


def _plugin(place: Path, name: str, export: str, inside: str = "") -> Plugin:
    place.mkdir()
    source = TAB.format(name=name, export=export, inside=inside)
    (place / "index.js").write_text(source, encoding="utf-8")
    return Plugin(name, name.title(), frontend=place, is_active=lambda ctx: True)


@pytest.fixture(params=[WITH_TAB, WITH_FUNCTION], ids=["tab", "addStyles"])
def url(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A host with a plugin whose styles name everything, and another one."""
    inside = '<div data-foreign data-plugin="polite"><button>of another plugin</button></div>'
    plugins = [
        _plugin(tmp_path / "polite", "polite", WITH_TAB.replace("STYLES", "")),
        _plugin(tmp_path / "rude", "rude", request.param.replace("STYLES", RUDE), inside),
    ]
    provider = FakeProvider("some/logs")
    provider.add_scalars("a", "loss", [3.0, 2.0])
    with served(provider, plugins) as url:
        yield url


def test_styles_of_a_plugin_change_nothing_outside_of_it(page: Page, url: str) -> None:
    page.goto(f"{url}#locale=en&theme=light&tab=polite")
    card = page.locator("#panel-polite .card")
    expect(card).to_be_visible()
    page.evaluate(AT_REST)
    before = page.evaluate(LOOK)
    page.get_by_role("tab", name="Rude").click()
    own = page.locator("#panel-rude .rude > .card")
    expect(own).to_have_css("border-top-width", "7px")
    expect(own.locator("button")).to_be_hidden()
    expect(own.locator("input")).to_have_css("min-height", "99px")
    expect(own.locator("h2")).to_have_css("color", "rgb(255, 0, 0)")
    foreign = page.locator("[data-foreign] button")  # what another plugin shows within this one
    expect(foreign).to_be_visible()
    page.get_by_role("tab", name="Polite").click()
    expect(card).to_be_visible()
    assert len(before) > 20, "the page was looked at"
    page.evaluate(AT_REST)
    assert page.evaluate(LOOK) == before


UNSCOPED = """() => {
  const { replaceSync } = CSSStyleSheet.prototype;
  CSSStyleSheet.prototype.replaceSync = function (text) {
    const scoped = /^@scope \\(.*?\\) to \\(.*?\\) \\{([^]*)\\}$/.exec(text);
    window.unscoped = (window.unscoped ?? 0) + (scoped ? 1 : 0);
    replaceSync.call(this, scoped ? scoped[1].replaceAll(':scope ', '') : text);
  };
}"""

# Of each part what it is and the number of its look, and the different looks.
LOOKS = """(tab) => {
  const looks = new Map();
  const parts = [...document.querySelectorAll(`#panel-${tab} *`)].flatMap((part) =>
    [undefined, '::before', '::after'].flatMap((pseudo) => {
      const style = getComputedStyle(part, pseudo);
      if (pseudo && style.content === 'none') return [];
      const names = [...style].sort(); // custom properties come in any order
      const look = names.map((name) => style.getPropertyValue(name)).join('|');
      if (!looks.has(look)) looks.set(look, looks.size);
      return `${part.tagName} ${part.className} ${pseudo ?? ''} ${looks.get(look)}`;
    }));
  return [parts, [...looks.keys()]];
}"""
AT_REST = """async () => {
  const { documentElement: page } = document;
  for (let before = ''; before !== page.outerHTML; ) {
    before = page.outerHTML;
    await Promise.allSettled(document.getAnimations().map((each) => each.finished));
    await new Promise((done) => setTimeout(done, 300));
  }
}"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with a few values of every kind."""
    root = tmp_path_factory.mktemp("styles")
    for run in ("one", "two"):
        with EventWriter(root / run) as writer:
            for step in range(4):
                writer.scalar("scalar/a", step, 1.0 / (step + 1))
                writer.image("image/a", step, png(np.full((4, 6), step * 20)), 6, 4)
                writer.histogram("histogram/a", step, np.arange(10.0) + step)
                writer.tensor("tensor/a", step, np.arange(-3.0, 3.0).reshape(2, 3) + step)
    return root


@pytest.mark.parametrize("tab", ["scalar", "image", "histogram", "tensor", "lineage"])
def test_a_scope_does_not_change_the_look_of_a_tab(
    page: Page, shared: Callable[..., str], logs: Path, tab: str
) -> None:
    url = f"{shared('--logdir', logs)}#locale=en&theme=system&tab={tab}"

    def computed() -> dict[str, tuple[list[str], list[str]]]:
        page.goto("about:blank")
        page.goto(url)
        expect(page.locator(f"#panel-{tab} :is([data-ready], img, [role=gridcell])").first).to_be_visible()
        looks = {}
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
            page.evaluate(AT_REST)
            looks[theme] = page.evaluate(LOOKS, tab)
        return looks

    scoped = computed()
    page.add_init_script(f"({UNSCOPED})()")
    unscoped = computed()
    assert page.evaluate("window.unscoped") >= 1, "the tab has styles"
    for theme, (parts, looks) in scoped.items():
        assert len(parts) > 40
        assert unscoped[theme][0] == parts, theme
        changed = [pair for pair in zip(looks, unscoped[theme][1], strict=True) if pair[0] != pair[1]]
        assert changed == [], theme
    assert scoped["light"] != scoped["dark"]

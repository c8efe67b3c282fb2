"""Share in the header, and the palette, which finds what it has: links, saved views, files, charts, help."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from insight_core.plugin.testing import EventWriter

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

GUARDED = {"INSIGHT_HOST_TOKEN": "1"}
COPIED = "async () => await navigator.clipboard.readText()"


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs") / "two"
    for run in ("a", "b"):
        with EventWriter(logs / run) as writer:
            for step in range(5):
                writer.scalar("loss", step, 1.0 / (step + 1))
    return logs


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Files with the token of the owner and that of guests."""
    place = tmp_path_factory.mktemp("tokens")
    files = place / "owner", place / "guest"
    for file in files:
        file.write_text(f"{file.name}-token-0123456789\n")
        file.chmod(0o600)
    return files


def _dialog(page: Page) -> Locator:
    page.locator('.ih-header [data-action="share"]').click()
    dialog = page.locator('[data-dialog="share"]')
    expect(dialog.locator('[data-action="copy-link"]')).to_be_visible()
    return dialog


def test_a_link_shows_another_person_what_is_shown(browser: Browser, shared: Serve, two_runs: Path) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        page.goto(f"{shared('--logdir', two_runs)}#locale=en&tab=scalar&runs=a&scalar.smooth=0.5")
        dialog = _dialog(page)
        expect(dialog).to_contain_text("Its reader sees the tab, runs, filters and settings that you see")
        expect(dialog).to_contain_text("Only this machine reaches 127.0.0.1")
        dialog.locator('[data-action="copy-link"]').click()
        expect(dialog.locator('[data-action="copy-link"]')).to_have_text("Copied")
        link = page.evaluate(COPIED)
        assert link == page.url
    with browser.new_context() as other:
        page = other.new_page()
        page.goto(link)
        expect(page.get_by_test_id("run-count")).to_have_text("1 / 2")
        expect(page.locator("#smoothing")).to_have_value("0.5")


def test_a_link_lets_guests_in_where_the_host_has_a_token_for_them(
    browser: Browser, shared: Serve, two_runs: Path, tokens: tuple[Path, Path]
) -> None:
    owner, guest = tokens
    both = shared(
        "--logdir", two_runs, "--token-file", owner, "--read-token-file", guest, environment=GUARDED
    )
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        page.goto(f"{both}?token={owner.read_text().strip()}#locale=en&tab=scalar&runs=a")
        dialog = _dialog(page)
        expect(dialog).to_contain_text("It holds the token for guests")
        dialog.locator('[data-action="copy-link"]').click()
        expect(dialog.locator('[data-action="copy-link"]')).to_have_text("Copied")
        link = page.evaluate(COPIED)
        assert owner.read_text().strip() not in link
    with browser.new_context() as other:
        page = other.new_page()
        page.goto(link)
        expect(page.get_by_test_id("run-count")).to_have_text("1 / 2")
        expect(page).not_to_have_url(re.compile("token"))


def test_without_a_token_for_guests_the_dialog_says_what_a_reader_needs(
    page: Page, shared: Serve, two_runs: Path, tokens: tuple[Path, Path]
) -> None:
    owner, _ = tokens
    url = shared("--logdir", two_runs, "--token-file", owner, environment=GUARDED)
    page.goto(f"{url}?token={owner.read_text().strip()}#locale=en&tab=scalar")
    dialog = _dialog(page)
    expect(dialog).to_contain_text("Its reader needs the token of this host")
    expect(dialog.get_by_role("textbox", name="Link to the page")).to_have_value(page.url)


def test_share_leads_to_figure_and_embed_code_of_a_chart(
    page: Page, shared: Serve, two_runs: Path, violations: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{shared('--logdir', two_runs)}#locale=en&theme=light&tab=scalar")
    expect(page.locator("[data-ready]").first).to_be_attached()
    dialog = _dialog(page)
    assert violations(page) == []
    dialog.locator('[data-action="share-chart"]').click()
    expect(dialog).to_have_count(0)
    menu = page.get_by_role("menu")
    expect(menu.locator('[data-action="figure"]')).to_be_visible()
    expect(menu.locator('[data-action="embed"]')).to_be_visible()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("share", "Copy link"),
        ("export", "Saved views"),
        ("help", "Keyboard shortcuts"),
        ("best", "Runs"),
        ("log y", None),
        ("group", "Group runs"),
        ("columns", "Choose the columns of the run list"),
    ],
)
def test_the_palette_finds_it(
    page: Page, shared: Serve, two_runs: Path, typed: str, found: str | None
) -> None:
    page.goto(f"{shared('--logdir', two_runs)}#locale=en&tab=scalar")
    expect(page.locator("[data-ready]").first).to_be_attached()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search and commands").fill(typed)
    options = page.get_by_role("option")
    expect(options.filter(has_text=found) if found else options).not_to_have_count(0)

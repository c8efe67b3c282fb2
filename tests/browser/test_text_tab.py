"""The Text tab, installed with pip as a distribution of its own, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from insight_record.formats.tensor_messages import string_tensor
from tests.browser.asking import data_requests
from tests.browser.cards import card

pytestmark = pytest.mark.browser
Serve = Callable[..., str]

MARKDOWN = (
    "# Setup\n\n| rate | loss |\n|---|---|\n| 0.1 | 2.5 |\n\n"
    "**bold** and `code`, [out](https://example.org/), [in](#tab=image)"
)
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "<svg onload='window.hacked = 3'><script>window.hacked = 4</script></svg>",
    "<a href='javascript:window.hacked = 5' id='hostile-link'>press me</a>",
    "[also](javascript:window.hacked=6)",
    "<iframe srcdoc='<script>parent.hacked = 7</script>'></iframe>",
    "<form action='/data/runs'><input name='a'><button>go</button></form>",
    "<style>* { display: none !important }</style>",
    "<p style='position: fixed' onclick='window.hacked = 8' class='card'>text of a paragraph</p>",
    "<noscript><p title='</noscript><img src=x onerror=window.hacked=10>'>",
    "![words of a picture](https://elsewhere.example/pixel.png)",
    "<p title='x' onmouseover='window.hacked = 11'>kept</p><unk onclick='window.hacked = 12'>",
    "the end",
    "<math><mtext><table><mglyph><style><img src=x onerror='window.hacked = 9'>",  # takes what follows
]
DEGENERATE = [">" * 4000, "*" * 4000, "![" * 3000, "- " * 1000, "`" * 5000, "|" * 400 + "\n" + "|-" * 200]
STEPS = 10_000
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes of two runs, a table, hostile markup, a damaged record, and a long series."""
    logdir = tmp_path_factory.mktemp("texts")
    with EventWriter(logdir / "one") as writer:
        writer.text("markdown", 0, MARKDOWN)
        writer.text("hostile", 0, "\n\n".join(HOSTILE))
        for step, text in enumerate(DEGENERATE):
            writer.text("degenerate", step, text)
        for step, text in enumerate(
            ["rate 0.1\nbatch 32\nseed 7", "rate 0.1\nbatch 64\nseed 7", "rate 0.2\nbatch 64\nseed 7"]
        ):
            writer.text("notes", step, text)
        cells = string_tensor([b"layer", b"shape", b"conv", b"**3 x 3**"], [2, 2])
        writer.values(0, [wire.tensor_value("table", cells, wire.metadata("text", 2))])
        writer.tensor("damaged", 0, [1.0, 2.0], plugin="text")
    with EventWriter(logdir / "two") as writer:
        writer.text("notes", 2, "rate 0.2\nbatch 64\nseed 8")
    with EventWriter(logdir / "long") as writer:
        for step in range(STEPS):
            writer.text("many", step, f"text number {step}")
    return logdir


@pytest.fixture
def url(shared: Serve, logs: Path) -> str:
    """A host with the installed plugin."""
    return shared("--logdir", logs)


def _open(page: Page, url: str, fragment: str = "") -> None:
    page.goto(f"{url}#tab=text&locale=en&theme=light{fragment}")
    expect(page.get_by_test_id("texts")).to_be_attached()


def test_markdown_is_rendered_and_its_source_can_be_read(page: Page, url: str) -> None:
    _open(page, url)
    view = card(page, "markdown", "one").get_by_test_id("text")
    expect(view.locator("h1")).to_have_text("Setup")
    expect(view.locator("td").nth(1)).to_have_text("2.5")
    out = view.locator("a", has_text="out")
    expect(out).to_have_attribute("target", "_blank")
    expect(out).to_have_attribute("rel", "noopener noreferrer")
    assert view.locator("a", has_text="in").get_attribute("href") is None, (
        "a link within the page changes its state"
    )
    page.locator('[data-control="view"] [data-value="raw"]').click()
    expect(view).to_have_text(MARKDOWN)


def test_script_in_a_text_never_runs(page: Page, url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _open(page, url)
    view = card(page, "hostile", "one").get_by_test_id("text")
    expect(view).to_contain_text("the end")
    expect(view).to_contain_text("words of a picture")
    expect(view).to_contain_text("text of a paragraph")
    view.get_by_text("press me").click()
    view.get_by_text("also").click()
    view.get_by_text("text of a paragraph").click()
    found = view.evaluate(
        """root => [...root.querySelectorAll('*')]
            .flatMap(node => [node.localName, ...node.getAttributeNames()])"""
    )
    assert set(found) <= {"p", "a", "br", "table", "tbody", "tr", "td", "target", "rel", "title"}
    assert page.evaluate("window.hacked") is None
    assert [
        address
        for address in asked
        if not address.startswith((url.split("#")[0].rstrip("/"), "data:", "blob:"))
    ] == []


def test_texts_of_one_sign_are_shown_as_they_are(page: Page, url: str) -> None:
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    _open(page, url)
    degenerate = card(page, "degenerate", "one")
    for step, text in enumerate(DEGENERATE):
        degenerate.locator('[data-control="step"]').fill(str(step))
        expect(degenerate.get_by_test_id("text")).to_have_text(text.strip(), use_inner_text=False)
    assert failures == []


def test_a_tensor_of_strings_is_a_table(page: Page, url: str) -> None:
    _open(page, url)
    cells = card(page, "table", "one").get_by_test_id("strings").locator("td")
    expect(cells).to_have_text(["layer", "shape", "conv", "3 x 3"])
    expect(cells.locator("strong")).to_have_text("3 x 3")


def test_a_damaged_record_is_an_error_cell(page: Page, url: str) -> None:
    _open(page, url)
    expect(card(page, "damaged", "one").get_by_test_id("error-cell")).to_contain_text("damaged")


def test_lines_are_compared_with_the_step_before_and_with_another_run(page: Page, url: str) -> None:
    _open(page, url, "&text.view=diff")
    diff = card(page, "notes", "one").get_by_test_id("diff")
    expect(diff.locator('[data-kind="removed"]')).to_have_text(f"{MINUS}rate 0.1")
    expect(diff.locator('[data-kind="added"]')).to_have_text("+rate 0.2")
    page.locator('[data-control="base"]').select_option(label="two")
    expect(diff.locator('[data-kind="removed"]')).to_have_text(f"{MINUS}seed 8")
    expect(diff.locator('[data-kind="added"]')).to_have_text("+seed 7")
    card(page, "notes", "one").locator('[data-control="step"]').press("Home")
    expect(diff).to_contain_text("two has no record of this tag at this step")


def test_search_marks_what_it_finds_and_goes_to_other_steps(page: Page, url: str) -> None:
    _open(page, url)
    notes = card(page, "notes", "one")
    page.locator('[data-control="search"]').fill("BATCH 64")
    expect(notes.get_by_test_id("found")).to_contain_text("2 steps match")
    expect(notes.locator("mark")).to_have_text("batch 64")
    notes.locator('[data-action="match-back"]').click()
    expect(notes.get_by_test_id("step-label")).to_have_text("step 1")
    expect(notes.locator('[data-action="match-back"]')).to_be_disabled()


def test_of_ten_thousand_steps_only_the_shown_one_is_asked_for(page: Page, url: str) -> None:
    asked = data_requests(page, "tag=many")
    _open(page, url)
    many = card(page, "many", "long")
    expect(many.get_by_test_id("text")).to_have_text(f"text number {STEPS - 1}")
    many.locator('[data-control="step"]').fill("1234")
    expect(many.get_by_test_id("text")).to_have_text("text number 1234")
    assert len([address for address in asked if "/value?" in address]) == 2

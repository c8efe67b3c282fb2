"""What a page asks its host for."""

from __future__ import annotations

from playwright.sync_api import Page, Request


def data_requests(page: Page, part: str = "") -> list[str]:
    """Addresses with this part that the page asks for from now on; the list grows.

    Code is left out: the page loads some of it whenever it is idle.
    """
    asked: list[str] = []

    def note(request: Request) -> None:
        if part in request.url and "/static/" not in request.url:
            asked.append(request.url)

    page.on("request", note)
    return asked

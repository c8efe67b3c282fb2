"""Answers clients without a token: a page with a field for it in browsers, JSON in programs."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from werkzeug import Request, Response

from insight_access.cookies import is_in_foreign_frame
from insight_core.plugin import encode_json

_PLACE = Path(__file__).parent
_ERROR = (
    "this host wants its token, and was perhaps started again: open the address that it printed at its "
    "start, or send the token as 'Authorization: Bearer TOKEN'"
)


def wants_page(environ: Mapping[str, Any]) -> bool:
    """Whether the client shows HTML: a browser that opens an address, not the page that asks for data."""
    return "text/html" in environ.get("HTTP_ACCEPT", "")


def refusal(environ: Mapping[str, Any], *, tried: bool, frame_ancestors: Sequence[str] = ()) -> Response:
    """A 401. ``tried``: the client sent a token, which was wrong."""
    if wants_page(environ):
        answer = Response(_page(environ, tried=tried), 401, mimetype="text/html")
        style = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
        ancestors = " ".join(("'self'", *frame_ancestors))
        answer.headers["Content-Security-Policy"] = (
            f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'self'; "
            f"frame-ancestors {ancestors}"
        )
    else:
        body = encode_json({"error": _ERROR, "code": "unauthenticated"})
        answer = Response(body, 401, mimetype="application/json")
    answer.headers["WWW-Authenticate"] = 'Bearer realm="insight-host"'
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    # not "no-referrer": the form would then be sent with the Origin "null", which is that of any site
    answer.headers["Referrer-Policy"] = "same-origin"
    return answer


def _page(environ: Mapping[str, Any], *, tried: bool) -> str:
    languages = Request(dict(environ)).accept_languages
    locale = "zh-CN" if languages.best_match(["en", "zh"], "en") == "zh" else "en"
    texts: dict[str, str] = json.loads((_PLACE / "locales" / f"{locale}.json").read_text(encoding="utf-8"))
    framed = '<input type="hidden" name="framed" value="1">' if is_in_foreign_frame(environ) else ""
    wrong = f'<p class="wrong" role="alert" id="wrong">{escape(texts["wrong"])}</p>' if tried else ""
    described = ' aria-describedby="wrong" aria-invalid="true"' if tried else ""
    page = (_PLACE / "page.html").read_text(encoding="utf-8")
    values = {
        "locale": locale,
        "style": _style(),
        "framed": framed,
        "wrong": wrong,
        "described": described,
        **{f"text.{name}": escape(text) for name, text in texts.items()},
    }
    for name, value in values.items():
        page = page.replace(f"%{name}%", value)
    return page


def _style() -> str:
    return (_PLACE / "page.css").read_text(encoding="utf-8")

"""What plugins ask of a request, and safe HTML: ``plugin_util.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from tensorboard import context as contexts
from tensorboard.backend import experiment_id as experiment_ids

_TAGS = frozenset(
    {
        *("a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li"),
        *("ol", "p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    }
)
_ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "title", "alt"}}
_EMPTY = frozenset({"br", "hr", "img"})
_SCHEMES = frozenset({"http", "https", "mailto"})


def context(environ: Mapping[str, Any]) -> contexts.RequestContext:
    return contexts.from_environ(environ)


def experiment_id(environ: Mapping[str, Any]) -> str:
    """The experiment a request is about; empty where none is named."""
    found: str = environ.get(experiment_ids.WSGI_ENVIRON_KEY, "")
    return found


def safe_html(unsafe_string: str | bytes) -> str:
    """The HTML with the tags that text consists of; all others become text."""
    cleaner = _Cleaner()
    cleaner.feed(_text(unsafe_string))
    cleaner.close()
    return cleaner.safe()


def markdown_to_safe_html(markdown_string: str | bytes) -> str:
    """The text in paragraphs, its marks as they are: without TensorBoard nothing here reads Markdown."""
    paragraphs = _text(markdown_string).replace("\x00", "").replace("\r\n", "\n").split("\n\n")
    return "\n".join(f"<p>{escape(text.strip(), quote=False)}</p>" for text in paragraphs if text.strip())


def markdowns_to_safe_html(
    markdown_strings: Sequence[str | bytes], combine: Callable[[list[str]], str]
) -> str:
    return safe_html(combine([markdown_to_safe_html(text) for text in markdown_strings]))


def proto_to_json(proto: Message) -> str:
    return json_format.MessageToJson(proto, always_print_fields_with_no_presence=True)


def _text(text: str | bytes) -> str:
    return text.decode() if isinstance(text, bytes) else text


class _Cleaner(HTMLParser):
    """Writes again what it reads, tags that are not allowed as text, and closes what was left open."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []

    def safe(self) -> str:
        return "".join([*self._parts, *(f"</{tag}>" for tag in reversed(self._open))])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self._parts.append(escape(self.get_starttag_text() or "", quote=False))
            return
        allowed = _ATTRIBUTES.get(tag, set())
        kept = "".join(
            f' {name}="{escape(value)}"'
            for name, value in attrs
            if name in allowed and value is not None and _is_harmless(name, value)
        )
        self._parts.append(f"<{tag}{kept}>")
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while (last := self._open.pop()) != tag:
                self._parts.append(f"</{last}>")
            self._parts.append(f"</{tag}>")
        elif tag not in _TAGS:
            self._parts.append(escape(f"</{tag}>", quote=False))

    def handle_data(self, data: str) -> None:
        self._parts.append(escape(data, quote=False))


def _is_harmless(name: str, value: str) -> bool:
    """Whether an address leads to where a link may; control characters would hide the scheme."""
    if name not in ("href", "src"):
        return True
    bare = "".join(letter for letter in value if letter.isprintable() and not letter.isspace())
    scheme, colon, _ = bare.partition(":")
    return not colon or "/" in scheme or scheme.lower() in _SCHEMES

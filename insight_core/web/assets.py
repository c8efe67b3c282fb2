"""Serves static files of the page and of plugins: safe paths, fixed media types, caching by content.

Large libraries are stored as they are sent: ``NAME.gz`` in place of ``NAME``.
"""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from pathlib import Path, PurePosixPath

from werkzeug import Request, Response
from werkzeug.exceptions import NotFound

from insight_core.http.answers import accepts_gzip
from insight_core.web.answers import not_modified
from insight_core.web.content_tags import content_tag

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml; charset=utf-8",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}
_COMPRESSED = ".gz"
FOREVER = "public, max-age=31536000, immutable"
_HASH = re.compile(r"[-.](?=[0-9a-f]*[0-9])[0-9a-f]{8,64}\.[A-Za-z0-9]+(?:\.map)?$")


def asset_answer(root: Path, request: Request, name: str) -> Response:
    """The file ``name`` (decoded URL path) below ``root``; raises NotFound for anything else."""
    path = find_asset(root, name)
    is_compressed = path is None
    if path is None:
        path = find_asset(root, f"{name}{_COMPRESSED}")
    if path is None:
        raise NotFound(f"no file {name!r}")
    state = path.stat()
    content, tag = _content(path, state.st_mtime_ns, state.st_size)
    if request.if_none_match.contains_weak(tag):
        answer = not_modified(tag)
    else:
        suffix = PurePosixPath(name).suffix.lower()
        answer = Response(content, content_type=_TYPES.get(suffix, "application/octet-stream"))
        answer.set_etag(tag, weak=True)
        if is_compressed and accepts_gzip(request):
            answer.headers["Content-Encoding"] = "gzip"
            answer.vary.add("Accept-Encoding")
        elif is_compressed:
            answer.set_data(gzip.decompress(content))
    if has_hash(PurePosixPath(name).name):
        answer.headers["Cache-Control"] = FOREVER
    return answer


def find_asset(root: Path, name: str) -> Path | None:
    """The regular file of that name below ``root``, following symbolic links; None if it does not exist.

    A name with an empty, ``.`` or ``..`` segment, a backslash, a colon or a control character is rejected,
    and a link that leads out of ``root`` is not followed.
    """
    if re.search(r"[\\:\x00-\x1f\x7f]", name):
        return None
    if any(part in ("", ".", "..") for part in name.split("/")):
        return None
    try:
        base = root.resolve(strict=True)
        path = (base / name).resolve(strict=True)
        return path if path.is_relative_to(base) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # missing, too long, not encodable, a loop of links
        return None


def has_hash(name: str) -> bool:
    """Whether the file name contains a content hash: eight hexadecimal digits or more, a decimal one too."""
    return _HASH.search(name) is not None


@lru_cache(maxsize=64)
def _content(path: Path, mtime_ns: int, size: int) -> tuple[bytes, str]:
    content = path.read_bytes()
    return content, content_tag(content)

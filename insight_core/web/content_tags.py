"""Entity tags of answers and versions of saved entries."""

from __future__ import annotations

import hashlib


def content_tag(*parts: bytes) -> str:
    """A hash of the content."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()

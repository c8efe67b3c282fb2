"""What sender and receiver agree on: which paths of files may be sent, and the sizes of what is sent."""

from __future__ import annotations

import base64
import hashlib
import re

PIECE = 1 << 20  # bytes of one request: what nginx accepts without a setting
BLOCK = 1 << 16  # bytes before an offset that must be the same on both sides
LONGEST_PART = 200  # bytes of the name of a file or directory
MOST_PARTS = 16  # directories, and the file

OFFSET, COMPLETE, DIGEST, BEFORE = "Upload-Offset", "Upload-Complete", "Content-Digest", "Insight-Before"
ROOT = "/receive/files/"  # below the address of the host

_SENT = re.compile(r".*(tfevents|summary\.[0-9]+).*|.*\.jsonl", re.DOTALL)


def path_parts(path: str) -> tuple[str, ...]:
    """The directories and the file of a path. Raises ValueError with the reason for one that is not sent."""
    parts = tuple(path.split("/"))
    if len(parts) > MOST_PARTS:
        raise ValueError(f"a path has at most {MOST_PARTS} parts")
    for part in parts:
        _check(part)
    return parts


def is_sent(name: str) -> bool:
    """Whether a file of this name is sent: an event file, or JSON lines such as those of ``StepTimes``."""
    return _SENT.fullmatch(name) is not None


def digest(data: bytes | memoryview) -> str:
    """The SHA-256 of bytes, as the field ``Content-Digest`` (RFC 9530) has it."""
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"


def _check(part: str) -> None:
    import unicodedata  # 1 MB that few recordings need

    if part.startswith("."):
        raise ValueError(f"{part!r}: a name must not begin with a dot")
    if not part or not part.isprintable() or "\\" in part or part != part.strip():
        raise ValueError(
            f"{part!r} is not a name: printable characters without / and \\, no space at its ends"
        )
    if unicodedata.normalize("NFC", part) != part:
        raise ValueError(f"{part!r} is not in normal form (NFC)")
    if len(part.encode()) > LONGEST_PART:
        raise ValueError(f"{part[:40]!r}... has more than {LONGEST_PART} bytes")

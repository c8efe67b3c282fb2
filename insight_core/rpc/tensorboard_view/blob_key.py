"""Keys by which TensorBoard fetches a blob: opaque to it, only characters fit for a URL."""

from __future__ import annotations

import base64
import json

from attrs import frozen

from insight_core.plugin import InvalidArgument


@frozen
class BlobKey:
    """One blob of one datum: which of those at the same step, and which of its blobs."""

    plugin: str  # TensorBoard's name
    run: str
    tag: str
    step: int
    occurrence: int
    index: int

    def encode(self) -> str:
        """URL-safe base64, without padding, of a JSON array."""
        parts = [self.plugin, self.run, self.tag, self.step, self.occurrence, self.index]
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> BlobKey:
        """Raises InvalidArgument for what encode() did not make."""
        try:
            padded = text.encode("ascii") + b"=" * (-len(text) % 4)
            parts = json.loads(base64.b64decode(padded, b"-_", validate=True))
            json.dumps(parts, ensure_ascii=False).encode()  # half of a surrogate pair is in no name
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"failed to parse blob key: {error}") from error
        kinds = [str, str, str, int, int, int]
        if not isinstance(parts, list) or [type(part) for part in parts] != kinds:
            raise InvalidArgument("failed to parse blob key: it is not one of this server")
        return cls(*parts)

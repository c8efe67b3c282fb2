"""Keys for blobs in TensorBoard's API: opaque and URL-safe."""

from __future__ import annotations

import base64
import json

from attrs import frozen

from insight_core.plugin import InvalidArgument


@frozen
class BlobKey:
    """Identifies a blob: series, step, index among values of the same step, and index within the value."""

    plugin: str  # TensorBoard's name
    run: str
    tag: str
    step: int
    occurrence: int
    index: int

    def encode(self) -> str:
        """URL-safe base64 of a JSON array, without padding."""
        parts = [self.plugin, self.run, self.tag, self.step, self.occurrence, self.index]
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> BlobKey:
        """Parses a key. Raises InvalidArgument for a key that encode() did not create."""
        try:
            padded = text.encode("ascii") + b"=" * (-len(text) % 4)
            parts = json.loads(base64.b64decode(padded, b"-_", validate=True))
            json.dumps(parts, ensure_ascii=False).encode()  # no name contains an unpaired surrogate
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"failed to parse blob key: {error}") from error
        kinds = [str, str, str, int, int, int]
        if not isinstance(parts, list) or [type(part) for part in parts] != kinds:
            raise InvalidArgument("failed to parse blob key: it is not one of this server")
        return cls(*parts)

"""Every fuzz target, by name."""

from __future__ import annotations

from tests.fuzz import decoders, files, requests

TARGETS = {target.name: target for each in (requests, files, decoders) for target in each.TARGETS}

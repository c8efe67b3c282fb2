"""Which weights of a ``.pt2`` file are one tensor, as tied embeddings are.

Source: torch/_export/serde/schema.py (PayloadConfig), torch/export/pt2_archive/constants.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def stored_tensors(config: Mapping[str, Any] | None) -> dict[str, str]:
    """By name of a weight: its tensor, which is equal for weights that share one. Older files do not tell."""
    if config is None:
        return {}
    return {name: _tensor(payload) for name, payload in config["config"].items()}


def _tensor(payload: Mapping[str, Any]) -> str:
    """The file of a tensor, and the part of it that the tensor is."""
    about = payload["tensor_meta"]
    return json.dumps([payload["path_name"], *(about[key] for key in ("sizes", "strides", "storage_offset"))])

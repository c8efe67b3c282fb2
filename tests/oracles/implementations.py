"""Puts an oracle in the place of a compiled module, so that a test of behaviour is one of both."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

import pytest

from insight_core.ingest.scanner import scanner, small_files
from tests.oracles.pure_scanner import PureScanner

BOTH = ("compiled", "pure")


def scan_with(implementation: str, patch: pytest.MonkeyPatch) -> None:
    """Scans with the compiled scanner, or with its oracle, which reads every file by itself."""
    if implementation == "pure":

        def one_by_one(paths: Iterable[bytes], *more: object) -> list[None]:
            return [None for _ in paths]

        patch.setattr(scanner, "_kernel", SimpleNamespace(CompiledScanner=PureScanner))
        patch.setattr(small_files, "_small_files", SimpleNamespace(read_small_files=one_by_one))


def graph_columns_of(implementation: str, patch: pytest.MonkeyPatch) -> None:
    """Reads graphs with the compiled modules of the plugin, or with their oracle."""
    if implementation == "pure":
        from insight_graph import field_columns, interned, name_tree

        from tests.oracles import graph_columns

        numbers = SimpleNamespace(
            CompiledInterned=graph_columns.PureInterned, CompiledNameTree=graph_columns.PureNameTree
        )
        for module in (interned, name_tree):
            patch.setattr(module, "_interned", numbers)
        for reader in (interned, field_columns):
            patch.setattr(reader, "_byte_columns", graph_columns)

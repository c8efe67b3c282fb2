"""Generates descriptor sets and type stubs from ``.proto`` files, those of plugins too; needs grpcio-tools.

``python -m insight_core.rpc.schema.generate``
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
_WELL_KNOWN = "google/"  # comes with the protobuf runtime


def compiler() -> str:
    """The name and version of the generator."""
    return f"grpcio-tools {version('grpcio-tools')}"


def generate() -> dict[str, bytes]:
    """The generated files of this package, by name. Raises RuntimeError for an invalid .proto file."""
    sources = sorted(path.relative_to(_ROOT).as_posix() for path in _HERE.glob("*.proto"))
    with tempfile.TemporaryDirectory() as made:
        found = _compiled([f"-I{_ROOT}", f"--pyi_out={made}", *sources])
        ours = FileDescriptorSet(file=[f for f in found.file if not f.name.startswith(_WELL_KNOWN)])
        generated = {"descriptors.binpb": ours.SerializeToString(deterministic=True)}
        heading = f"# Made from the .proto files by `make proto` ({compiler()}).\n# ruff: noqa\n# fmt: off\n"
        for path in sorted(Path(made).rglob("*.pyi")):
            text = path.read_text(encoding="utf-8")
            text = text.replace("_Mapping]", "_Mapping[str, object]]")  # mypy --strict wants to know
            generated[path.name] = (heading + text).encode()
        return generated


def generate_of_plugins() -> dict[Path, bytes]:
    """The descriptor sets of the plugins, by path. Raises RuntimeError for an invalid .proto file."""
    sources = sorted(_ROOT.glob("plugins/*/insight_*/**/*.proto"))
    return {
        path.with_suffix(".binpb"): _compiled([f"-I{path.parent}", path.name]).SerializeToString(
            deterministic=True
        )
        for path in sources
    }


def _compiled(arguments: Sequence[str]) -> FileDescriptorSet:
    with tempfile.TemporaryDirectory() as made:
        options = ["--include_imports", f"--descriptor_set_out={made}/descriptors"]
        command = [sys.executable, "-m", "grpc_tools.protoc", *options, *arguments]
        if subprocess.run(command, check=False).returncode:
            raise RuntimeError("protoc refused the .proto files; it says why above")
        return FileDescriptorSet.FromString(Path(made, "descriptors").read_bytes())


def main() -> int:
    """Writes the generated files."""
    for name, content in generate().items():
        (_HERE / name).write_bytes(content)
    for path, content in generate_of_plugins().items():
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Compiles the checksums of insight-record for its wheel; without a C compiler the wheel is pure Python."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "INSIGHT_HOST_SKIP_KERNEL"
_PACKAGE, _MODULE = "insight_record", "formats/_crc32c"
_FLAGS = ["-O3", "-g0", "-Werror=implicit-function-declaration"]  # no -march: for other processors, too
_LINKED = ["-s"] if sys.platform == "linux" else []  # without symbols, which only debuggers read
_ABI3 = ".abi3.so"
# One compiled module for Python 3.11 and every later version; 3.10 has no buffers in its limited API, and
# Python without the GIL has none. docs/reference/dependencies.md has what it costs.
IS_LIMITED = (
    sys.version_info >= (3, 11)
    and _ABI3 in EXTENSION_SUFFIXES
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)
SUFFIX = _ABI3 if IS_LIMITED else str(sysconfig.get_config_var("EXT_SUFFIX"))


class ChecksumHook(BuildHookInterface[Any]):
    """Adds the compiled module to a wheel; an editable install has the one that the checkout compiles."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles in a copy, because the name of a module follows the directories above it."""
        if self.target_name != "wheel" or version == "editable" or os.environ.get(SKIP, "") not in ("", "0"):
            return
        self._place = tempfile.TemporaryDirectory()
        package = Path(self._place.name, _PACKAGE)
        shutil.copytree(Path(self.root) / "formats", package / "formats")
        made = (package / _MODULE).with_suffix(SUFFIX)
        try:
            compiled(package.parent, (package / _MODULE).with_suffix(".pyx"), made)
        except Exception as error:  # of Cython, of setuptools, of the compiler, or one of them is missing
            self.app.display_warning(f"{_MODULE} is not compiled, Python does its work, slower: {error}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag(self)
        build_data["force_include"][str(made)] = made.relative_to(package).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the copy."""
        if hasattr(self, "_place"):
            self._place.cleanup()


def wheel_tag(hook: BuildHookInterface[Any]) -> str:
    """The tag of a wheel with compiled modules."""
    builder: Any = hook.build_config.builder
    tag = str(builder.get_best_matching_tag())
    return f"cp311-abi3-{tag.split('-', 2)[2]}" if IS_LIMITED else tag


def compiled(root: Path, source: Path, target: Path, *include: Path) -> None:
    """Compiles the Cython module ``source`` into ``target``; its name follows its path below ``root``.

    ``include`` are directories with other packages whose ``.pxd`` it uses. Raises the errors of Cython and of
    the compiler.
    """
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension  # type: ignore[import-untyped]
    from setuptools.command.build_ext import build_ext  # type: ignore[import-untyped]

    place = source.relative_to(root)
    name = ".".join(place.with_suffix("").parts)
    before = Path.cwd()
    os.chdir(root)  # Cython and setuptools read paths from here
    try:
        extension = Extension(
            name,
            [place.as_posix()],
            include_dirs=[str(root), str(source.parent), *map(str, include)],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if IS_LIMITED else [],
            extra_compile_args=_FLAGS,
            extra_link_args=_LINKED,
            py_limited_api=IS_LIMITED,
        )
        with tempfile.TemporaryDirectory() as directory:
            modules = cythonize(
                [extension],
                build_dir=directory,
                include_path=[".", *map(str, include)],
                quiet=True,
                force=True,
            )  # type: ignore[no-untyped-call]
            command = build_ext(Distribution({"name": name, "ext_modules": modules}))
            command.build_lib = command.build_temp = directory
            command.ensure_finalized()
            command.run()
            shutil.copyfile(Path(command.get_ext_fullpath(name)), target)
    finally:
        os.chdir(before)

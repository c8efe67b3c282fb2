"""``insight-host plugin new``: writes the package of a new plugin from templates."""

from __future__ import annotations

import re
import shutil
import tarfile
from base64 import b64encode
from hashlib import sha512
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import insight_frontend

from insight_core.plugin import InvalidArgument, Unavailable
from insight_core.web.front_ends import shared_modules

PACKAGES = ".insight-host"  # the directory of a plugin that holds the npm packages of the installed host
_TEMPLATES = Path(__file__).parent / "templates"
_SUFFIX = ".template"
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def write_plugin(name: str, parent: Path, *, javascript: bool) -> Path:
    """Writes the plugin into the new directory ``parent / name`` and returns that.

    Raises InvalidArgument for a name that cannot be used, and for a path that exists.
    """
    _check(name)
    target = parent / name
    page = shared_modules(insight_frontend.STATIC)
    values = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "distribution": _distribution(name),
        "api": str(page.api),
        "kit": str(page.kit),
        # by which npm knows the packages of the host: they are the same bytes from the same sources
        **{f"{_name_of(found)}_integrity": _integrity(found) for found in _packages()},
    }
    try:
        target.mkdir()
        for kind in ("python", "javascript" if javascript else "tsx"):
            _fill(_TEMPLATES / kind, target, values)
    except OSError as error:
        raise InvalidArgument(f"{target}: {error.strerror}; choose another name or directory") from error
    if javascript:
        copy_types(target)
    else:
        copy_packages(target)
    return target


def copy_packages(plugin: Path) -> list[Path]:
    """Copies the npm packages of the installed host into a plugin; returns the copies.

    Raises Unavailable for a host without packages.
    """
    place = plugin / PACKAGES
    place.mkdir(exist_ok=True)
    # without the version, so that package.json stays as it is after an upgrade
    return [Path(shutil.copyfile(found, place / f"{_name_of(found)}.tgz")) for found in _packages()]


def _name_of(package: Path) -> str:
    """``kit`` of ``insight-host-kit-1.0.0.tgz``."""
    return package.name.split("-")[2]


def _integrity(package: Path) -> str:
    return f"sha512-{b64encode(sha512(package.read_bytes()).digest()).decode()}"


def copy_types(plugin: Path) -> None:
    """Writes the types of what the page shares into a plugin in plain JavaScript, for editors and checkers.

    Raises Unavailable for a host without packages.
    """
    place = plugin / PACKAGES / "types"
    shutil.rmtree(place, ignore_errors=True)
    for found in _packages():
        with tarfile.open(found) as packed:
            for member in packed.getmembers():
                if not member.name.startswith("package/types/"):
                    continue
                target = place / _name_of(found) / member.name.removeprefix("package/types/")
                content = packed.extractfile(member)
                assert content is not None, member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())


def _packages() -> list[Path]:
    found = sorted(insight_frontend.PACKAGES.glob("insight-host-*.tgz"))
    if not found:
        raise Unavailable(f"{insight_frontend.PACKAGES}: no npm packages; install insight-host with its page")
    return found


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} cannot name a plugin: use lower-case letters, digits and single underscores, "
            "beginning with a letter: loss_notes"
        )
    if entry_points(group="insight.plugins", name=name) or find_spec(f"insight_{name}"):
        raise InvalidArgument(f"{name!r} is the name of an installed plugin or package; choose another name")


def _distribution(name: str) -> str:
    return f"insight-plugin-{name.replace('_', '-')}"


def _fill(templates: Path, target: Path, values: dict[str, str]) -> None:
    """Copies a tree of templates, with ``NAME`` in paths and ``@key@`` in texts filled in."""
    for source in sorted(templates.rglob(f"*{_SUFFIX}")):
        path = target / str(source.relative_to(templates)).removesuffix(_SUFFIX).replace(
            "NAME", values["name"]
        )
        text = source.read_text(encoding="utf-8")
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

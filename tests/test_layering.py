"""Who may import whom: the table of docs/architecture.md, checked against every import of every file."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from attrs import frozen

from tests.support.imports import circle, imports, module_of


@frozen
class Room:
    """What a room may import: other rooms of the host, and packages of others."""

    rooms: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()


def _room(rooms: str, packages: str) -> Room:
    return Room(frozenset(rooms.split()), frozenset(packages.split()))


# A room is a module or package of insight_core, or one in ``plugin``, by the longest name that fits.
ROOMS: dict[str, Room] = {
    "formats": _room("", "attrs ml_dtypes numpy"),
    "change_log": _room("", ""),
    "contrast": _room("", "attrs numpy"),
    "databases": _room("", ""),
    "checks": _room("", "attrs"),
    "errors": _room("formats", ""),
    "token_files": _room("errors", ""),
    "encoding": _room("errors formats", "attrs numpy"),
    "references": _room("", "attrs"),
    "message_types": _room("", "google"),
    "summaries": _room("", "attrs numpy"),
    "tag_roles": _room("", ""),
    "moved": _room("", ""),
    "run_profiles": _room("checks", "attrs"),
    "plugin": _room(
        "change_log checks encoding errors formats message_types moved references run_profiles summaries"
        " tag_roles",
        "attrs numpy pluggy",
    ),
    "old_abilities": _room("formats plugin", ""),
    "old_findings": _room("checks formats plugin references", "attrs"),
    "filters": _room("formats plugin", "attrs numpy"),
    "plugin.filters": _room("filters", ""),
    "matching": _room("errors formats", "numpy regex"),
    "http": _room("encoding errors formats plugin", "attrs numpy safetensors werkzeug"),
    "plugin.http": _room("http matching moved", ""),
    "histogram_routes": _room("formats http plugin plugin.http", "attrs numpy werkzeug"),
    "own_page": _room("errors formats http", "attrs werkzeug"),
    "worker": _room("formats plugin references", "attrs"),
    "plugin.worker": _room("machine worker", ""),
    "plugin.log_tables": _room("", "insight_log_tables"),
    "plugin.databases": _room("databases", ""),
    "plugin.lab": _room(
        "encoding formats histogram_routes http matching plugin plugin.payloads providers store summaries"
        " tag_roles",
        "",
    ),
    "plugin.testing": _room("moved", "insight_authoring"),
    "isolation": _room("", "attrs"),
    "machine": _room("", ""),
    "unix_socket": _room("", ""),
    "certificates": _room("plugin", ""),
    "activity": _room("isolation", ""),
    "registry": _room("isolation own_hooks plugin references", "attrs pluggy"),
    "store": _room("change_log formats plugin", "attrs cachetools numpy"),
    "ingest": _room(
        "databases formats isolation plugin references store worker",
        "attrs inotify_simple insight_record numpy",
    ),
    "own_hooks": _room("ingest plugin references", "attrs pluggy"),
    "plugin.own": _room("activity ingest isolation own_hooks token_files", ""),
    "plugin.schema": _room("formats rpc", ""),
    "plugin.grpc": _room("providers rpc", ""),
    "plugin.servers": _room("formats providers rpc store", ""),
    "rpc": _room(
        "certificates formats plugin unix_socket",
        "attrs google grpc grpc_health grpc_reflection numpy platformdirs",
    ),
    "providers": _room(
        "formats ingest isolation plugin rpc store summaries", "attrs cachetools google grpc numpy"
    ),
    "web": _room(
        "activity certificates contrast encoding errors filters formats http isolation matching old_findings"
        " own_page plugin plugin.http references registry tag_roles unix_socket",
        "attrs cachetools insight_frontend werkzeug",
    ),
    "cli": _room(
        "certificates formats ingest isolation machine old_findings own_hooks plugin plugin.http"
        " providers references registry rpc store web",
        "attrs insight_authoring insight_frontend platformdirs werkzeug",
    ),
}
# `insight-host plugin ...` asks the host what it makes of a plugin; `plugin.testing` offers hosts in a test
FOR_AUTHORS = _room(
    "cli formats ingest isolation own_page plugin providers references registry store web",
    "attrs insight_authoring insight_frontend insight_record numpy werkzeug",
)
# what users import: it opens sources as the command line does
FOR_USERS = _room(
    "cli formats http ingest moved plugin plugin.http providers registry",
    "IPython attrs insight_frontend insight_host insight_record numpy pandas platformdirs polars pyarrow",
)
# insight-record, a distribution of its own: its formats are also those of every room that has ``formats``
RECORD_FORMATS = "insight_record.formats"
OF_RECORD = _room("", "insight_record keras lightning mindspore numpy pytorch_lightning torch transformers")
OF_RECORD_FORMATS = _room("formats", "ml_dtypes numpy")
OF_C = ("libc", "cpython", "posix")  # what Cython brings
# for plugins
PUBLIC_ROOMS = {
    "plugin",
    *(
        f"plugin.{name}"
        for name in (
            "databases",
            "filters",
            "http",
            "lab",
            "grpc",
            "log_tables",
            "own",
            "schema",
            "servers",
            "worker",
        )
    ),
}
PLUGIN_MAY_IMPORT = {
    *("attrs", "cachetools", "numpy", "werkzeug", "safetensors", "regex", "PIL", "google"),
    "insight_record",
}
ALSO = {
    # the library of both: what runs record of layers
    "insight_diagnose": {"insight_layers"},
    "insight_health": {"insight_layers"},
    "insight_demo": {"insight_landscape"},  # as a training script does
    # files of settings; declarations are checked as those of the public API are
    "insight_log_tables": {"insight_core.checks", "insight_core.references", "yaml"},
    # of the extra lake; buckets are opened as those of logdirs are
    "insight_lake": {"deltalake", "insight_remote", "obstore", "pyarrow"},
    "insight_media": {"pyarrow"},  # of its own extra arrow
    "insight_importers": {"pyarrow"},  # of the extra parquet
    "insight_samples": {"pyarrow"},  # of the same
    "insight_query": {"duckdb", "pyarrow"},  # of the extra lake
    "insight_remote": {"boto3", "fsspec", "obstore"},  # of the extra remote, and boto3 if it is there
    "insight_tensorboard": {"tensorboard"},  # of the extra of this name
    "insight_trash": {"send2trash"},  # which is the plugin's own dependency
    "insight_extensions": {"insight_core.plugin.testing"},  # a data source in a few lines
}


def _room_of(name: str) -> str:
    """``insight_core.http.answers`` is in the room ``plugin.http``."""
    parts = name.split(".")[1:]
    names = (".".join(parts[:length]) for length in range(len(parts), 1, -1))
    return next((one for one in names if one in ROOMS), parts[0])


def _sources(package: Path) -> list[Path]:
    """Every Python and Cython source of a package."""
    return [
        path
        for pattern in ("*.py", "*.pyx", "*.pxd")
        for path in sorted(package.rglob(pattern))
        if path != package / "__init__.py"
    ]


def _breaches(path: Path, root: Path) -> list[str]:
    here = _room_of(module_of(path, root))
    return _outside(path, root, ROOMS.get(here, Room()), here)


def _outside(path: Path, root: Path, room: Room, here: str = "") -> list[str]:
    """What a file imports beyond what its room may."""
    found = []
    for name in imports(path):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names or top in OF_C:
            continue
        if top == "insight_core":
            allowed = _room_of(name) in {here, *room.rooms}
        elif name.startswith(RECORD_FORMATS):
            allowed = "formats" in {here, *room.rooms} or "insight_record" in room.packages
        else:
            allowed = top in room.packages
        if not allowed:
            found.append(f"{path.relative_to(root)} may not import {name}: see docs/architecture.md")
    return found


def test_rooms_import_only_what_the_table_allows(repository: Path) -> None:
    files = _sources(repository / "insight_core")
    assert [line for path in files for line in _breaches(path, repository)] == []


def test_insight_record_imports_nothing_of_the_host(repository: Path) -> None:
    package = repository / "insight_record"
    formats = _sources(package / "formats")  # with the headers that compiled modules of several rooms share
    writers = {*package.rglob("*.py")} - {*formats, package / "hatch_build.py"}
    assert writers
    assert [line for path in formats for line in _outside(path, repository, OF_RECORD_FORMATS)] == []
    assert [line for path in sorted(writers) for line in _outside(path, repository, OF_RECORD)] == []


@pytest.mark.parametrize(
    ("package", "room"), [("insight_host", FOR_USERS), ("insight_authoring", FOR_AUTHORS)]
)
def test_what_is_above_the_core_imports_what_it_may(repository: Path, package: str, room: Room) -> None:
    files = sorted((repository / package).rglob("*.py"))
    assert files
    assert [line for path in files for line in _outside(path, repository, room)] == []


def test_every_room_is_in_the_table(repository: Path) -> None:
    found = {_room_of(module_of(path, repository)) for path in _sources(repository / "insight_core")}
    assert found == ROOMS.keys()


@pytest.mark.parametrize(
    ("pattern", "typed"),
    [
        *(
            (f"insight_{name}", False)
            for name in ("authoring", "core", "host", "layers", "log_tables", "record")
        ),
        ("insight_core/plugin", True),  # the public API, with imports for type checkers
        ("plugins/*/insight_*", False),
        ("examples/*/insight_*", False),
    ],
)
def test_no_modules_of_a_package_import_each_other_in_a_circle(
    repository: Path, pattern: str, typed: bool
) -> None:
    packages = list(repository.glob(pattern))
    assert packages
    for package in packages:
        root = repository if pattern.startswith("insight_") else package.parent
        files = {module_of(path, root): path for path in package.rglob("*.py")}
        assert circle(files, typed=typed) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    sources = {"a": "import b", "b": "def later():\n    from c import x", "c": "import a"}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    files = {name: tmp_path / f"{name}.py" for name in sources}
    assert set(circle(files)) == {"a", "b", "c"}
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a"
    files["c"].write_text(typed, encoding="utf-8")
    assert circle(files) == []
    assert set(circle(files, typed=True)) == {"a", "b", "c"}
    del files["c"]
    assert circle(files) == []


def test_a_circle_through_the_init_of_a_package_is_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("def later():\n    import package.a", encoding="utf-8")
    (tmp_path / "a.py").write_text("from package import b", encoding="utf-8")
    (tmp_path / "b.py").write_text("", encoding="utf-8")
    files = {"package": tmp_path / "__init__.py", **{f"package.{n}": tmp_path / f"{n}.py" for n in "ab"}}
    assert set(circle(files)) == {"package", "package.a"}
    (tmp_path / "a.py").write_text("from package.b import name", encoding="utf-8")
    assert circle(files) == []


def _classes_by_name(packages: Iterable[Path]) -> Mapping[str, Sequence[Path]]:
    """The files that define a class of each public name."""
    found: dict[str, list[Path]] = {}
    for path in (path for package in packages for path in sorted(package.rglob("*.py"))):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path)
    return found


def test_no_public_class_name_occurs_twice(repository: Path) -> None:
    packages = [
        *(
            repository / f"insight_{name}"
            for name in ("authoring", "core", "host", "layers", "log_tables", "record")
        ),
        *repository.glob("plugins/*/insight_*"),
    ]
    found = _classes_by_name(packages)
    assert len(found) > 100
    theirs = repository / "insight_record/wandb"  # whose names are W&B's
    found = {name: [one for one in paths if one.parent != theirs] for name, paths in found.items()}
    twice = {name: [str(path.relative_to(repository)) for path in paths] for name, paths in found.items()}
    assert {name: paths for name, paths in twice.items() if len(paths) > 1} == {}


def test_a_class_name_that_occurs_twice_is_found(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("class Same: ...\nclass _Private: ...\n", encoding="utf-8")
    assert _classes_by_name([tmp_path]) == {"Same": [tmp_path / "one.py", tmp_path / "two.py"]}


def test_plugins_import_only_the_public_api(repository: Path) -> None:
    plugins = [*repository.glob("plugins/*/insight_*"), *repository.glob("examples/*/insight_*")]
    packages = [repository / "insight_layers", repository / "insight_log_tables", *plugins]
    assert plugins
    found = []
    for package in packages:
        allowed = PLUGIN_MAY_IMPORT | {package.name, *OF_C} | sys.stdlib_module_names
        for path in [*package.glob("__init__.py"), *_sources(package)]:
            for name in imports(path):
                top = name.split(".")[0]
                public = top == "insight_core" and "." in name and _room_of(name) in PUBLIC_ROOMS
                public &= not name.startswith(RECORD_FORMATS)
                special = any(name.startswith(one) for one in ALSO.get(package.name, ()))
                if not (public or special or top in allowed):
                    found.append(
                        f"{path.relative_to(repository)} may not import {name}: see docs/architecture.md"
                    )
    assert found == []


@pytest.mark.parametrize(
    ("file", "source", "breach"),
    [
        ("framing.py", "from insight_core.web import application", True),
        ("framing.py", "def later():\n    import insight_core.ingest.loader", True),
        ("framing.py", "import torch", True),
        ("framing.py", "from insight_core import registry", True),
        ("framing.py", "from insight_record.formats.crc32c import crc32c", False),
        (
            "framing.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from werkzeug import Request",
            False,
        ),
        ("_walk.pxd", "from libc.stdint cimport (\n    int64_t,  # signed\n    uint8_t,\n)", False),
        ("_walk.pyx", "from insight_core.ingest.scanner._rows cimport SINGLE", True),
        ("_walk.pyx", "from insight_record.formats._varint cimport read_varint", False),
    ],
)
def test_a_breach_is_found(tmp_path: Path, file: str, source: str, breach: bool) -> None:
    path = tmp_path / "insight_core/formats" / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert bool(_breaches(path, tmp_path)) is breach


def _loaded(program: str) -> list[str]:
    """Names of the modules that a program has loaded at its end."""
    program = f"import sys\n{program}\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.split()


def test_a_data_server_loads_plugins_without_the_web_half(repository: Path) -> None:
    packages = sorted(repository.glob("plugins/*/insight_*"))
    names = [path.name for path in packages]
    places = [str(repository), *(str(path.parent) for path in packages)]
    loaded = _loaded(
        f"sys.path[:0] = {places!r}\n"
        "import importlib, insight_core.registry\n"
        f"modules = [(n, lambda n=n: importlib.import_module(n)) for n in {names!r}]\n"
        "for name in ('insight_access', 'insight_receive'):\n"  # middleware, in the other group
        "    modules.remove(next(each for each in modules if each[0] == name))\n"
        "    importlib.import_module(name)\n"
        "found = insight_core.registry.Registry.of(modules)\n"
        "assert not found.failures and found.plugins, found.failures"
    )
    assert {*names} <= {*loaded}
    assert [name for name in loaded if name.split(".")[0] == "werkzeug"] == []


def test_a_start_imports_no_decoder_and_no_routes_of_a_plugin() -> None:
    loaded = _loaded("from insight_core.registry import Registry; Registry.discover()")
    late = {"routes", "views", "decoder", "record_routes"}
    ours = [name for name in loaded if name.startswith("insight_")]
    assert ours
    assert [name for name in ours if name.rpartition(".")[2] in late] == []


def test_a_start_imports_nothing_for_authors() -> None:
    loaded = _loaded(
        "from insight_core.cli.plugin_commands import contributed_commands, loaded_for\n"
        "import insight_core.cli.serve\n"
        "names = {one.name for one in contributed_commands(loaded_for([], {}))}\n"
        "assert 'plugin new' in names, names"
    )
    assert [name for name in loaded if name.startswith("insight_authoring")] == []

"""Who may import whom in TypeScript: the table of docs/architecture.md, checked against every import."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from attrs import field, frozen


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@frozen
class PageRoom:
    """A directory or file, and what its modules may import: other rooms by their alias, and packages.

    ``types`` are rooms of which only types may be imported, ``below`` a room that is built into the same
    module and therefore imported by its path.
    """

    place: str
    rooms: frozenset[str] = field(converter=_words)
    packages: frozenset[str] = field(converter=_words)
    types: frozenset[str] = field(default="", converter=_words)
    below: frozenset[str] = field(default="", converter=_words)


_PREACT = "preact @preact/signals"
_API, _KIT, _LAB = "@insight-host/api", "@insight-host/kit", "@insight-host/kit/lab"
# By alias. Each room but the shell is built as a module of its own, so that what two tabs use is there once.
ROOMS = {
    _API: PageRoom("frontend/packages/api/src", "", ""),
    _LAB: PageRoom("frontend/packages/kit/src/base", _API, _PREACT),
    f"{_KIT}/draw": PageRoom("frontend/packages/kit/src/draw", f"{_API} {_LAB}", ""),
    f"{_KIT}/steps": PageRoom("frontend/packages/kit/src/steps", f"{_API} {_LAB}", _PREACT),
    f"{_KIT}/table": PageRoom("frontend/packages/kit/src/table", f"{_API} {_LAB}", _PREACT),
    f"{_KIT}/lists": PageRoom("frontend/packages/kit/src/lists", f"{_API} {_LAB}", "@preact/signals"),
    f"{_KIT}/scene": PageRoom("frontend/packages/kit/src/scene", f"{_API} {_LAB}", "@preact/signals"),
    f"{_KIT}/texts": PageRoom("frontend/packages/kit/src/texts", f"{_API} {_LAB}", "@preact/signals"),
    _KIT: PageRoom("frontend/packages/kit/src", _API, _PREACT, f"{_KIT}/steps {_KIT}/table", below=_LAB),
    f"{_KIT}/lines": PageRoom("frontend/packages/kit/src/lines", f"{_API} {_KIT} {_LAB} {_KIT}/draw", ""),
    f"{_KIT}/flame": PageRoom("frontend/packages/kit/src/flame", f"{_API} {_KIT}", _PREACT),
    f"{_KIT}/histograms": PageRoom(
        "frontend/packages/kit/src/histograms",
        f"{_API} {_KIT} {_LAB} {_KIT}/draw {_KIT}/steps {_KIT}/table",
        _PREACT,
    ),
    f"{_KIT}/runs": PageRoom(
        "frontend/packages/kit/src/runs", f"{_API} {_KIT} {_LAB} {_KIT}/draw {_KIT}/table", _PREACT
    ),
    f"{_KIT}/html": PageRoom("frontend/packages/kit/src/html", "", "preact htm"),
    f"{_KIT}/formulas": PageRoom("frontend/packages/kit/src/formulas", "", "temml"),
    f"{_KIT}/markdown": PageRoom(
        "frontend/packages/kit/src/markdown", f"{_KIT}/formulas", "dompurify marked"
    ),
    f"{_KIT}/testing": PageRoom("frontend/packages/kit/src/testing", _API, "@preact/signals"),
    "gallery": PageRoom(
        "frontend/gallery",
        f"{_API} {_KIT} {_LAB} {_KIT}/draw {_KIT}/flame {_KIT}/lines {_KIT}/histograms {_KIT}/steps "
        f"{_KIT}/table {_KIT}/html {_KIT}/testing",
        _PREACT,
    ),
    "shell": PageRoom(
        "frontend/shell/src",
        f"{_API} {_KIT} {_LAB} {_KIT}/draw {_KIT}/lines {_KIT}/markdown {_KIT}/runs {_KIT}/table",
        f"{_PREACT} @fontsource-variable/inter",
    ),
}
PLUGIN = PageRoom(
    "plugins",
    " ".join(ROOMS.keys() - {"shell", "gallery", f"{_KIT}/testing"}),
    f"{_PREACT} @dagrejs/dagre jspdf plotly.js-strict-dist-min svg2pdf.js vega vega-interpreter vega-lite",
)  # each of them a room of its own
ENTRIES = {_LAB: "frontend/packages/kit/src/lab"}  # files that names mean, but for those of an index
NO_ROOMS = {  # parts of the build
    "frontend/packages/kit/build.d.ts",
    "frontend/packages/preact.ts",
    "frontend/vitest.setup.ts",
}
_OF_TESTS = {"vitest", "node", "d3-contour"}
_PLUGIN_PLACE = re.compile(r"plugins/(\w+)/(?:insight_\1/)?frontend/")
_TEXTS_OF_PLUGIN = re.compile(r"plugins/(\w+)/insight_\1/locales/[\w-]+\.json$")
_TEXTS_OF_KIT = re.compile(r"frontend/packages/kit/src/locales/[\w-]+\.json$")
_STYLES_OF_PHONE = "frontend/packages/kit/src/phone.css"
_IMPORT = re.compile(
    r"""(?:^|;)\s*(?:import|export)\s(?P<what>[^'";]*?\bfrom\s*)?['"](?P<name>[^'"]+)['"]"""
    r"""|\bimport\(\s*['"](?P<late>[^'"]+)['"]""",
    re.M,
)
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"])//[^\n]*", re.S)


def imports_of(text: str) -> Iterator[tuple[str, bool]]:
    """The modules that a text imports, and whether only for their types."""
    for found in _IMPORT.finditer(_COMMENT.sub("", text)):
        yield found["name"] or found["late"], (found["what"] or "").lstrip().startswith("type ")


def room_of(file: str) -> str:
    """The alias of the room that a file is in; a plugin is a room of its own. Empty for files in none."""
    if found := _PLUGIN_PLACE.match(file):
        return f"plugin {found[1]}"
    within = [name for name, room in ROOMS.items() if f"{_stem(file)}/".startswith(f"{room.place}/")]
    return max(within, key=lambda name: len(ROOMS[name].place), default="")


def _stem(file: str) -> str:
    return re.sub(r"(\.test)?\.tsx?$", "", file)


def _is_of_tests(file: str) -> bool:
    """Whether it is a file of tests, or a stand-in that these share: neither is built."""
    return ".test." in file or os.path.basename(file).startswith("fake_")


def target_of(file: str, name: str) -> str:
    """The path that an import means, without its suffix; of a package the name."""
    if name.startswith("."):
        return os.path.normpath(f"{os.path.dirname(file)}/{name}")
    if name in ENTRIES:
        return ENTRIES[name]
    return ROOMS[name].place if name in ROOMS else name


def breaches(file: str, text: str) -> list[str]:
    """Imports of a file that the tables do not allow."""
    here = room_of(file)
    allowed = ROOMS.get(here, PLUGIN)
    is_test = _is_of_tests(file)
    of_tests = allowed.rooms | {f"{_KIT}/testing"}
    found = []
    for name, types_only in imports_of(text):
        target = target_of(file, name)
        if name.startswith("."):
            # tests are not built: they may look into what their room imports
            near = {here} | allowed.below
            fits = room_of(target) in (near | of_tests if is_test else near)
            fits |= is_test and target.startswith("tests/fixtures/")
            fits &= is_test or not _is_of_tests(target)
            if found_texts := _TEXTS_OF_PLUGIN.match(target):  # both halves read them
                fits |= here == f"plugin {found_texts[1]}"
            elif target == _STYLES_OF_PHONE:  # the shell puts all of them into one file
                fits |= file == "frontend/shell/src/phone.ts"
            elif _TEXTS_OF_KIT.match(target):  # a group for each of its rooms
                fits |= here.startswith(_KIT)
        elif name in ROOMS:
            rooms = of_tests if is_test else allowed.rooms
            fits = name in (rooms | allowed.types if types_only else rooms)
        else:
            package = name.partition(":")[0] if name.startswith("node:") else name
            known = allowed.packages | (_OF_TESTS if is_test else set())
            fits = any(package == one or package.startswith(f"{one}/") for one in known)
        if not fits:
            found.append(f"{file} may not import {name}: see docs/architecture.md")
    return found


def circle(files: Mapping[str, str]) -> list[str]:
    """Modules that import each other in a circle, late ones and those of types counted; none without one."""
    modules = {re.sub(r"/index$", "", _stem(file)): file for file in files if ".test." not in file}
    graph = {
        module: {
            target
            for name, _ in imports_of(files[file])
            if (target := re.sub(r"/index$", "", target_of(file, name))) in modules
        }
        for module, file in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _texts(repository: Path, patterns: Iterable[str]) -> dict[str, str]:
    found = {
        path.relative_to(repository).as_posix(): path.read_text(encoding="utf-8")
        for pattern in patterns
        for path in sorted(repository.glob(pattern))
        if path.suffix in (".ts", ".tsx") and not {"node_modules", "static"}.intersection(path.parts)
    }
    assert found
    return found


@pytest.fixture(scope="module")
def sources(repository: Path) -> dict[str, str]:
    """Every TypeScript module of the page and of plugins, by its path."""
    every = _texts(repository, ["frontend/**/*", "plugins/**/*"])
    return {file: text for file, text in every.items() if file not in NO_ROOMS}


def test_modules_of_the_page_import_only_what_the_table_allows(sources: dict[str, str]) -> None:
    assert [line for file, text in sources.items() for line in breaches(file, text)] == []


def test_every_module_is_in_a_room(sources: dict[str, str]) -> None:
    found = {room_of(file) for file in sources}
    assert "" not in found
    assert found > ROOMS.keys()


def test_no_modules_of_the_page_import_each_other_in_a_circle(sources: dict[str, str]) -> None:
    assert circle(sources) == []


@pytest.mark.parametrize(
    ("file", "text", "breach"),
    [
        ("plugins/a/insight_a/frontend/x.ts", "import { b } from '@insight-host/kit/draw';", False),
        ("plugins/a/insight_a/frontend/x.ts", "import { b } from '@insight-host/kit/draw/axis';", True),
        (
            "plugins/a/insight_a/frontend/x.ts",
            "import {\n  b,\n} from '../../../b/insight_b/frontend/y';",
            True,
        ),
        ("plugins/a/insight_a/frontend/x.ts", "const y = await import('shell/y');", True),
        ("plugins/a/insight_a/frontend/x.ts", "import y from 'lodash';", True),
        ("plugins/a/insight_a/frontend/x.ts", "// import y from 'lodash';", False),
        ("plugins/a/insight_a/frontend/x.ts", "import { it } from 'vitest';", True),
        ("plugins/a/insight_a/frontend/x.test.ts", "import { it } from 'vitest';", False),
        ("plugins/a/insight_a/frontend/fake_x.ts", "import { vi } from 'vitest';", False),
        ("plugins/a/insight_a/frontend/x.test.ts", "import { x } from './fake_x';", False),
        ("plugins/a/insight_a/frontend/x.ts", "import { x } from './fake_x';", True),
        (f"{ROOMS['shell'].place}/x.ts", "import type { y } from '@insight-host/api';", False),
        (f"{ROOMS['shell'].place}/x.ts", "import '../../../plugins/a/insight_a/frontend/x';", True),
        (f"{ROOMS[_KIT].place}/x.ts", "import type { y } from '@insight-host/kit/steps';", False),
        (f"{ROOMS[_KIT].place}/x.ts", "import { y } from '@insight-host/kit/steps';", True),
        (f"{ROOMS[_KIT].place}/cards/x.ts", "import { y } from '../base/y';", False),
        (f"{ROOMS[_LAB].place}/x.ts", "import type { y } from '../cards/y';", True),
        (f"{ROOMS[_LAB].place}/x.ts", "import type { y } from '@insight-host/kit/draw';", True),
        (f"{ROOMS[_KIT].place}/steps/x.ts", "import { y } from '@insight-host/kit';", True),
        (f"{ROOMS[_KIT].place}/x.ts", "import { y } from '@insight-host/kit/lab';", True),
        (f"{ROOMS[_KIT].place}/lines/x.ts", "import { y } from '../texts';", True),
        (f"{ROOMS[_KIT].place}/lines/x.ts", "import { y } from '@insight-host/kit/lab';", False),
        (f"{ROOMS[_KIT].place}/x.ts", f"import y from '../../../../{ROOMS['shell'].place}/y';", True),
        (f"{ROOMS[_API].place}/x.ts", "export * from '@insight-host/kit';", True),
        (f"{ROOMS[_API].place}/x.ts", "import { h } from 'preact';", True),
    ],
)
def test_a_breach_of_the_page_is_found(file: str, text: str, breach: bool) -> None:
    assert bool(breaches(file, text)) is breach


def test_a_circle_of_the_page_is_found() -> None:
    place = ROOMS[_KIT].place
    files = {
        f"{place}/a.ts": "import { b } from './inner/b';",
        f"{place}/inner/b.tsx": "const c = await import('../c');",
        f"{place}/c.ts": "export { a } from './a';",
    }
    assert {Path(one).name for one in circle(files)} == {"a", "b", "c"}
    files[f"{place}/c.ts"] = "import type { a } from './a';"
    assert {Path(one).name for one in circle(files)} == {"a", "b", "c"}
    files[f"{place}/c.ts"] = "export const a = 1;"
    assert circle(files) == []

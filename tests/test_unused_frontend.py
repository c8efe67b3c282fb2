"""Texts, styles and exports of the front end that nothing uses are deleted."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
IN_THE_HEAD = {"boot", "guard"}  # of the page: the build calls what these modules export
_EXPORT = re.compile(
    r"^export (?:async )?(?:abstract )?(?:const|function\*?|class|interface|type) (\w+)", re.M
)


def _tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).exists()]


@cache
def _sources() -> dict[Path, str]:
    """The code of the front end, without comments and tests."""
    paths = _tracked("frontend/*.ts", "frontend/*.tsx", "plugins/*.ts", "plugins/*.tsx", ":!*.d.ts")
    texts = {path: path.read_text(encoding="utf-8") for path in paths if ".test." not in path.name}
    return {
        path: re.sub(r"(?<![\w\'\"`*])/\*.*?\*/|(?<![:'\"`])//[^\n]*", "", text, flags=re.DOTALL)
        for path, text in texts.items()
    }


@cache
def _code(room: str = "") -> str:
    """The code below a directory, or all."""
    return "\n".join(
        text for path, text in _sources().items() if path.relative_to(ROOT).as_posix().startswith(room)
    )


def _built(code: str) -> list[re.Pattern[str]]:
    """What template literals can become: ``group.${kind}`` is any name that begins with ``group.``."""
    parts = (
        re.split(r"\$\{[^{}]*\}", one)
        for one in re.findall(r"(?=[` ]((?:[\w.\-]|\$\{[^{}`]*\})+)[` ])", code)
    )
    patterns = {
        ".+".join(map(re.escape, some)) for some in parts if len(some) > 1 and max(map(len, some)) > 1
    }
    return [re.compile(pattern) for pattern in patterns]


@cache
def _names_in(room: str) -> tuple[set[str], list[re.Pattern[str]]]:
    """The names that the code below a directory writes out, and those that it puts together."""
    code = _code(room)
    return set(re.findall(r"['\"]([\w.\-]+)['\"]", code)), _built(code)


def _keys_of_texts(path: Path) -> Iterator[str]:
    """Of a file of texts, which may have groups of them."""
    for key, text in json.loads(path.read_text(encoding="utf-8")).items():
        yield from text if isinstance(text, dict) else [key]


def test_every_text_is_read_by_some_code_of_its_room() -> None:
    python = "".join(
        path.read_text(encoding="utf-8") for path in _tracked("plugins/*.py", "insight_core/*.py")
    )
    codes = set(re.findall(r"\w+", python))  # the server says some, and code puts them together
    beginnings = tuple(re.findall(r'"(\w+_)\{\w+\}"', python))
    declared = set(re.findall(r'"(\w+\.\w+)"', python))  # declarations of tables name some
    unread = []
    for path in _tracked(":(glob)frontend/**/locales/**/en.json", ":(glob)plugins/**/locales/**/en.json"):
        room = "/".join(path.relative_to(ROOT).parts[:2])
        # a plugin has texts that the kit reads, too; all may read those of the page and the kit
        readers = [_names_in(f"{room}/"), _names_in("frontend/packages/")]
        if not room.startswith("plugins/"):
            readers = [_names_in("")]
        written = declared.union(*(names for names, _ in readers))
        built = [pattern for _, patterns in readers for pattern in patterns]
        for key in _keys_of_texts(path):
            stem = re.sub(r"\.(one|few|many|other)$", "", key)
            *kind, choice = stem.rsplit(".", 1)  # of a control that says `${name}.${value}`
            if not (
                written & {key, stem}
                or any(pattern.fullmatch(stem) for pattern in built)
                or stem.startswith(beginnings)
                or (written.issuperset(kind) and choice in (written | codes if kind else codes))
            ):
                unread.append(f"{path.relative_to(ROOT)}: {key}")
    assert unread == []


def test_every_class_and_property_of_the_styles_has_a_user() -> None:
    styles = {path: path.read_text(encoding="utf-8") for path in _tracked("frontend/*.css", "plugins/*.css")}
    words = set(re.findall(r"[\w-]+", _code()))
    built = _built(_code())
    everything = _code() + "\n".join(styles.values())
    used = set(re.findall(r"var\((--[\w-]+)", everything)) | set(
        re.findall(r"['\"](--[\w-]+)['\"]", everything)
    )
    prefixes = tuple(re.findall(r"var\((--[\w-]+)\$\{", everything))
    unused = []
    for path, text in styles.items():
        rules = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        classes = set(re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r"\{[^{}]*\}", "{}", rules)))
        properties = set(re.findall(r"(--[\w-]+)\s*:", rules))
        unused += [
            f"{path.relative_to(ROOT)}: {name}"
            for name in sorted((classes - words) | (properties - used))
            if not any(pattern.fullmatch(name) for pattern in built) and not name.startswith(prefixes)
        ]
    assert unused == []


def test_every_export_is_used() -> None:
    words = Counter(re.findall(r"\w+", _code()))
    unused = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in _sources().items()
        if path.stem not in {*IN_THE_HEAD, "testing"}
        and not path.stem.startswith("fake_")  # help for tests
        and "examples" not in path.parts  # the gallery shows all exports of these
        for name in _EXPORT.findall(text)
        if words[name] < 2
    ]
    assert unused == []

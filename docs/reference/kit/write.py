"""Writes the reference pages of the kit next to this file, from its sources: components, and the rest.

Run it after a change of an export or its comment: ``python docs/reference/kit/write.py``. A test compares
the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from attrs import frozen

PLACE = Path(__file__).parent
KIT = PLACE.parents[2] / "frontend/packages/kit/src"
MODULES = {
    "@insight-host/kit": "",
    "@insight-host/kit/flame": "flame",
    "@insight-host/kit/histograms": "histograms",
    "@insight-host/kit/steps": "steps",
    "@insight-host/kit/table": "table",
}
# of the page of all exports that are not components
OTHERS = {
    **MODULES,
    "@insight-host/kit/lines": "lines",
    "@insight-host/kit/html": "html.ts",
    "@insight-host/kit/markdown": "markdown",
    "@insight-host/kit/texts": "texts",
    "@insight-host/kit/testing": "testing.ts",
}
_DOC = r"(?:/\*\*(?P<doc>(?:(?!\*/).)*)\*/\n)?"
_COMPONENT = re.compile(
    rf"^{_DOC}export function (?P<name>[A-Z]\w*)(?:<[^(]*>)?"
    r"\((?P<taken>.*?)\): JSX\.Element(?: \| null)? \{$",
    re.M | re.S,
)


_DECLARED = re.compile(
    rf"^{_DOC}export (?P<kind>async function|function|const|type|interface|class) (?P<name>\w+)", re.M | re.S
)
_MEMBER = re.compile(
    r"^(?:  /\*\*(?P<doc>(?:(?!\*/).)*)\*/\n)?"
    r"  (?P<line>(?!private|protected|override|static override)(?:readonly |get |static )?\w+[^\n]*)$",
    re.M | re.S,
)


@frozen
class Component:
    """An exported component: its description, and its properties as TypeScript."""

    name: str
    description: str
    properties: str


def _exported(directory: Path) -> Iterator[tuple[Path, frozenset[str] | None]]:
    """Files of which the index of a module exports something, with the names; None for all of them."""
    for names, place, name in re.findall(
        r"^export (?:type )?(\*|\{[^}]*\}) from '(\.|@insight-host/kit)/(\w+)'",
        (directory / "index.ts").read_text("utf-8"),
        re.M,
    ):
        wanted = None if names == "*" else frozenset(re.findall(r"\w+", names))
        if place == "." and (directory / name / "index.ts").is_file():
            yield from _exported(directory / name)
            yield directory / name / "index.ts", None
        elif place != ".":
            yield from ((path, wanted) for path in sorted((KIT / name).glob("*.ts")))
        else:
            files = (directory / f"{name}.tsx", directory / f"{name}.ts")
            yield next(path for path in files if path.is_file()), wanted


def _text(doc: str | None) -> str:
    lines = (re.sub(r"^\s*\* ?", "", line).strip() for line in (doc or "").splitlines())
    return " ".join(filter(None, lines))


def _properties(source: str, taken: str) -> str:
    """The interface that a component takes, or the type that stands in its signature."""
    given = re.search(r":\s*(\{.*\})\s*,?\s*$", taken, re.S)
    if given:
        return dedent(f"  {given[1]}") if "\n" not in given[1] else given[1]
    named = re.search(r"(\w+)(?:<[^>]*>)?,?\s*$", taken)
    assert named is not None, taken
    interface = re.search(rf"^(?:export )?interface {named[1]}\b.*?^}}$", source, re.M | re.S)
    if interface:
        return interface[0].removeprefix("export ")
    contract = (KIT / "table/contract.ts").read_text("utf-8")
    interface = re.search(rf"^export interface {named[1]}\b.*?^}}$", contract, re.M | re.S)
    return interface[0].removeprefix("export ") if interface else ""


def components(directory: str) -> list[Component]:
    """The exported components of a module, by name."""
    found = []
    for path, names in _exported(KIT / directory):
        source = path.read_text("utf-8")
        for match in _COMPONENT.finditer(source):
            if names is not None and match["name"] not in names:
                continue
            properties = _properties(source, match["taken"]) if match["taken"].strip() else ""
            found.append(Component(match["name"], _text(match["doc"]), properties))
    return sorted(found, key=lambda component: component.name)


@frozen
class Export:
    """An export that is not a component: what it is, in prose and as TypeScript."""

    name: str
    description: str
    declaration: str


def _until(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.M | re.S)
    assert found is not None, text[:80]
    return found[0]


def _declaration(kind: str, text: str) -> str:
    """The declaration at the beginning of a text, without the code of a function or a class."""
    if kind in ("interface", "type"):
        ending = r"\A.*?(?:^\}$|\{\}$)" if kind == "interface" else r"\A.*?;$"
        return _until(ending, text).removesuffix(";")
    if kind == "class":
        body = _until(r"\A.*?^\}$", text)
        members = []
        for member in _MEMBER.finditer(body):
            line = member["line"].strip()
            if re.match(r"(?:get |static )?\w+(?:<[^(]*>)?\(", line):
                line = _until(r"\A.*?(?= \{)", body[member.start("line") :].lstrip())
            doc = _text(member["doc"])
            shown = re.sub(r" =(?!>).*|;$|private readonly |(?<=[(])readonly ", "", line)
            members += [*([f"  /** {doc} */"] if doc else []), f"  {shown}"]
        return "\n".join([body.partition("\n")[0], *members, "}"])
    if kind == "const":
        if found := re.match(r"const \w+ = (?:<[^>]*>)?\(.*?\)(?:: [^\n]*?)?(?= =>)", text, re.S):
            return found[0]
        return _until(r"\A.*?(?=;$| =)", text)
    return _until(r"\A.*?(?= \{$)", text)


def others(module: str) -> list[Export]:
    """The exports of a module but for components and their properties, by name."""
    place = KIT / OTHERS[module]
    files: list[tuple[Path, frozenset[str] | None]] = (
        [(place, None)]
        if place.is_file()
        else [
            *_exported(place),
            (place / "index.ts", None),
        ]
    )
    known = {component.name for component in components(OTHERS[module])} if place.is_dir() else set()
    found = []
    for path, names in files:
        source = path.read_text("utf-8")
        for match in _DECLARED.finditer(source):
            name = match["name"]
            if (names is not None and name not in names) or {name, name.removesuffix("Props")} & known:
                continue
            text = source[match.start("kind") :]
            found.append(Export(name, _text(match["doc"]), _declaration(match["kind"], text)))
    return sorted(found, key=lambda export: (export.name.lower(), export.name))


def page_of_others() -> str:
    """The page of all exports but for components, as Markdown."""
    lines = [
        "# Functions and types of the kit",
        "",
        "What `@insight-host/kit` and its parts export in addition to [components](components.md);",
        "[guide.md](guide.md) shows the most important together. What is here is promised, with the",
        "signatures of [javascript.txt](../surface/javascript.txt). Written by",
        "`python docs/reference/kit/write.py`.",
    ]
    for module in OTHERS:
        lines += ["", f"## {module}"]
        for export in others(module):
            lines += ["", f"### {export.name}", ""]
            if export.description:
                lines += [export.description, ""]
            lines += ["```ts", export.declaration, "```"]
    lines += ["", "## codecs", "", "Members of `codecs` of `@insight-host/kit`."]
    source = (KIT / "base/codecs.ts").read_text("utf-8")
    for match in _DECLARED.finditer(source):
        text = _declaration(match["kind"], source[match.start("kind") :])
        lines += ["", f"### codecs.{match['name']}", ""]
        if description := _text(match["doc"]):
            lines += [description, ""]
        lines += ["```ts", text, "```"]
    return "\n".join(lines) + "\n"


PAGES = {"components.md": lambda: page(), "functions.md": page_of_others}


def page() -> str:
    """The reference page, as Markdown."""
    lines = [
        "# Components of the kit",
        "",
        "Every component that `@insight-host/kit` and its parts export, with its properties.",
        "`insight-host plugin dev` shows them at `/gallery`, with the code that makes them; the",
        "[README of the kit](../../../frontend/packages/kit/README.md) says how they make a tab. Written by",
        "`python docs/reference/kit/write.py`.",
    ]
    for module, directory in MODULES.items():
        lines += ["", f"## {module}"]
        for component in components(directory):
            lines += ["", f"### {component.name}", "", component.description]
            if component.properties:
                lines += ["", "```ts", component.properties, "```"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file, text in PAGES.items():
        (PLACE / file).write_text(text(), encoding="utf-8")

"""Writes the reference page of the kit's components next to this file, from their sources.

Run it after a change of a component: ``python docs/reference/kit/write.py``. A test compares the page.
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
    "@insight-host/kit/histograms": "histograms",
    "@insight-host/kit/steps": "steps",
    "@insight-host/kit/table": "table",
}
_DOC = r"(?:/\*\*(?P<doc>(?:(?!\*/).)*)\*/\n)?"
_COMPONENT = re.compile(
    rf"^{_DOC}export function (?P<name>[A-Z]\w*)(?:<[^(]*>)?"
    r"\((?P<taken>.*?)\): JSX\.Element(?: \| null)? \{$",
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
    for names, name in re.findall(
        r"^export (\*|\{[^}]*\}) from '\./(\w+)'", (directory / "index.ts").read_text("utf-8"), re.M
    ):
        path = next(path for path in (directory / f"{name}.tsx", directory / f"{name}.ts") if path.is_file())
        yield path, None if names == "*" else frozenset(re.findall(r"\w+", names))


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
    (PLACE / "components.md").write_text(page(), encoding="utf-8")

"""Builds the site of the documents: all pages that README.md leads to, with search, without a network.

``make docs`` runs it. The pages keep their places in the repository, so that links mean on the site what
they mean in a checkout; a link that leads nowhere ends the build.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

REPOSITORY: Final = Path(__file__).resolve().parents[2]
VERSION: Final = REPOSITORY / "insight_record/pyproject.toml"  # of both distributions
SETTINGS: Final = Path(__file__).with_name("zensical.toml")
BUILT: Final = REPOSITORY / "build" / "docs"
PAGES: Final = BUILT / "pages"  # what the site is made from

HOME: Final = "README.md"
CONTENTS: Final = "docs/README.md"  # its headings are the parts of the navigation, its lists their pages
LAST: Final = ("CHANGELOG.md", "CONTRIBUTING.md")  # behind the pages of its last part

_CODE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\((?P<page>[^)\s]+)\)|(?:src|srcset)=\"(?P<picture>[^\"]+)\"")
_LISTED = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<page>[^)#\s]+\.md)\)")
_SHIM: Final = "https://unpkg.com/iframe-worker/shim"
_LOADED = re.compile(r"<(?:script|img|source|link rel=\"stylesheet\")[^>]*\b(?:src|href)=\"(https?:[^\"]*)")
_ELSEWHERE = re.compile(r"[a-z]+:|#")

Entry: TypeAlias = "dict[str, str | list[Entry]]"


def main() -> None:
    version = tomllib.loads(VERSION.read_text(encoding="utf-8"))["project"]["version"]
    site = BUILT / "site" / version  # next to the sites of other versions
    for made in (PAGES, site):
        shutil.rmtree(made, ignore_errors=True)
    for path in reached(REPOSITORY / HOME):
        copy = PAGES / path.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    project = {
        "site_name": f"insight-host {version}",
        "docs_dir": PAGES.name,
        "site_dir": f"site/{version}",
        "use_directory_urls": False,
        "nav": navigation((REPOSITORY / CONTENTS).read_text(encoding="utf-8")),
    }
    lines = [f"{name} = {_toml(value)}" for name, value in project.items()]
    settings = SETTINGS.read_text(encoding="utf-8")
    (BUILT / SETTINGS.name).write_text("\n".join(["[project]", *lines, settings]), encoding="utf-8")
    program = Path(sys.executable).with_name("zensical")
    if status := subprocess.run([program, "build", "--strict", "--clean"], cwd=BUILT).returncode:
        raise SystemExit(status)
    localise(site)
    print(f"written: {site.relative_to(REPOSITORY)}/index.html")


def localise(site: Path) -> None:
    """Give a site the one script that its pages would load from elsewhere: what searches without a server.

    Raises:
        SystemExit: a page loads anything else, or not this.
    """
    script = site / "assets" / "javascripts" / "iframe-worker.js"
    shutil.copyfile(REPOSITORY / "node_modules" / "iframe-worker" / "shim" / "index.js", script)
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if _LOADED.findall(text) != [_SHIM]:
            raise SystemExit(f"{page.relative_to(site)} loads {_LOADED.findall(text)}, not {_SHIM} alone")
        up = "../" * (len(page.relative_to(site).parts) - 1)
        page.write_text(text.replace(_SHIM, f"{up}{script.relative_to(site).as_posix()}"), encoding="utf-8")


def reached(start: Path) -> Iterator[Path]:
    """Yield the files that a page leads to, over any number of links, with the page itself.

    Raises:
        SystemExit: a link leads to a directory, or to nothing.
    """
    found = {start}
    waiting = [start]
    while waiting:
        page = waiting.pop()
        yield page
        if page.suffix != ".md":
            continue
        for match in _LINK.finditer(_CODE.sub("", page.read_text(encoding="utf-8"))):
            link = match["page"] or match["picture"]
            if _ELSEWHERE.match(link):
                continue
            target = (page.parent / link.partition("#")[0]).resolve()
            if not target.is_file():
                raise SystemExit(f"{page.relative_to(REPOSITORY)}: {link} does not exist, or is a directory")
            if target not in found:
                found.add(target)
                waiting.append(target)


def navigation(contents: str) -> list[Entry]:
    """Return the pages of a table of contents, by its headings."""
    entries: list[Entry] = [{"Home": HOME}]
    parts = re.split(r"^## (.*)$", contents, flags=re.MULTILINE)[1:]
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        pages: list[Entry] = [{match["title"]: _place(match["page"])} for match in _LISTED.finditer(text)]
        entries.append({heading: pages})
    last = entries[-1]
    for part in last.values():
        if isinstance(part, list):
            part.extend({Path(name).stem.capitalize(): name} for name in LAST)
    return entries


def _place(link: str) -> str:
    return ((REPOSITORY / CONTENTS).parent / link).resolve().relative_to(REPOSITORY).as_posix()


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(own)}" for key, own in value.items()) + " }"
    return json.dumps(value)


if __name__ == "__main__":
    main()

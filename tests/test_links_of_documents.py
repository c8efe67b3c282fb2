"""Links between the documents of the repository."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

_CODE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z]+:")


def test_every_link_leads_to_a_file_and_a_heading(repository: Path) -> None:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=repository).stdout
    documents = [repository / name for name in listed.split()]
    assert len(documents) > 50
    assert [broken for document in documents if document.is_file() for broken in _broken(document)] == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Of a `thing`: 2 words\n", encoding="utf-8")
    document = tmp_path / "one.md"
    links = ["other.md#of-a-thing-2-words", "https://example.org/none", "none.md", "other.md#none"]
    document.write_text("".join(f"[a]({link})\n" for link in links), encoding="utf-8")
    assert list(_broken(document)) == ["one.md: none.md", "one.md: other.md#none"]


def _broken(document: Path) -> Iterator[str]:
    for link in _LINK.findall(_CODE.sub("", document.read_text(encoding="utf-8"))):
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        if _ELSEWHERE.match(link):
            continue
        if not target.exists() or (heading and target.suffix == ".md" and heading not in _headings(target)):
            yield f"{document.name}: {link}"


def _headings(document: Path) -> set[str]:
    """The names that GitHub gives to headings."""
    texts = _HEADING.findall(document.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") for text in texts}

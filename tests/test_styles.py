"""Each package has class names of its own; colours, sizes, corners and layers are those of tokens.css."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOKENS = ROOT / "frontend/shell/src/styles/tokens.css"
_OWN_PAGES = {  # styles that no tab and no page around it has
    "plugins/access/insight_access/page.css": "asks for the token before there is a page",
    "plugins/reports/frontend/print.css": "leaves out the page around a report that is printed",
}
_LITERAL = re.compile(
    r"#[\da-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\((?!var\()[^)]*\)"
    r"|(?<![-\w])(?:white|black|gray|grey|silver|red|green|blue|yellow|orange|purple)(?![-\w])",
    re.I,
)
_MASK = re.compile(r"mask(?:-image)?:[^;}]+")  # a mask has no colours: it hides where it is transparent
_LARGEST_CORNER = 3  # px, of marks and bars that are a few pixels high


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Each selector of each rule, lists split, and what the rule says; not the steps of animations."""
    text = re.sub(r"@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", _without_comments(text))
    for found in re.finditer(r"([^{};]+)\{([^{}]*)\}", text):
        for selector in _listed(found[1]):
            yield selector, found[2]


def _listed(selectors: str) -> Iterator[str]:
    """The selectors of a list; commas within :is(), :not() and so on do not separate any."""
    depth = 0
    selector = ""
    for sign in f"{selectors},":
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign != "," or depth:
            selector += sign
            continue
        yield " ".join(selector.split())
        selector = ""


def _classes(selector: str) -> list[str]:
    return re.findall(r"\.([a-zA-Z][\w-]*)", re.sub(r"\[[^\]]*\]", "", selector))


def foreign(path: str, text: str) -> list[str]:
    """Selectors of a file that are not of its package."""
    selectors = [selector for selector, _ in _rules(text)]
    if path.startswith("frontend/shell/"):
        # what it says of parts of the kit, it says of those in places of its own
        return [one for one in selectors if _classes(one) and not re.search(r"\.ih-", one)]
    if path.startswith("frontend/packages/kit/"):
        return [one for one in selectors if not re.match(r"\.(kit|markdown|ih-dialog)\b", one)]
    own = {_root(one) for one in selectors}
    return [] if len(own) == 1 and "" not in own else [f"below {', '.join(sorted(own))}"]


def _root(selector: str) -> str:
    """The class of a tab, below which its rules stand; "" if a rule stands elsewhere."""
    selector = re.sub(r"^:root\[data-theme='dark'\] :scope ", "", selector)
    first, *more = [*_classes(selector.split(" ")[0]), ""]
    root = more[0] if first == "kit" else first
    return "" if root.startswith("ih-") else root


def literals(text: str) -> list[str]:
    """Colours, sizes of letters, corners and layers that are not said by tokens."""
    sizes = [
        found[0].strip()
        for selector, rule in _rules(text)
        if not selector.endswith(" text")  # of an SVG: in units of the drawing
        for found in re.finditer(r"font(?:-size)?:(?:[^;(]*\s)?[\d.]+px[^;]*", rule)
    ]
    text = _MASK.sub("", _without_comments(text))
    corners = [
        f"border-radius: {value.strip()}"
        for value in re.findall(r"border-radius:([^;}]+)", text)
        if any(_LARGEST_CORNER < float(size) < 10 for size in re.findall(r"([\d.]+)px", value))
    ]
    layers = [
        f"z-index: {value.strip()}"
        for value in re.findall(r"z-index:([^;}]+)", text)
        if not re.fullmatch(r"\s*var\(--z-[a-z]+\)\s*", value)
    ]
    return [*_LITERAL.findall(text), *sizes, *corners, *layers]


@pytest.fixture(scope="module")
def styles() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "frontend/*.css", "plugins/*.css"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    files = {path: ROOT / path for path in listed if (ROOT / path).exists() and path not in _OWN_PAGES}
    assert len(files) > 30
    return {path: file.read_text(encoding="utf-8") for path, file in files.items()}


def test_a_package_styles_its_own_classes_alone(styles: dict[str, str]) -> None:
    assert [f"{path}: {one}" for path, text in styles.items() for one in foreign(path, text)] == []


def test_colours_sizes_corners_and_layers_are_tokens(styles: dict[str, str]) -> None:
    others = {path: text for path, text in styles.items() if ROOT / path != TOKENS}
    found = [f"{path}: {one}" for path, text in others.items() for one in literals(text)]
    assert found == [], "see tokens.css"


def test_sizes_of_letters_and_corners_are_few() -> None:
    tokens = _without_comments(TOKENS.read_text(encoding="utf-8"))
    sizes = {int(size) for size in re.findall(r"--size-[a-z]+: (\d+)px", tokens)}
    assert sizes == {11, 12, 13, 14, 25}
    corners = {int(size) for size in re.findall(r"--radius[a-z-]*: (\d+)px", tokens)}
    assert corners == {4, 7, 10}, "4 px only in controls"


def test_every_token_that_is_read_exists(styles: dict[str, str]) -> None:
    everywhere = "".join(styles.values())
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("frontend", "plugins")
        for path in (ROOT / folder).rglob("*.ts*")
        if "node_modules" not in path.parts and path.suffix in {".ts", ".tsx"}
    )
    known = set(re.findall(r"(--[\w-]+)\s*:", everywhere)) | set(re.findall(r"['\"`](--[\w-]+)['\"`]", code))
    unknown = {
        f"{path}: {name}"
        for path, text in styles.items()
        for name in re.findall(r"var\((--[\w-]+)", _without_comments(text))
        if name not in known
    }
    assert unknown == set()


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("frontend/shell/src/a.css", ".kit .card { top: 0 } .ih-a .card, h2 { top: 0 }", [".kit .card"]),
        ("frontend/packages/kit/src/a.css", ".kit .a { top: 0 } @media print { .b { top: 0 } }", [".b"]),
        ("frontend/packages/kit/src/a.css", ".kit :is(a, b:not(c, d)), .kit i { top: 0 }", []),
        ("plugins/x/frontend/x.css", ".x .a { top: 0 } .kit.x.wide { top: 0 } .x.full { top: 0 }", []),
        ("plugins/x/frontend/x.css", ".x .a { top: 0 } .ih-button { top: 0 }", ["below , x"]),
        ("plugins/x/frontend/x.css", ".x .a { top: 0 } .y { top: 0 }", ["below x, y"]),
    ],
)
def test_rules_of_others_are_found(path: str, text: str, found: list[str]) -> None:
    assert foreign(path, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (".a { color: #fff; white-space: nowrap; mask-image: linear-gradient(black, red) }", ["#fff"]),
        (".a { background: rgb(0 0 0 / .4); color: oklch(var(--l) 0.1 20) } /* #abc */", ["rgb(0 0 0 / .4)"]),
        (".a { border: 1px solid red; border-radius: 6px 0 }", ["red", "border-radius: 6px 0"]),
        (".a { border-radius: 2px; border-radius: 50%; z-index: 3 }", ["z-index: 3"]),
        (
            ".a, b { font: 600 12px/1.5 var(--mono) } i text { font-size: 8px }",
            2 * ["font: 600 12px/1.5 var(--mono)"],
        ),
        (".a { font-size: 11.5px; font: var(--size-text) var(--font) }", ["font-size: 11.5px"]),
        (".a { z-index: var(--z-tool); border-radius: var(--radius); color: var(--text) }", []),
    ],
)
def test_literals_are_found(text: str, found: list[str]) -> None:
    assert literals(text) == found

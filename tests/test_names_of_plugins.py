"""The host knows no plugin by its name: what it needs of one is found by what the plugin can do."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

HOST = ("insight_authoring", "insight_core", "insight_host", "insight_layers", "insight_log_tables")
# The only list of names, and who may use it: it reserves them, and a name that is left out is one of them.
MAY_NAME = {
    "insight_core/plugin/__init__.py",
    "insight_core/plugin/contract.py",
    "insight_authoring/testing/event_writer.py",
    "insight_authoring/testing/fake.py",
    "insight_core/registry/registry.py",
    "insight_core/registry/rules.py",
    "insight_host/client.py",
}
# What holds the name of a plugin, and what is asked with one.
_HOLDERS = {"plugin", "plugins", "group", "module", "entry_point", "owner", "tab"}
_BY_PLUGIN = {"plugins", "options", "origins", "failures", "policies"}
_ASKED = {
    *("ask", "compute", "context_of", "add_scalars", "payload", "records", "scalars", "series"),
    *("series_tables", "unknown_series", "_points", "_records", "_tables", "_values"),
}


def _plugins(repository: Path) -> set[str]:
    return {path.name for path in (repository / "plugins").iterdir() if (path / "README.md").is_file()}


def _word(node: ast.AST) -> str:
    """The last word of ``a.b.word``, of a call of it, or of an argument."""
    while isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _places(tree: ast.AST) -> Iterator[ast.expr | None]:
    """Expressions that are a plugin's name, or several."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_word(side) in _HOLDERS for side in sides):
                yield from sides
        elif isinstance(node, ast.Call):
            yield from (each.value for each in node.keywords if each.arg in _HOLDERS)
            function = node.func
            if _word(function) in _ASKED:
                yield from node.args[:1]
            if isinstance(function, ast.Attribute):
                of = _word(function.value)
                if of in _BY_PLUGIN or (of in _HOLDERS and function.attr == "startswith"):
                    yield from node.args[:1]
        elif isinstance(node, ast.Subscript) and _word(node.value) in _BY_PLUGIN:
            yield node.slice
        elif isinstance(node, ast.arguments):
            arguments, defaults = [*node.posonlyargs, *node.args], node.defaults
            given = [*zip(arguments[::-1], defaults[::-1], strict=False)]
            given += zip(
                node.kwonlyargs, (each or ast.Constant(None) for each in node.kw_defaults), strict=True
            )
            yield from (default for argument, default in given if argument.arg in _HOLDERS)
        elif isinstance(node, ast.AnnAssign) and _word(node.target) in _HOLDERS:
            yield node.value


def _texts(node: ast.expr | None, constants: dict[str, ast.expr]) -> Iterator[tuple[int, str]]:
    """The texts of an expression, with lines: itself, those in it, or that of a constant of the module."""
    if isinstance(node, ast.Name) and node.id in constants:
        node = constants[node.id]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for each in node.elts:
            yield from _texts(each, constants)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value


def _named(source: str, file: str, plugins: Collection[str]) -> list[str]:
    """Where a file of the host names a plugin."""
    tree = ast.parse(source)
    constants = {
        _word(target): node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [x.name for x in node.names]
            )
            tops = {module.split(".")[0].removeprefix("insight_") for module in modules}
            if tops & {*plugins}:
                found.append(f"{file}:{node.lineno} imports a plugin")
        elif (
            isinstance(node, ast.Attribute) and _word(node.value) == "PluginNameEnum" and file not in MAY_NAME
        ):
            found.append(f"{file}:{node.lineno} names {node.attr}")
    for place in _places(tree):
        found += [
            f"{file}:{line} names {text}"
            for line, text in _texts(place, constants)
            if text.removeprefix("plugin:") in plugins
        ]
    address = re.compile(rf"\bdata/plugin/({'|'.join(plugins)})\b")
    found += [
        f"{file}:{line} has the address of {name[1]}"
        for line, text in _addresses(tree, constants)
        if (name := address.search(text))
    ]
    return sorted(set(found))


def _addresses(tree: ast.AST, constants: dict[str, ast.expr]) -> Iterator[tuple[int, str]]:
    """All texts but docstrings, and f-strings with the constants that they name, with their lines."""
    docstrings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
            yield node.lineno, "".join(text for part in parts for _, text in _texts(part, constants))


def test_the_host_names_no_plugin(repository: Path) -> None:
    plugins = _plugins(repository)
    assert len(plugins) > 20
    files = [path for room in HOST for path in sorted((repository / room).rglob("*.py"))]
    assert len(files) > 200
    found = [
        line
        for path in files
        for line in _named(path.read_text(encoding="utf-8"), path.relative_to(repository).as_posix(), plugins)
    ]
    assert found == []


def test_the_page_names_no_plugin(repository: Path) -> None:
    plugins = "|".join(sorted(_plugins(repository)))
    named = re.compile(
        rf"\b(?:group|plugin|tab|owner)\s*[!=]==?\s*['\"`](?:{plugins})['\"`]|data/plugin/(?:{plugins})\b"
    )
    files = [
        path
        for path in sorted((repository / "frontend/shell/src").rglob("*.ts*"))
        if ".test." not in path.name and "testing" not in path.name
    ]
    assert len(files) > 50
    assert [str(path) for path in files if named.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "source",
    [
        "from insight_image.decoder import Pictures",
        "import insight_query.engine",
        "_SCALAR = PluginNameEnum.SCALAR",
        "def scalars(plugin='scalar'): ...",
        "def scalars(*, plugin: str = 'scalar'): ...",
        "plugin: str = 'scalar'",
        "self.group == 'scalar'",
        "one.plugin in ('image', 'audio')",
        "plugin.startswith('graph')",
        "host.context_of('lineage').ask",
        "ask('lineage', '/columns')",
        "_SCALAR = 'scalar'\nprovider.scalars(_SCALAR, keys)",
        "_SCALAR = 'scalar'\nif plugin != _SCALAR: ...",
        "_SCALAR = 'scalar'\npost(f'data/plugin/{_SCALAR}/series')",
        "post('data/plugin/scalar/series')",
        "registry.options.get('access', {})",
        "registry.plugins['scalar']",
        "self._records(('text', 'plugin:text'), decode)",
        "column(plugin='scalar')",
    ],
)
def test_a_name_is_found(source: str) -> None:
    plugins = {"access", "audio", "graph", "image", "lineage", "query", "scalar", "text"}
    assert _named(source, "insight_core/web/rules.py", plugins)


@pytest.mark.parametrize(
    "source",
    [
        "FIELDS = ('tensor', 'image', 'histogram')",
        "EventField(Dialect.TENSORBOARD, 'image')",
        "SummaryPlugin('text')",
        "kind: Literal['number', 'text'] = 'text'",
        "subprocess.run(command, text=True)",
        "if name == 'diagnose': ...",
        "def plugin():\n    '''Such as data/plugin/scalar/tags.'''",
        "def scalars(plugin=None): ...",
    ],
)
def test_other_words_are_not_names_of_plugins(source: str) -> None:
    assert (
        _named(source, "insight_core/web/rules.py", {"diagnose", "image", "scalar", "tensor", "text"}) == []
    )

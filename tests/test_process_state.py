"""No library code changes the process: its garbage collector, signals, environment, import path or logging.

Such changes are made by programs: the command line, and the children that plugins start for one job.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = {
    "insight_core/cli": "the command line",
    "plugins/profiler/insight_profiler/profiles/worker.py": "functions of that child",
    "insight_core/__init__.py": "a finder that knows the modules of the last release alone",
    "insight_core/worker/child.py": "child that calls functions within limits",
    "plugins/landscape/insight_landscape/points.py": "children that compute landscapes",
}
CHANGES = {
    "atexit.register",
    "csv.field_size_limit",
    "faulthandler.enable",
    "gc.disable",
    "gc.enable",
    "gc.freeze",
    "gc.set_threshold",
    "locale.setlocale",
    "logging.basicConfig",
    "logging.captureWarnings",
    "logging.disable",
    "multiprocessing.set_start_method",
    "np.seterr",
    "np.set_printoptions",
    "os.chdir",
    "os.nice",
    "os.putenv",
    "os.umask",
    "os.unsetenv",
    "resource.setrlimit",
    "signal.pthread_sigmask",
    "signal.set_wakeup_fd",
    "signal.signal",
    "socket.setdefaulttimeout",
    "sys.setrecursionlimit",
    "sys.setswitchinterval",
    "threading.stack_size",
    "warnings.filterwarnings",
    "warnings.simplefilter",
}
LOGGER_METHODS = {"addFilter", "addHandler", "removeHandler", "setLevel"}
STATE = {"os.environ", "sys.path", "sys.meta_path", "sys.path_hooks"}
MUTATORS = {"append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}
HOOKS = {"sys.excepthook", "sys.stdin", "sys.stdout", "sys.stderr", "threading.excepthook"}


def _changes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines that change the process, and by what."""
    names = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def name_of(node: ast.AST) -> str:
        text = ast.unparse(node)
        first, dot, rest = text.partition(".")
        return names.get(first, first) + dot + rest

    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = name_of(node.func)
            owner, _, method = name.rpartition(".")
            if (
                (name in CHANGES and (node.args or node.keywords or not name.startswith("csv.")))
                or (owner in STATE and method in MUTATORS)
                or method in LOGGER_METHODS
            ):
                yield node.lineno, name
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            for target in targets:
                inner = target.value if isinstance(target, ast.Subscript) else target
                if name_of(inner) in STATE or name_of(target) in HOOKS:
                    yield node.lineno, name_of(target)


def test_only_programs_change_the_process(repository: Path) -> None:
    packages = [
        repository / "insight_authoring",
        repository / "insight_core",
        repository / "insight_host",
        repository / "insight_layers",
        repository / "insight_log_tables",
        *repository.glob("plugins/*/insight_*"),
    ]
    found = []
    for path in (path for package in packages for path in sorted(package.rglob("*.py"))):
        name = path.relative_to(repository).as_posix()
        if not name.startswith(tuple(PROGRAMS)):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{name}:{line}: {change}" for line, change in _changes(tree)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import gc\ngc.freeze()",
        "from gc import set_threshold\nset_threshold(1)",
        "import csv\ncsv.field_size_limit(9)",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
        "import sys\nsys.path.append('x')",
        "from sys import path\npath[:0] = ['x']",
        "import os\nos.environ['A'] = 'b'",
        "import os\nos.environ.setdefault('A', 'b')",
        "from os import environ\ndel environ['A']",
        "import sys\nsys.excepthook = print",
        "import logging\nlogging.getLogger().setLevel(0)",
        "import logging\nlogging.basicConfig()",
    ],
)
def test_a_change_is_found(source: str) -> None:
    assert len(list(_changes(ast.parse(source)))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.environ.get('A')",
        "import csv\ncsv.field_size_limit()",
        "import sys\nprint(sys.path, sys.stdout)",
        "path = []\npath.append(1)",
    ],
)
def test_looking_is_no_change(source: str) -> None:
    assert list(_changes(ast.parse(source))) == []

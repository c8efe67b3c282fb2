"""What ends a host: a signal to it, not one to a process of a plugin; and how commands end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import clean_environment

_FORKS = """
import os, select, signal, time
from insight_core.cli.process import Ending

with Ending() as ending:
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tell, b".")
        time.sleep(30)
        os._exit(7)
    os.read(told, 1)
    os.kill(child, signal.SIGTERM)
    until = time.monotonic() + 10
    while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < until:
        time.sleep(0.01)
    if not ended[0]:
        os.kill(child, signal.SIGKILL)
    asked = bool(select.select([ending._alarm], [], [], 0)[0])
    print("child ended by it" if os.WIFSIGNALED(ended[1]) else "child lives on")
    print("parent too" if asked else "it alone")
    os.kill(os.getpid(), signal.SIGTERM)
    ending.wait()
    print("told to end")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
def test_a_signal_to_a_forked_process_is_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", _FORKS], capture_output=True, text=True, timeout=60)
    assert done.stdout == "child ended by it\nit alone\ntold to end\n", done.stderr


_INTERRUPTED = """
import sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from insight_core.cli import main
sys.exit(main(["plugins"]))
"""


@pytest.mark.parametrize("module", ["insight_core.cli.options", "numpy", "insight_core.cli.plugins"])
def test_ctrl_c_while_it_imports_is_no_traceback(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED.format(module=module)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


_NOTES_ITS_END = """
import os, sys
from insight_core.cli import main, process

def end(code):
    print("ended with", code, flush=True)
    os._exit(code)

process.end_now = end
sys.argv = ["insight-host", *sys.argv[1:]]
main()
print("taken down by the interpreter")
"""


@pytest.mark.parametrize("words", [["cache", "info"], ["runs", "logs"], ["inspect", "--logdir=logs"]])
def test_commands_end_as_a_host_does(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "logs").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _NOTES_ITS_END, *words],
        cwd=tmp_path,
        env=clean_environment({"INSIGHT_HOST_CACHE_DIR": str(tmp_path / "cache")}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1:] == ["ended with 0"], done.stderr

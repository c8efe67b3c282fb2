"""Two builds of a commit, in different places and with different settings of the user, are the same."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def _cloned(repository: Path, checkout: Path, umask: int) -> Path:
    """A clone of the last commit, with the packages of the front end."""
    subprocess.run(["git", "clone", "-q", repository, checkout], check=True, umask=umask)
    modules = checkout / "node_modules"
    shutil.copytree(repository / "node_modules", modules, symlinks=True, copy_function=os.link)
    lock = modules / ".package-lock.json"
    lock.unlink()  # a link to that of the repository
    shutil.copyfile(repository / "node_modules/.package-lock.json", lock)  # newer than the clone
    return checkout


def _digests(checkout: Path, umask: int, settings: dict[str, str]) -> dict[str, str]:
    """Builds sdists and wheels of both distributions; digests by name."""
    time = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=checkout, text=True).strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": time, **settings}
    for source in ("insight_record", "."):
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", source]
        done = subprocess.run(
            command, cwd=checkout, env=environment, umask=umask, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (checkout / "dist").iterdir()
    }


@pytest.mark.verify
def test_two_builds_of_a_commit_are_the_same_byte_for_byte(repository: Path, tmp_path: Path) -> None:
    if not (repository / "node_modules/.package-lock.json").is_file():
        pytest.skip("the packages of the front end are not installed here")
    one = _cloned(repository, tmp_path / "one", 0o022)
    other = _cloned(repository, tmp_path / "another/place", 0o077)
    first = _digests(one, 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8"})
    settings = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7", "HOME": str(tmp_path)}
    second = _digests(other, 0o077, settings)
    assert len(first) == 4
    assert second == first

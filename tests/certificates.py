"""Self-signed certificates for servers on loopback, made with the program openssl."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import frozen


@frozen
class Certificate:
    chain: Path
    key: Path


def certificate(directory: Path, name: str = "localhost") -> Certificate:
    """A new certificate for ``localhost``, 127.0.0.1 and ::1, and its key; ``name`` is its common name."""
    program = shutil.which("openssl")
    if program is None:
        reason = "no openssl on PATH (Debian: `apt install openssl`)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    directory.mkdir(parents=True, exist_ok=True)
    made = Certificate(directory / "chain.pem", directory / "key.pem")
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"]
    files = ["-keyout", str(made.key), "-out", str(made.chain)]
    subprocess.run([program, "req", *kind, *names, *files], check=True, capture_output=True)
    return made

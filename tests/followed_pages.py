"""Pages that tests follow as a reader would: they write the files and type the commands as printed."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

_BLOCK = re.compile(
    r"^(?:`(?P<file>[\w./-]+)`:\n\n)?```(?P<language>\w+)\n(?P<content>.*?)^```$", re.M | re.S
)
_SERVING = re.compile(r"insight-host (--logdir|plugin dev|\./runs$)", re.M)
ADDRESS = "http://127.0.0.1:6006/"  # of the host, as pages print it


def blocks_of(page: Path) -> list[re.Match[str]]:
    """Files, commands and outputs of a page, in their order: groups ``file``, ``language``, ``content``."""
    return list(_BLOCK.finditer(page.read_text(encoding="utf-8")))


@frozen
class Reader:
    """Somebody who follows a page: writes its files and types its commands."""

    directory: Path
    environment: Mapping[str, str]
    hosts: list[subprocess.Popen[str]] = field(factory=list)
    addresses: list[str] = field(factory=list)  # with the token

    def follow(self, blocks: Sequence[re.Match[str]]) -> None:
        output = ""
        for block in blocks:
            content = block["content"]
            if block["file"]:
                path = self.directory / block["file"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            elif block["language"] == "json":
                assert json.loads(output) == json.loads(content)
            elif _SERVING.match(content):
                self._serve(content)
            else:
                assert block["language"] == "sh"
                output = self.type(content)

    def type(self, commands: str) -> str:
        """The standard output of commands, all of which succeed."""
        environment = {**self.environment}
        if self.addresses:
            address, _, environment["TOKEN"] = self.addresses[-1].partition("?token=")
            commands = commands.replace(ADDRESS, address)
        done = subprocess.run(
            ["bash", "-euc", commands],
            cwd=self.directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _serve(self, command: str) -> None:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.hosts.append(process)
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        self.addresses.append(found.group())


@contextmanager
def reader(directory: Path, environment: Mapping[str, str]) -> Iterator[Reader]:
    """A reader in a directory, whose hosts choose free ports and end with the block."""
    own = Reader(
        directory,
        {
            **environment,
            "INSIGHT_HOST_PORT": "0",
            "INSIGHT_HOST_TOKEN": "1",  # as without the variable, which the tests set to 0
        },
    )
    yield own
    for host in own.hosts:
        host.terminate()
        host.communicate(timeout=60)

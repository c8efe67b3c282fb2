"""Which locations are opened, with which credentials, and what is made of listings and errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from insight_remote import insight_open_files
from insight_remote.file_system import FileSystemFiles
from insight_remote.object_store import ObjectStoreFiles
from insight_remote.object_stores import cause_of, profile_of

from insight_core.cli.logdirs import open_mirrors
from insight_core.cli.options import read_options
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import FileChanged, InvalidArgument, RemoteFile, Unavailable
from insight_core.registry import Registry


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("s3://bucket/logs", ObjectStoreFiles),
        ("s3a://bucket", ObjectStoreFiles),
        ("gs://bucket/logs", ObjectStoreFiles),
        ("az://container/logs", ObjectStoreFiles),
        ("abfs://container@account.dfs.core.windows.net/logs", ObjectStoreFiles),
        ("ssh://me@machine:2222/home/me/logs", FileSystemFiles),
        ("sftp://machine/logs", FileSystemFiles),
        ("memory://logs", FileSystemFiles),
        ("file:///logs", type(None)),
        ("http://machine/logs", type(None)),
        ("grpc://machine:1", type(None)),
        ("bogus://x", type(None)),
    ],
)
def test_who_opens_a_location(location: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a request: no machine of these is there."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    assert isinstance(insight_open_files(location), kind)


def test_a_malformed_location_is_named() -> None:
    with pytest.raises(InvalidArgument, match="az://container"):
        insight_open_files("az://container")  # of which account?


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most file systems list one directory at a time; that in memory does not."""
    monkeypatch.setattr("insight_remote.file_system._lists_trees", lambda system: False)


@pytest.fixture
def files() -> Iterator[FileSystemFiles]:
    system = fsspec.filesystem("memory")
    system.pipe("/logs/run/a b", b"0123456789")
    system.pipe("/logs/c", b"c")
    yield FileSystemFiles("memory://logs")
    system.rm("/logs", recursive=True)


@pytest.mark.parametrize("pages", [1, 2])
def test_files_of_a_file_system(files: FileSystemFiles, pages: int, request: pytest.FixtureRequest) -> None:
    if pages > 1:  # one for each directory
        request.getfixturevalue("walked")
    listed = list(files.pages())
    assert len(listed) == pages
    found = {file.path: file for page in listed for file in page}
    assert {path: file.size for path, file in found.items()} == {"run/a b": 10, "c": 1}
    assert found["c"].mtime_ns > 1_700_000_000_000_000_000
    assert files.read(found["run/a b"], 3, 6) == b"345"
    with pytest.raises(FileChanged):
        files.read(RemoteFile("none", 1, 1), 0, 1)


def test_a_directory_that_is_missing_is_an_error_not_an_empty_listing() -> None:
    with pytest.raises(OSError, match="no such directory"):
        list(FileSystemFiles("memory://none/at/all").pages())


@pytest.mark.usefixtures("walked")
def test_a_listing_that_fails_is_an_error_not_a_shorter_one(
    files: FileSystemFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = fsspec.get_filesystem_class("memory")
    ls = system.ls

    def fails_below(self: object, path: str, **options: object) -> object:
        if path.endswith("run"):
            raise ConnectionError("lost")
        return ls(self, path, **options)

    monkeypatch.setattr(system, "ls", fails_below)
    with pytest.raises(ConnectionError):
        list(files.pages())


def test_credentials_of_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "credentials").write_text("[team]\naws_access_key_id = key\naws_secret_access_key = secret\n")
    (tmp_path / "config").write_text("[profile team]\nregion = eu-north-1\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_PROFILE", "team")
    profile = profile_of("s3://bucket")
    assert profile["region"] == "eu-north-1"
    assert profile["credential_provider"]()["access_key_id"] == "key"
    assert profile_of("gs://bucket") == {}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "other")
    assert profile_of("s3://bucket") == {}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "Generic S3 error: Error performing list request: Error performing GET "
            "http://a/b?list-type=2&prefix=p in 2.3ms - Server returned non-2xx status code: 404 Not Found: "
            "<?xml ?><Error>\n<Code>NoSuchBucket</Code>\n<Message>It does not exist</Message></Error>"
            "\n\nDebug source:\nGeneric {",
            "NoSuchBucket: It does not exist",
        ),
        (
            "Generic S3 error: Error performing GET http://a/b?p=q in 689.046µs - HTTP error: no answer"
            '\n\nDebug source:\nOs {\n    message: "Connection refused",\n}',
            "GET http://a/b: Connection refused",
        ),
        (
            "Generic GCS error: Error performing GET http://a/b in 1s - Server returned 503: ",
            "GET http://a/b: Server returned 503",
        ),
        ("something else", "something else"),
    ],
)
def test_the_cause_of_an_error_is_short(text: str, cause: str) -> None:
    assert cause_of(ValueError(text)) == cause


def test_without_a_module_that_mirrors_a_remote_logdir_is_an_error(tmp_path: Path) -> None:
    options = read_options(["--logdir", "s3://bucket/logs"], {})
    with pytest.raises(Unavailable, match="no plugin mirrors remote log directories"):
        open_mirrors(options, [Logdir("s3://bucket/logs")], Registry.of([]), 0.0, tmp_path)

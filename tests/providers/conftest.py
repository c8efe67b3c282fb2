"""The kinds of providers: of files, of a data server, a host, the data server in Rust, a lake, a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import insight_scalar
import pytest
from insight_remote.host_client.provider import HttpProvider
from insight_remote.host_client.session import Address
from insight_remote.mirror.mirrors import Mirrors
from insight_remote.object_store import ObjectStoreFiles
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.client.rust_server import rust_server

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import (
    CachePolicy,
    Dialect,
    EventField,
    FileName,
    Plugin,
    RecordDecoder,
    SummaryPlugin,
)
from insight_core.plugin.data import DataProvider
from insight_core.providers.child import ChildLink
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import serve
from tests import waiting
from tests.hosts import served
from tests.lakes import LakeBuild
from tests.remote.stores import Bucket, s3_server
from tests.waiting import eventually

SCALAR = insight_scalar.insight_plugin()
EPOCHS = FileName("pred/epoch_*.png", step=r"epoch_(-?\d+)", tag="pred")
SAMPLES = FileName("samples/*.png", step=r"_(\d+)\.png$")
IMAGE = Plugin(
    name="pictures",
    title="Pictures",
    decoder=RecordDecoder(
        claims={EventField(Dialect.TENSORBOARD, "image"), SummaryPlugin("images"), EPOCHS, SAMPLES}
    ),
)


class Open(Protocol):
    """Opens a provider of what was written, loaded; ``live``: it follows what is appended."""

    def __call__(self, *, policy: CachePolicy | None = None, live: bool = False) -> DataProvider: ...


@pytest.fixture
def open_local(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(*, policy: CachePolicy | None = None, live: bool = False) -> DataProvider:
            policies = {"scalar": policy, "pictures": policy} if policy else {}
            provider = LocalProvider(
                [Logdir(str(tmp_path))], [SCALAR, IMAGE], policies=policies, reload_interval=0.05
            )
            opened.callback(provider.close)
            provider.load()
            if live:
                provider.start()
            return provider

        yield open_


@pytest.fixture
def open_insight(open_local: Open) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(*, policy: CachePolicy | None = None, live: bool = False) -> DataProvider:
            server = serve(open_local(policy=policy, live=live), "127.0.0.1", 0, version="test")
            opened.callback(server.stop)
            provider = InsightProvider(Link(f"127.0.0.1:{server.port}"))
            opened.callback(provider.close)
            provider.start()
            eventually(provider.generation)  # the watch has begun
            return provider

        yield open_


@pytest.fixture
def open_http(open_local: Open) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(*, policy: CachePolicy | None = None, live: bool = False) -> DataProvider:
            url = opened.enter_context(served(open_local(policy=policy, live=live), [SCALAR, IMAGE]))
            provider = HttpProvider(Address.of(url), interval=0.05)
            opened.callback(provider.close)
            provider.start()
            eventually(provider.generation)  # the host was asked once
            return provider

        yield open_


@pytest.fixture
def open_rust(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(*, policy: CachePolicy | None = None, live: bool = False) -> DataProvider:
            points = str(policy.points) if policy and policy.points else "all"
            samples = f"scalars={points},images={points}"
            flags = [f"--logdir={tmp_path}", "--reload=1", f"--samples-per-plugin={samples}"]
            link = ChildLink([rust_server(), *flags])
            provider = TensorBoardProvider(link, [SCALAR, IMAGE], interval=0.1)
            opened.callback(provider.close)
            provider.start()
            runs = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("*tfevents*")}
            eventually(lambda: link.reason is None)
            eventually(lambda: {run.name for run in provider.runs()} == runs)
            return provider

        yield open_


@pytest.fixture
def open_lake(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(*, policy: CachePolicy | None = None, live: bool = False) -> DataProvider:
            place = tmp_path_factory.mktemp("lake")
            policies = {"scalar": policy, "pictures": policy} if policy else {}
            build = LakeBuild([str(tmp_path)], str(place), [SCALAR, IMAGE], policies)
            build.run()
            if live:
                opened.enter_context(build.repeated())
            provider = build.opened(0.05)
            opened.callback(provider.close)
            provider.start()
            eventually(provider.generation)
            return provider

        yield open_


@pytest.fixture(scope="module")
def s3() -> Iterator[None]:
    with s3_server() as server:
        Bucket.create(server)
        yield


@pytest.fixture
def open_bucket(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, s3: None) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(*, policy: CachePolicy | None = None, live: bool = False) -> DataProvider:
            cache = tmp_path_factory.mktemp("cache")
            bucket = Bucket(cache.name)
            uploading = bucket.following(tmp_path)
            opened.enter_context(uploading) if live else bucket.put_tree(tmp_path)
            mirrors = Mirrors(cache, interval=0.05)
            logdir = Logdir(mirrors.add(bucket.location, lambda: ObjectStoreFiles(bucket.location)))
            policies = {"scalar": policy, "pictures": policy} if policy else {}
            provider = LocalProvider([logdir], [SCALAR, IMAGE], policies=policies, mirrors=mirrors)
            opened.callback(provider.close)
            provider.load()
            if live:
                provider.start()
            return provider

        yield open_


@pytest.fixture(params=["local", "insight", "http", "rust", "lake", "bucket"])
def open_provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Each kind in turn; ``DIFFERENCES`` of the test's module says where the one in Rust differs."""
    names = {"rust": "DIFFERENCES", "bucket": "DIFFERENCES_OF_BUCKETS"}
    differences = getattr(request.module, names.get(request.param, ""), {})
    if (reason := differences.get(request.node.originalname)) is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
        monkeypatch.setattr(waiting, "PATIENCE", 2.0)  # for what is known never to come
    opened: Open = request.getfixturevalue(f"open_{request.param}")
    return opened

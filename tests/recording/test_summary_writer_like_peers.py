"""The same calls on ``SummaryWriter``, tensorboardX and torch's writer: TensorBoard reads the same.

Where the peers differ from each other, the calls name the peer that ours follows.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from insight_record import SummaryWriter
from tests.recording.accumulated import accumulated

BOTH = ("tensorboardX", "torch.utils.tensorboard")
TORCH, X = BOTH[1:], BOTH[:1]
MARKS = {BOTH[0]: (), BOTH[1]: (pytest.mark.frameworks,)}
STEPS = st.one_of(st.none(), st.integers(0, 2**40), st.integers(0, 1000).map(np.int64), st.just(3.0))
TIMES = st.one_of(st.none(), st.floats(1, 2e9))
NUMBERS = st.floats(-1e6, 1e6, width=32)
TAGS = st.from_regex(r"[A-Za-z][\w/.-]{0,10}[\w]", fullmatch=True, alphabet=st.characters(codec="ascii"))
UNIT = st.floats(0, 1, width=32)

Call = Callable[[Any], object]


def _picture(dataformats: str, channels: int) -> st.SearchStrategy[np.ndarray]:
    sizes = {"N": st.integers(1, 10), "C": st.just(channels), "H": st.integers(1, 5), "W": st.integers(1, 5)}
    shape = st.tuples(*(sizes[letter] for letter in dataformats.upper()))
    return st.one_of(
        arrays.arrays(np.uint8, shape),
        arrays.arrays(np.float32, shape, elements=st.floats(-0.5, 1.5, width=32)),
        arrays.arrays(np.float64, shape, elements=UNIT),
    )


@st.composite
def scalars(draw: st.DrawFn) -> Call:
    number = draw(
        st.one_of(
            NUMBERS,
            st.integers(-(2**20), 2**20),
            st.booleans(),
            NUMBERS.map(np.float32),
            NUMBERS.map(lambda one: np.array([[one]])),
            st.sampled_from([float("nan"), float("inf"), -float("inf")]),
        )
    )
    tag, step, when = draw(TAGS), draw(STEPS), draw(TIMES)
    return lambda writer: writer.add_scalar(tag, number, step, when)


@st.composite
def new_scalars(draw: st.DrawFn) -> Call:
    number, step, double = draw(NUMBERS), draw(STEPS), draw(st.booleans())
    return lambda writer: writer.add_scalar("a", number, step, None, True, double)


@st.composite
def groups(draw: st.DrawFn) -> Call:
    values = draw(st.dictionaries(st.sampled_from(["train", "test", "x y"]), NUMBERS, min_size=1))
    step = draw(STEPS)
    return lambda writer: writer.add_scalars("loss/all", values, step)


@st.composite
def histograms(draw: st.DrawFn) -> Call:
    shape = arrays.array_shapes(max_dims=3, max_side=6)
    elements = st.floats(-1e9, 1e9, width=32)
    values = draw(
        st.one_of(
            arrays.arrays(np.float32, shape, elements=elements),
            arrays.arrays(np.float64, shape, elements=elements),
            arrays.arrays(np.int32, shape, elements=st.integers(-1000, 1000)),
            arrays.arrays(np.bool_, shape),
        )
    )
    bins = draw(st.sampled_from(["tensorflow", "auto", "fd", "doane", 7, [-1e12, -1.0, 0.0, 1.0, 1e12]]))
    most = draw(st.sampled_from([None, 3, 5, 100]))
    step = draw(STEPS)
    return lambda writer: writer.add_histogram("h", values, step, bins=bins, max_bins=most)


@st.composite
def raw_histograms(draw: st.DrawFn) -> Call:
    counts = draw(st.lists(st.integers(0, 100), min_size=1, max_size=8))
    limits = np.cumsum(np.ones(len(counts))).tolist()
    return lambda writer: writer.add_histogram_raw(
        "h", 0, len(counts), sum(counts), 5.5, 7.5, limits, counts, 3
    )


@st.composite
def pictures(draw: st.DrawFn) -> Call:
    dataformats = draw(st.sampled_from(["CHW", "HWC", "HW", "WH", "chw", "CWH"]))
    pixels = draw(_picture(dataformats, draw(st.sampled_from([1, 3]))))
    step = draw(STEPS)
    return lambda writer: writer.add_image("i", pixels, step, dataformats=dataformats)


@st.composite
def batches(draw: st.DrawFn) -> Call:
    dataformats = draw(st.sampled_from(["NCHW", "NHWC"]))
    pixels = draw(_picture(dataformats, draw(st.sampled_from([1, 3]))))
    return lambda writer: writer.add_images("i", pixels, 1, dataformats=dataformats)


@st.composite
def boxes(draw: st.DrawFn) -> Call:
    corners = draw(arrays.arrays(np.int64, (draw(st.integers(1, 3)), 4), elements=st.integers(0, 20)))
    labels = draw(st.sampled_from([None, ["cat"] * len(corners), ["one too many"] * 9]))
    pixels = np.linspace(0, 1, 3 * 32 * 32).reshape(3, 32, 32).astype(np.float32)
    return lambda writer: writer.add_image_with_boxes("i", pixels, corners, 1, labels=labels)


@st.composite
def sounds(draw: st.DrawFn) -> Call:
    samples = draw(arrays.arrays(np.float32, st.integers(2, 40), elements=st.floats(-1, 1, width=32)))
    rate = draw(st.sampled_from([8000, 44100]))
    return lambda writer: writer.add_audio("a", samples[None], 1, rate)


@st.composite
def texts(draw: st.DrawFn) -> Call:
    text, step = draw(st.text(st.characters(codec="utf-8"))), draw(STEPS)
    return lambda writer: writer.add_text("t", text, step)


@st.composite
def tensors(draw: st.DrawFn) -> Call:
    dtype = draw(st.sampled_from(["float32", "float64", "int8", "int16", "int32", "int64", "bool"]))
    array = draw(arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4)))
    step = draw(STEPS)

    def call(writer: Any) -> None:  # noqa: ANN401
        import torch  # type: ignore[import-not-found,unused-ignore]

        writer.add_tensor("t", torch.from_numpy(array), step)

    return call


@st.composite
def curves(draw: st.DrawFn) -> Call:
    count = draw(st.integers(1, 30))
    labels = draw(arrays.arrays(np.int64, count, elements=st.integers(0, 1)))
    predictions = draw(arrays.arrays(np.float64, count, elements=UNIT))
    thresholds = draw(st.sampled_from([2, 10, 127, 500]))
    weights = draw(st.one_of(st.none(), arrays.arrays(np.float64, count, elements=UNIT)))
    return lambda writer: writer.add_pr_curve("pr", labels, predictions, 1, thresholds, weights)


@st.composite
def raw_curves(draw: st.DrawFn) -> Call:
    rows = draw(arrays.arrays(np.float32, (6, draw(st.integers(1, 6))), elements=UNIT))
    return lambda writer: writer.add_pr_curve_raw("pr", *rows, 1, num_thresholds=rows.shape[1] + 1)


@st.composite
def meshes(draw: st.DrawFn) -> Call:
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 5)), 3)
    vertices = draw(arrays.arrays(np.float32, shape, elements=UNIT))
    colours = draw(st.one_of(st.none(), arrays.arrays(np.int64, shape, elements=st.integers(0, 255))))
    faces = draw(st.one_of(st.none(), arrays.arrays(np.int64, (1, 2, 3), elements=st.integers(0, 3))))
    settings_of_three = draw(st.sampled_from([None, {"camera": {"cls": "PerspectiveCamera", "fov": 75}}]))
    return lambda writer: writer.add_mesh("m", vertices, colours, faces, settings_of_three, 1)


@st.composite
def charts(draw: st.DrawFn) -> Call:
    tags = draw(st.lists(TAGS, min_size=3, max_size=3))
    layout = {"one": {"lines": ["Multiline", tags]}, "two": {"margin": ["Margin", tags]}}
    calls: list[Call] = [
        lambda writer: writer.add_custom_scalars(layout),
        lambda writer: writer.add_custom_scalars_multilinechart(tags),
        lambda writer: writer.add_custom_scalars_marginchart(tags, "category", "title"),
    ]
    return draw(st.sampled_from(calls))


def _hparams(flags: bool) -> st.SearchStrategy[Call]:
    cells = st.one_of(NUMBERS, st.integers(-1000, 1000), st.text(st.characters(codec="utf-8")), st.none())
    if flags:
        cells = st.one_of(cells, st.booleans())

    @st.composite
    def calls(draw: st.DrawFn) -> Call:
        given_cells = draw(st.dictionaries(TAGS, cells, max_size=4))
        metrics = {"hparam/accuracy": draw(NUMBERS), "loss": 2}
        if flags:
            return lambda writer: writer.add_hparams(given_cells, metrics, "trial", 7)
        return lambda writer: writer.add_hparams(given_cells, metrics, run_name="trial", global_step=7)

    return calls()


def domains(writer: Any) -> None:  # noqa: ANN401
    parameters = {"lr": 0.1, "optimizer": "adam"}
    writer.add_hparams(parameters, {"loss": 1.0}, {"lr": [0.1, 0.2], "optimizer": ["adam", "sgd"]}, "trial")


def titled(writer: Any) -> None:  # noqa: ANN401
    writer.add_scalar("a", 1.5, 2, None, "Title", "What it means")


def figures(writer: Any) -> None:  # noqa: ANN401
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    drawn = [plt.figure(figsize=(1, 1)) for _ in range(3)]
    for number, figure in enumerate(drawn):
        figure.gca().plot([0, number])
    writer.add_figure("all", drawn, 1, close=False)
    writer.add_figure("one", drawn[0], 2)
    plt.close("all")


def restarted(writer: Any) -> None:  # noqa: ANN401
    for step in range(5):
        writer.add_scalar("loss", step, step)


CALLS: list[tuple[str, tuple[str, ...], st.SearchStrategy[Call]]] = [
    ("scalars", BOTH, scalars()),
    ("new_scalars", TORCH, new_scalars()),
    ("titled", X, st.just(titled)),
    ("groups", TORCH, groups()),  # tensorboardX has other directories
    ("histograms", BOTH, histograms()),
    ("raw_histograms", BOTH, raw_histograms()),
    ("pictures", TORCH, pictures()),  # tensorboardX overflows where values are beyond 0 to 1
    ("batches", TORCH, batches()),
    ("boxes", BOTH, boxes()),
    ("figures", BOTH, st.just(figures)),
    ("sounds", TORCH, sounds()),  # tensorboardX needs soundfile
    ("texts", BOTH, texts()),
    ("tensors", TORCH, tensors()),  # TensorBoard cannot read its uint8 and float16
    ("curves", BOTH, curves()),
    ("raw_curves", BOTH, raw_curves()),
    ("meshes", TORCH, meshes()),  # tensorboardX has other tags
    ("charts", BOTH, charts()),
    ("hparams", TORCH, _hparams(False)),
    ("hparams_of_x", X, _hparams(True)),  # torch writes booleans as numbers
    ("domains", TORCH, st.just(domains)),
]
CASES = [
    pytest.param(peer, calls, id=f"{name}-{peer.partition('.')[0]}", marks=MARKS[peer])
    for name, peers, calls in CALLS
    for peer in peers
]


@pytest.mark.parametrize(("peer", "calls"), CASES)
def test_tensorboard_reads_the_same(peer: str, calls: st.SearchStrategy[Call]) -> None:
    theirs = pytest.importorskip(peer, exc_type=ImportError).SummaryWriter

    @settings(max_examples=10, suppress_health_check=list(HealthCheck))
    @given(calls)
    def check(call: Call) -> None:
        with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, of numpy
            for name, writer_class in (("ours", SummaryWriter), ("theirs", theirs)):
                with writer_class(f"{place}/{name}") as writer:
                    call(writer)
            np.testing.assert_equal(accumulated(Path(place, "ours")), accumulated(Path(place, "theirs")))

    check()


@pytest.mark.parametrize("peer", [pytest.param(peer, marks=MARKS[peer]) for peer in BOTH])
def test_every_method_of_the_peers_has_the_same_arguments(peer: str) -> None:
    import inspect

    theirs = pytest.importorskip(peer, exc_type=ImportError).SummaryWriter
    missing = {}
    for name, method in inspect.getmembers(theirs, inspect.isfunction):
        if name.startswith("_") or name in ("export_scalars_to_json", "add_openvino_graph"):
            continue
        ours = inspect.signature(getattr(SummaryWriter, name)).parameters
        lacking = {
            one.name: one.default
            for one in inspect.signature(method).parameters.values()
            if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
            and (one.name not in ours or one.default not in (ours[one.name].default, one.empty))
        }
        if lacking:
            missing[name] = lacking
    assert missing == {}


@pytest.mark.frameworks
def test_videos_are_those_of_tensorboardx(tmp_path: Path) -> None:
    theirs = pytest.importorskip("tensorboardX").SummaryWriter
    pytest.importorskip("moviepy")
    frames = np.zeros((3, 4, 3, 6, 8), np.uint8)
    frames[:, 1:3, 0] = 255
    for name, writer_class in (("ours", SummaryWriter), ("theirs", theirs)):
        with writer_class(str(tmp_path / name)) as writer:
            writer.add_video("v", frames, 1, 8)
    [[ours]], [[them]] = (accumulated(tmp_path / one)["."]["images"].values() for one in ("ours", "theirs"))
    assert ours[:3] == them[:3]
    assert ours[3][0] == them[3][0] == "GIF"


def test_a_purge_hides_what_an_earlier_attempt_recorded(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        restarted(writer)
    with SummaryWriter(tmp_path, purge_step=2) as writer:
        writer.add_scalar("loss", 20, 2)
    assert accumulated(tmp_path)["."]["scalars"] == {"loss": [(0, 0), (1, 1), (2, 20)]}

"""What is said of a profile, against one made by hand of which every figure is known."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from insight_profiler.analysis import kernels, memory, steps, timeline
from insight_profiler.analysis.chrome import chrome_trace
from insight_profiler.analysis.compare import comparison
from insight_profiler.analysis.compared_steps import compared_steps
from insight_profiler.analysis.listing import SortedTable, TableColumn, Wanted
from insight_profiler.analysis.operators import grouped, operator_times, sides_of
from insight_profiler.analysis.overview import overview
from insight_profiler.analysis.sums import are_of, nearest_rank
from insight_profiler.building import Building
from insight_profiler.model import Category, Counter, Device, Profile, Side, Source, StepOrigin, Track
from insight_profiler.views.operator import detail

from insight_core import matching
from insight_core.plugin import InvalidArgument, NotFound
from tests.profile_rules import check

MS = 1_000_000


def _profile(slow: int = 1) -> Profile:
    """Two steps of 10 ms: each has a convolution of ``slow`` and of 2 ms, and a matmul of 3 ms with an add
    of 1 within; the second matmul launches a kernel of 4 ms, which takes 100 ns of the host."""
    building = Building(Source.TORCH, step_origin=StepOrigin.RECORDED)
    gpu = building.device(Device("GPU 0", "gpu", {"memory_bytes": 1000}))
    host = building.track(Track("thread", "main"))
    stream = building.track(Track("stream", "stream 7", device=gpu))
    text = building.text
    building.add("steps", number=[1, 2], start=[0, 10 * MS], duration=[10 * MS, 10 * MS])
    rows = []
    for step in range(2):
        zero = step * 10 * MS
        rows += [
            (zero, slow * MS, "conv", "Conv", "net/first", "[1]"),
            (zero + 2 * MS, 2 * MS, "conv", "Conv", "net/first", "[2]"),
            (zero + 5 * MS, 3 * MS, "matmul", "MatMul", "net/last", "[1]"),
            (zero + 6 * MS, 1 * MS, "add", "Add", "net/last", ""),
        ]
    building.add(
        "slices",
        track=np.full(len(rows), host),
        start=[row[0] for row in rows],
        duration=[row[1] for row in rows],
        name=[text(row[2]) for row in rows],
        type=[text(row[3]) for row in rows],
        scope=[text(row[4]) for row in rows],
        shapes=[text(row[5]) for row in rows],
        category=np.full(len(rows), Category.OPERATOR),
    )
    building.add(
        "slices",
        track=[host],
        start=[15 * MS + 100],
        duration=[100],
        name=[text("launch")],
        category=[Category.RUNTIME],
        correlation=[7],
    )
    kernel = building.add("kernels", name=[text("gemm")], stream=[text("7")], grid=[text("8 x 1 x 1")])
    building.add(
        "slices",
        track=[stream],
        start=[16 * MS],
        duration=[4 * MS],
        name=[text("gemm")],
        category=[Category.KERNEL],
        correlation=[7],
        kernel=[kernel],
    )
    used = building.counter(Counter("allocated", "memory", "bytes", gpu))
    building.add("counters", counter=[used] * 4, time=[0, 1 * MS, 2 * MS, 9 * MS], value=[0, 600, 950, 100])
    building.add(
        "allocations",
        name=[text("conv"), text("conv"), text("add")],
        device=[gpu] * 3,
        bytes=[600, 350, 100],
        start=[1 * MS, 2 * MS, 9 * MS],
        end=[9 * MS, 9 * MS, -1],
    )
    return building.finish()


@pytest.fixture(scope="module")
def profile() -> Profile:
    return _profile()


def _rows(listing: SortedTable, *names: str, **asked: object) -> list[list[object]]:
    wanted = Wanted(columns=names, **asked)  # type: ignore[arg-type]
    page = listing.page(listing.matching(wanted), wanted)
    assert [column["name"] for column in page["columns"]] == list(names)
    return [list(row) for row in page["rows"]]


def test_operators_by_type_count_nothing_twice(profile: Profile) -> None:
    assert sides_of(profile) == [Side.HOST, Side.DEVICE]
    listing = grouped(profile, "type", Side.HOST).listing
    names = ("type", "calls", "total", "self", "share", "p95", "device_total")
    rows = {row[0]: row[1:] for row in _rows(listing, *names)}
    assert rows["Conv"] == [4, 6 * MS, 6 * MS, pytest.approx(0.5, abs=1e-4), 2 * MS, 0]
    assert rows["MatMul"] == [2, 6 * MS, 4 * MS - 100, pytest.approx(1 / 3, abs=1e-4), 3 * MS, 4 * MS]
    assert rows["Add"] == [2, 2 * MS, 2 * MS, pytest.approx(1 / 6, abs=1e-4), 1 * MS, 0]


def test_operators_are_told_apart_by_shape_and_joined_by_scope(profile: Profile) -> None:
    assert len(grouped(profile, "shape", Side.HOST).listing) == 4
    assert len(grouped(profile, "name", Side.HOST).listing) == 3
    scopes = _rows(grouped(profile, "scope", Side.HOST).listing, "scope", "members", "calls", sort="scope")
    assert sorted(scopes) == [["net/first", 2, 4], ["net/last", 2, 4]]


def test_of_the_device_counts_what_was_launched(profile: Profile) -> None:
    listing = grouped(profile, "name", Side.DEVICE).listing
    assert _rows(listing, "name", "total") == [["matmul", 4 * MS]]
    assert not listing.columns["p95"].known.any()  # a p95 of host times next to device times would mislead


def test_operators_of_some_steps_only(profile: Profile) -> None:
    second = steps.rows_of(profile, "2")
    listing = grouped(profile, "name", Side.HOST, second).listing
    names = ("name", "calls", "total", "minimum", "maximum", "per_step", "device_total")
    rows = {row[0]: row[1:] for row in _rows(listing, *names)}
    assert rows["conv"] == [2, 3 * MS, 1 * MS, 2 * MS, 2.0, 0]
    assert rows["matmul"] == [1, 3 * MS, 3 * MS, 3 * MS, 1.0, 4 * MS]
    first = grouped(profile, "name", Side.HOST, steps.rows_of(profile, "0-1")).listing
    assert not first.columns["device_total"].values.any() if "device_total" in first.columns else True


@pytest.mark.parametrize("text", ["x", "1-", "-3", "1,,2", "²", "9" * 30])
def test_steps_that_are_no_numbers_are_refused(profile: Profile, text: str) -> None:
    with pytest.raises(InvalidArgument, match="steps must be"):
        steps.rows_of(profile, text)


def test_one_operator_in_full(profile: Profile) -> None:
    types = grouped(profile, "type", Side.HOST)
    said = detail(profile, types, "type", Side.HOST, {"type": "Conv"}, None)
    assert said["row"]["calls"] == 4
    assert sum(said["histogram"]["counts"]) == 4
    assert said["by_step"]["total"].tolist() == [3 * MS, 3 * MS]
    assert [slice["duration"] for slice in said["slices"]] == [2 * MS, 2 * MS, 1 * MS, 1 * MS]
    assert said["members"]["total"] == 1
    with pytest.raises(NotFound, match="no operator"):
        detail(profile, types, "type", Side.HOST, {"type": "Pool"}, None)


def test_kernels_name_what_launched_them(profile: Profile) -> None:
    listing = kernels.kernel_listing(profile, "none", None)
    assert _rows(listing, "name", "operator", "grid", "calls", "total") == [
        ["gemm", "matmul", "8 x 1 x 1", 1, 4 * MS]
    ]
    assert len(kernels.kernel_listing(profile, "none", steps.rows_of(profile, "1"))) == 0
    assert _rows(kernels.kernel_listing(profile, "operator", None), "operator", "members") == [["matmul", 1]]


def test_overview_divides_the_steps(profile: Profile) -> None:
    said = overview(profile)
    assert said["steps"]["origin"] == "recorded"
    assert said["steps"]["mean"] == 10 * MS
    times = {share["category"]: share["time"] for share in said["shares"]}
    # 12 ms of operators, of which the kernel covers 2 of the last matmul
    assert times["kernel"] == 4 * MS
    assert times["runtime"] == 100
    assert times["operator"] == 10 * MS - 100
    assert sum(times.values()) == 20 * MS
    assert said["memory"]["value"] == 950
    first = said["biggest"]["host"]["rows"][0]
    assert "conv" in first


def test_overview_of_some_steps(profile: Profile) -> None:
    said = overview(profile, steps.rows_of(profile, "2"))
    assert (said["steps"]["count"], said["steps"]["maximum"]) == (1, 10 * MS)
    assert said["step_rows"]["number"] == [1, 2]  # to choose others from
    times = {share["category"]: share["time"] for share in said["shares"]}
    assert times["kernel"] == 4 * MS
    assert sum(times.values()) == 10 * MS
    table = said["biggest"]["host"]
    at = [column["name"] for column in table["columns"]].index("calls")
    assert [row[at] for row in table["rows"]] == [2, 1, 1]
    of_none = overview(profile, steps.rows_of(profile, "7"))
    assert (of_none["steps"], of_none["biggest"]["host"]["rows"]) == (None, [])


def test_advice_rests_on_figures(profile: Profile) -> None:
    found = {one.rule.id: one.found[0].saw for one in check(profile) if one.found}
    assert found["full_memory"].details["share"] == 95


def test_memory_has_its_peak_and_who_held_it(profile: Profile) -> None:
    said = memory.memory(profile, 100)
    assert said["curves"][0]["maximum"].tolist() == [0, 600, 950, 100]
    assert said["peaks"][0]["time"] == 2 * MS
    assert said["holders"][0]["bytes"] == 950
    assert said["holders"][0]["rows"] == [
        {"name": "conv", "module": "", "purpose": "", "bytes": 950, "count": 2}
    ]
    assert [row["end"] for row in said["largest"]] == [9 * MS, 9 * MS, None]


def test_a_curve_in_few_columns_keeps_its_extremes() -> None:
    times = np.arange(10_000, dtype=np.int64) * 3
    values = np.sin(times / 500)
    values[4321], values[7777] = 90.0, -90.0
    curve = memory.reduced(times, values, 50)
    assert len(curve.times) <= 50
    assert curve.maximum.max() == 90
    assert curve.minimum.min() == -90
    assert curve.last[-1] == values[-1]


def test_compare_says_what_differs_and_what_only_one_has(profile: Profile) -> None:
    slower = _profile(slow=2)
    before, after = compared_steps(profile, None), compared_steps(slower, None)
    found = comparison(before, after, "name", Side.HOST, "total")
    rows = _rows(found.listing, "name", "base", "value", "difference", "ratio", sort="change")
    assert rows[0] == ["conv", 6 * MS, 8 * MS, 2 * MS, pytest.approx(4 / 3)]
    assert [row[3] for row in rows[1:]] == [0, 0]
    per_step = comparison(before, after, "name", Side.HOST, "step").listing
    assert _rows(per_step, "name", "difference", sort="change")[0] == ["conv", 1 * MS]
    only = comparison(before, after, "shape", Side.DEVICE, "call")
    assert (only.new, only.gone) == (0, 0)


def test_what_one_profile_alone_has_is_a_difference(profile: Profile) -> None:
    building = Building(Source.TORCH)
    track = building.track(Track("thread", "main"))
    named = {"name": [building.text("pool")], "type": [building.text("Pool")]}
    building.add("slices", track=[track], start=[0], duration=[5], category=[Category.OPERATOR], **named)
    other = building.finish()
    before, after = compared_steps(profile, None), compared_steps(other, None)
    found = comparison(before, after, "name", Side.HOST, "total")
    assert (found.new, found.gone) == (1, 3)
    rows = {row[0]: row[1:] for row in _rows(found.listing, "name", "base", "value", "difference")}
    assert rows["pool"] == [None, 5, 5]
    assert rows["conv"] == [6 * MS, None, -6 * MS]


def test_times_for_a_graph_are_by_full_name(profile: Profile) -> None:
    said = operator_times(profile)
    times = dict(zip(said["names"], said["times"], strict=True))
    assert times == {"net/first/conv": 6 * MS, "net/last/matmul": 4 * MS, "net/last/add": 2 * MS}


def test_a_selection_is_cut_at_its_ends(profile: Profile) -> None:
    rows = timeline.found(profile, "conv", is_regex=False)
    assert len(rows) == 4
    start, end = int(0.5 * MS), int(2.5 * MS)
    listing = timeline.by_name(profile, rows, start, end)
    assert _rows(listing, "name", "total", "self", "share") == [["conv", 1 * MS, 1 * MS, 1.0]]
    assert timeline.busy(profile, rows, start, end) == 1 * MS
    everything = np.arange(len(profile.tables["slices"]["start"]))
    # overlapping slices count once: 3 + 3 ms of operators in the first step
    assert timeline.busy(profile, everything, 0, 10 * MS) == 6 * MS


def test_a_slice_knows_what_is_around_it_and_what_it_launched(profile: Profile) -> None:
    launch = timeline.found(profile, "^LAUNCH$", is_regex=True)
    said = timeline.slice_of(profile, int(launch[0]))
    assert [one["name"] for one in said["parents"]] == ["matmul"]
    assert said["step"] == 2
    assert [(flow["direction"], flow["kind"], flow["slice"]["name"]) for flow in said["flows"]] == [
        ("out", "launch", "gemm")
    ]
    with pytest.raises(NotFound):
        timeline.slice_of(profile, 10_000)


def test_an_exported_range_counts_from_its_start(profile: Profile) -> None:
    text = b"".join(chrome_trace(profile, 10 * MS, 20 * MS, None))
    events = json.loads(text)["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert len(slices) == 6
    assert min(event["ts"] for event in slices) == 0
    assert {event["name"] for event in slices} == {"conv", "matmul", "add", "launch", "gemm"}
    one_track = b"".join(chrome_trace(profile, 10 * MS, 20 * MS, np.array([1])))
    assert [event["name"] for event in json.loads(one_track)["traceEvents"] if event["ph"] == "X"] == ["gemm"]


def test_an_export_of_nothing_is_sound() -> None:
    assert json.loads(b"".join(chrome_trace(Building(Source.CHROME).finish(), 0, 1, None)))


LISTING = SortedTable(
    [
        TableColumn("name", "text", np.array([0, 1, 2, -1]), ["b,x", "A", "ünï"]),
        TableColumn("total", "ns", np.array([5, -1, 7, 3])),
        TableColumn("share", "share", np.array([0.5, np.nan, np.inf, 0.1])),
        TableColumn("empty", "ns", np.full(4, -1)),
    ]
)


def test_what_is_not_known_comes_last_whichever_way() -> None:
    for down, expected in ((True, [7, 5, 3, None]), (False, [3, 5, 7, None])):
        rows = _rows(LISTING, "total", sort="total", is_descending=down)
        assert [row[0] for row in rows] == expected
    assert [row[0] for row in _rows(LISTING, "name", sort="name", is_descending=False)] == [
        "A",
        "b,x",
        "ünï",
        None,
    ]


def test_columns_without_anything_known_are_left_out_and_json_has_no_nan() -> None:
    page = LISTING.page(LISTING.matching(Wanted()), Wanted())
    assert [column["name"] for column in page["columns"]] == ["name", "total", "share"]
    assert [row[2] for row in page["rows"]] == [0.5, None, None, 0.1]


def test_csv_is_read_back() -> None:
    rows = list(csv.reader(LISTING.csv_lines(np.arange(4), Wanted())))
    assert rows[0] == ["name", "total_ns", "share"]
    assert rows[1:3] == [["b,x", "5", "0.5"], ["A", "", ""]]


@pytest.mark.parametrize("text", ["(", "x" * 201, "(a+)+$" * 3])
def test_regular_expressions_that_cannot_be_used_are_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "SECONDS", 0.3)
    hard = SortedTable([TableColumn("name", "text", np.array([0]), ["a" * 4000 + "!"])])
    with pytest.raises(InvalidArgument, match="q "):
        hard.matching(Wanted(text=text, is_regex=True, searched=("name",)))


def test_search_is_by_any_part_whatever_its_case() -> None:
    wanted = Wanted(text="ÜN", searched=("name",))
    assert LISTING.matching(wanted).tolist() == [2]
    assert LISTING.matching(Wanted(text="^a$", is_regex=True, searched=("name",))).tolist() == [1]


def test_sorting_by_what_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="sort must be one of name"):
        LISTING.matching(Wanted(sort="nothing"))


@pytest.mark.parametrize("most", [50, 1 << 40, (1 << 62) - 1])
def test_percentiles_by_owner_are_those_of_each_owner_sorted(most: int) -> None:
    random = np.random.default_rng(0)
    values, owners = random.integers(-3, most, 2000), random.integers(0, 37, 2000)
    for part in (0.01, 0.5, 0.95, 1):
        found = nearest_rank(values, owners, 40, part)
        for owner in range(40):
            own = np.sort(values[owners == owner])
            assert found[owner] == (own[int(np.ceil(len(own) * part)) - 1] if len(own) else -1)


def test_rows_of_chosen_steps_are_found_with_those_of_no_step() -> None:
    steps = np.array([-1, 0, 1, 2, -1, 7], np.int32)
    assert are_of(steps, np.array([0, 7])).tolist() == [False, True, False, False, False, True]
    assert are_of(steps, np.array([2, -1])).tolist() == [True, False, False, True, True, False]
    assert are_of(steps, np.array([], np.intp)).tolist() == [False] * 6
    assert are_of(steps, np.array([90])).tolist() == [False] * 6

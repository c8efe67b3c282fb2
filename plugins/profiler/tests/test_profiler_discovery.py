"""Which files are profiles, by their names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from insight_profiler import insight_plugin
from insight_profiler.model import Source
from insight_profiler.profiles.discovery import ProfileFiles, profiles_of

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.ascend_databases import RECORDS, write_database
from tests.ascend_samples import TRACE
from tests.conformance.our_profiles import read_profiles


def _found(*tags: str) -> list[ProfileFiles]:
    return profiles_of(
        [
            SeriesInfo(SeriesKey("run", tag), 1, 1, 0, 0, last_wall_time=float(place))
            for place, tag in enumerate(tags)
        ]
    )


def _short(*tags: str) -> list[tuple[str, str, int, list[str]]]:
    return [(one.path, one.source.value, one.rank, sorted(one.files)) for one in _found(*tags)]


def test_a_directory_of_mindspore_is_one_profile() -> None:
    place = "prof/vm_17_20261121003708047_ascend_ms"
    names = [
        "ASCEND_PROFILER_OUTPUT/trace_view.json",
        "FRAMEWORK/cpu_op_type_info_0.csv",
        "profiler_info_0.json",
    ]
    assert _short(*(f"{place}/{name}" for name in names)) == [(place, "mindspore", -1, names)]
    assert _short("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv")[0][1] == "ascend"


def test_each_trace_is_a_profile() -> None:
    found = _found(
        "a/vm_16580.1795221401437891461.pt.trace.json", "rank-0.pt.trace.json.gz", "chrome_trace.json"
    )
    assert [(one.source, one.name) for one in found] == [
        (Source.TORCH, "vm_16580"),
        (Source.CHROME, "chrome_trace.json"),
        (Source.TORCH, "rank-0"),
    ]


def test_traces_beside_an_xplane_are_the_same() -> None:
    where = "plugins/profile/2026_11_21"
    found = _short(f"{where}/vm.xplane.pb", f"{where}/vm.trace.json.gz", "other/x.trace.json.gz")
    assert [one[0] for one in found] == ["other/x.trace.json.gz", f"{where}/vm.xplane.pb"]
    assert _found(f"{where}/vm.xplane.pb")[0].name == "vm"


def test_ranks_of_mindinsight_are_profiles_of_their_own() -> None:
    found = _short(
        "profiler/step_trace_raw_0_detail_time.csv",
        "profiler/step_trace_raw_10_detail_time.csv",
        "profiler/aicore_intermediate_10_type.csv",
        "profiler/ascend_cluster_analyse_pipeline-parallel_2_4_0.csv",
        "profiler/step_trace_point_info.json",
        "profiler/PROF_000001_2023_AB/device_0/timeline/msprof_0_2_1.json",
    )
    assert found == [
        (
            "profiler#0",
            "mindinsight",
            0,
            [
                "PROF_000001_2023_AB/device_0/timeline/msprof_0_2_1.json",
                "ascend_cluster_analyse_pipeline-parallel_2_4_0.csv",
                "step_trace_point_info.json",
                "step_trace_raw_0_detail_time.csv",
            ],
        ),
        (
            "profiler#10",
            "mindinsight",
            10,
            [
                "aicore_intermediate_10_type.csv",
                "step_trace_point_info.json",
                "step_trace_raw_10_detail_time.csv",
            ],
        ),
    ]


def test_one_rank_needs_no_number_and_the_run_may_be_the_directory() -> None:
    assert _short("cpu_op_type_info_3.csv") == [(".", "mindinsight", 3, ["cpu_op_type_info_3.csv"])]
    assert _short("profiler/hccl_raw_1.csv")[0][0] == "profiler"
    assert [one.name for one in _found("hccl_raw_1.csv")] == ["run"]
    assert [one.name for one in _found("hccl_raw_1.csv", "hccl_raw_2.csv")] == ["run#1", "run#2"]


def test_what_goes_with_a_profile_is_none() -> None:
    assert _short("profiler/profiler_info_0.json", "profiler/step_trace_point_info.json") == []


def test_the_newest_file_dates_a_profile() -> None:
    assert _found("profiler/hccl_raw_1.csv", "profiler/flops_1.txt")[0].wall_time == 1.0


@pytest.mark.parametrize(
    ("path", "run", "profile"),
    [
        ("train/vm_1_2_ascend_ms/FRAMEWORK/cpu_framework_0.txt", "train", "vm_1_2_ascend_ms"),
        ("train/vm_1_2_ascend_ms/PROF_1/device_0/data/x.slice_0", None, None),
        ("deep/er/profiler/aicore_intermediate_1_detail.csv", "deep/er/profiler", "."),
        ("a/b.pt.trace.json.gz", "a", "b.pt.trace.json.gz"),
        ("a/mem.json", None, None),
        ("a/plugins/profile/x/vm.xplane.pb", "a/plugins/profile/x", "vm.xplane.pb"),
        ("a/flops_1.txt", None, None),
    ],
)
def test_files_are_claimed_by_their_names(
    tmp_path: Path, path: str, run: str | None, profile: str | None
) -> None:
    """With event files, their directory is the run; otherwise the directory that contains the match."""
    for root in ("alone", "with_events"):
        place = tmp_path / root / path
        place.parent.mkdir(parents=True)
        place.write_bytes(b"{}")
    with EventWriter(tmp_path / "with_events"):
        pass
    for root in ("alone", "with_events"):
        provider = LocalProvider([Logdir(str(tmp_path / root))], [insight_plugin()], watch=False)
        provider.load()
        found = [(one.run, one.path) for one in profiles_of(provider.series("profiler"))]
        provider.close()
        if root == "alone":
            assert found == ([(run, profile)] if run else [])
        elif run:
            assert found == [(".", f"{run}/{profile}".removesuffix("/."))]


def test_databases_of_ascend_outside_of_their_directories() -> None:
    """With their logs and analysis; what msprof exported as text too is read from its database."""
    name = "ascend_pytorch_profiler_3.db"
    found = _found(
        f"out/{name}",
        f"out/{name}-wal",
        "out/analysis.db",
        "out/ascend_mindspore_profiler_0.db",
        "other/analysis.db",
        "PROF_1/msprof_1.db",
        "PROF_1/mindstudio_profiler_output/msprof_0_1.json",
        "PROF_2/msprof_2.db",
    )
    sources = {one.path: one.source for one in found}
    assert sources == {
        f"out/{name}": Source.ASCEND,
        "out/ascend_mindspore_profiler_0.db": Source.MINDSPORE,
        "PROF_1/msprof_1.db": Source.ASCEND,
        "PROF_2/msprof_2.db": Source.ASCEND,
    }
    (pytorch,) = (one for one in found if one.path == f"out/{name}")
    assert set(pytorch.files) == {name, f"{name}-wal", "analysis.db"}


@pytest.mark.parametrize("place", ["PROF_1", "PROF_1/mindstudio_profiler_output"])
@pytest.mark.parametrize("opened", ["logs", "logs/job", "logs/job/PROF_1"])
def test_a_directory_of_msprof_with_both_exports_is_one_profile(
    tmp_path: Path, place: str, opened: str
) -> None:
    """With the values of its database, and without an empty run for either export."""
    output = tmp_path / "logs/job/PROF_1/mindstudio_profiler_output"
    output.mkdir(parents=True)
    (output / "msprof_20240101000000.json").write_text(json.dumps(TRACE))
    (output / "op_summary_20240101000000.csv").write_text("Device_id,Op Name\n0,a\n")
    write_database(tmp_path / "logs/job" / place / "msprof_20240101000000.db", RECORDS)
    provider = LocalProvider([Logdir(str(tmp_path / opened))], [insight_plugin()], watch=False)
    provider.load()
    runs = [run.name for run in provider.runs()]
    provider.close()
    ((name, profile),) = read_profiles(tmp_path / opened).items()
    assert [name.partition(":")[0]] == runs == [{"logs": "job"}.get(opened, ".")]
    assert profile.profile.source is Source.ASCEND
    assert [row["elapsed"] for row in profile.rows("collectives")] == [100_250]


def test_text_exports_of_msprof_alone_are_profiles_of_their_directories(tmp_path: Path) -> None:
    """The time in the name of a file is no rank."""
    for name in ("PROF_1", "PROF_2"):
        output = tmp_path / "job" / name / "mindstudio_profiler_output"
        output.mkdir(parents=True)
        (output / "msprof_20240101000000.json").write_text(json.dumps(TRACE))
        (output / "msprof_slice_1_20240101000000.json").write_text(json.dumps(TRACE))
    found = read_profiles(tmp_path)
    assert [(name, one.profile.rank) for name, one in found.items()] == [
        ("job:PROF_1", -1),
        ("job:PROF_2", -1),
    ]

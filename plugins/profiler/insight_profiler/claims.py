"""Claims of the profiler plugin: profile files by name, traces of any name by their first bytes."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence

from insight_core.plugin import FileName, PluginContext, PluginNameEnum
from insight_core.plugin.databases import MARK, SIDE_FILES
from insight_profiler.stack_files import is_folded, is_pprof, is_speedscope, unpacked

NAME = str(PluginNameEnum.PROFILER)
NAMED_TRACE = "trace"  # in names of traces with any ending, and perhaps of stacks
FOLDED = (".folded", ".collapsed", ".stacks")  # of collapsed stacks

# below the directory that MindSpore 2.x (_ascend_ms) or torch_npu (_ascend_pt) writes
_ASCEND = [
    "*.json",
    "ASCEND_PROFILER_OUTPUT/*.csv",
    "ASCEND_PROFILER_OUTPUT/*.json",
    *(f"ASCEND_PROFILER_OUTPUT/*.db{side}" for side in ("", *SIDE_FILES)),
    "FRAMEWORK/*.csv",
    "FRAMEWORK/*.json",
    "FRAMEWORK/*.txt",
]
# what MindSpore wrote for MindInsight, in whatever directory; the names are its own
_MINDINSIGHT = [
    "*_cluster_analyse_*.csv",
    "*strategy*.ckpt",
    "*strategy_rank_*.json",
    "*timeline_display_*.json",
    "*timeline_summary_*.json",
    "PROF_*/device_*/timeline/*.json",
    "PROF_*/mindstudio_profiler_output/*.json",
    "mindstudio_profiler_output/msprof_*.json",
    "aicore_intermediate_*.csv",
    "aicpu_intermediate_*.csv",
    "cpu_framework_*.txt",
    "cpu_ms_memory_record_*.txt",
    "cpu_op_detail_info_*.csv",
    "cpu_op_execute_timestamp_*.txt",
    "cpu_op_type_info_*.csv",
    "dataset_iterator_profiling_*.txt",
    "device_queue_profiling_*.txt",
    "dynamic_shape_info_*.json",
    "flops_scope_*.json",
    "flops_summary_*.json",
    "framework_raw_*.csv",
    "gpu_activity_data_*.csv",
    "gpu_op_detail_info_*.csv",
    "gpu_op_type_info_*.csv",
    "hccl_raw_*.csv",
    "memory_usage_details_*.json",
    "memory_usage_summary_*.json",
    "minddata_aicpu_*.txt",
    "minddata_cpu_utilization_*.json",
    "minddata_getnext_profiling_*.txt",
    "minddata_pipeline_raw_*.csv",
    "minddata_pipeline_summary_*.json",
    "parallel_strategy_*.json",
    "pipeline_profiling_*.json",
    "pynative_op_intermediate_*.csv",
    "step_trace_raw_*_detail_time.csv",
]
# names that say too little to make a directory a run
_BESIDE = [
    "*strategy.json",
    "flops_*.txt",
    "min_cycle_counter_*.txt",
    "profiler_info_*.json",
    "step_trace_point_info*.json",
]
_TRACES = ["*trace.json", "*trace.json.gz"]
_ANY_TRACES = ["*.json", "*.gz"]  # if they begin like one, or like a profile of speedscope
_XPLANE = ["*.xplane.pb"]
_PERFETTO = [f"*{name}{packed}" for name in (".pftrace", ".perfetto-trace") for packed in ("", ".gz")]
_ASCEND_DATABASES = [
    "ascend_pytorch_profiler*.db",
    "ascend_mindspore_profiler*.db",
    "msprof_*.db",
    # of the run that has the text export, too
    "PROF_*/msprof_*.db",
    "PROF_*/mindstudio_profiler_output/msprof_*.db",
    "mindstudio_profiler_output/msprof_*.db",
]
_ANALYSES = ["analysis.db", "communication_analyzer.db"]  # of such a database next to them
# what msprof-analyze writes about the ranks of a job
CLUSTER_DIRECTORY = "cluster_analysis_output"
CLUSTER_FILES = (
    "cluster_analysis.db",
    "cluster_communication.json",
    "cluster_communication_matrix.json",
    "cluster_step_trace_time.csv",
)
_FLIGHTS = ["*nccl_trace_rank_*", "*comm_lib_trace_rank_*", "rank_*"]  # if they begin like one
_RANK_STEPS = ["structured_logs/*.global_rank_*.jsonl"]
_FOLDED = [f"*{name}{packed}" for name in FOLDED for packed in ("", ".gz")]  # if they begin like one
_SPEEDSCOPE = ["*.speedscope.json", "*.speedscope.json.gz"]
_PPROF = ["*.pprof", "*.pprof.gz"]
_MAY_BE_PPROF = ["*.pb.gz", "*.prof"]  # if they begin like one
SNAPSHOTS = (".pickle", ".pickle.gz", ".pkl", ".pkl.gz")  # of memory, if they begin like one
NSIGHT, ROCPD = ".sqlite", "_results.db"  # of databases, if they have a table whose name begins so
NSIGHT_TABLES = ("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS")
ROCPD_TABLES = ("rocpd_string",)

_TABLE = re.compile(rb"CREATE TABLE [\"'`\[]?(\w+)")
_NEAR = 16  # characters from the end at which a value may just be cut
# patterns are compiled when first used: most logdirs have no files of unknown names
_MEMBER = r'\s*"((?:[^"\\]|\\.)*)"\s*:\s*'
_SEPARATOR = r"\s*(,|\Z)"
_EVENTS = r'"traceEvents"\s*:\s*\['
_PHASES = "A-Za-z(),="
_EVENT = rf'"ph"\s*:\s*"[{_PHASES}]"'
_PHASE = f"[{_PHASES}]"
# protocol, perhaps a frame, a dict, and its first key
_SNAPSHOT = (
    rb"(?s)\x80[\x02-\x05](?:\x95.{8})?\}(?:\x94|q.|r.{4})?\(?(?:X.{4}|\x8c.)"
    rb"(?:segments|device_traces|allocator_settings|external_annotations)"
)
_DECODER = json.JSONDecoder(strict=False)
# members that stand before the events in traces of Chrome and of others that know its format
_CHROME = {"displayTimeUnit", "stackFrames", "systemTraceEvents", "controllerTraceDataKey"}


def has_profiles(ctx: PluginContext) -> bool:
    """Whether there is more than logs of databases, which may be those of any program."""
    return any(not info.key.tag.endswith(SIDE_FILES) for info in ctx.own.series())


def is_trace(beginning: bytes) -> bool:
    """Whether a file that begins so is a Chrome trace, packed by gzip or not: an array of events, or an
    object with ``traceEvents`` or, if these come later, with what torch and Chrome write before them."""
    text = unpacked(beginning).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if text.startswith("["):
        return _is_event(text[1:].lstrip(" \t\r\n,"))
    return text.startswith("{") and _has_events(text)


def is_trace_or_calls(beginning: bytes) -> bool:
    """Whether a file that begins so is a Chrome trace, or a profile of speedscope."""
    return is_trace(beginning) or is_speedscope(beginning)


def is_trace_or_stacks(beginning: bytes) -> bool:
    """Whether a file that begins so is a Chrome trace, a profile of speedscope, or collapsed stacks."""
    return is_trace_or_calls(beginning) or is_folded(beginning)


def is_nsight(beginning: bytes) -> bool:
    """Whether a file is an export of Nsight Systems: a database with one of the tables that are read."""
    return _has_table(beginning, NSIGHT_TABLES)


def is_rocpd(beginning: bytes) -> bool:
    """Whether a file is of ROCm's profilers: a database with one of the tables that are read."""
    return _has_table(beginning, ROCPD_TABLES)


def _has_table(beginning: bytes, names: Sequence[str]) -> bool:
    """Whether a database of SQLite has a table whose name begins so; SQLite keeps the text that made it."""
    tables = (match[1].decode("ascii", "replace") for match in _TABLE.finditer(beginning))
    return beginning.startswith(MARK) and any(table.startswith(tuple(names)) for table in tables)


def is_flight(beginning: bytes) -> bool:
    """Whether a file that begins so is a dump of torch's flight recorder, a pickle or JSON."""
    start = unpacked(beginning)
    return start.startswith((b"\x80", b"{")) and b"version" in start[:64] and b"pg_config" in start


def is_snapshot(beginning: bytes) -> bool:
    """Whether a file that begins so is a memory snapshot of torch, packed by gzip or not: a pickle of a dict
    whose first key is one of a snapshot's."""
    return re.match(_SNAPSHOT, unpacked(beginning)[:256]) is not None


def _is_event(text: str) -> bool:
    """Whether an array's first element is an event. Where it is cut, what there is of it decides."""
    if not text.startswith("{"):
        return False
    try:
        event = _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return re.search(_EVENT, text) is not None
    is_phase = re.fullmatch(_PHASE, str(event.get("ph"))) is not None
    return is_phase and not {"ts", "pid"}.isdisjoint(event)


def _has_events(text: str) -> bool:
    """Whether the members of an object say that it is a trace, as far as they are there."""
    names: list[str] = []
    at = 1
    while found := re.compile(_MEMBER).match(text, at):
        name, at = found[1], found.end()
        if name == "traceEvents":
            return text.startswith("[", at)
        names.append(name)
        try:
            value, at = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            is_cut = error.pos >= len(text) - _NEAR or error.msg.startswith("Unterminated")
            if not is_cut and re.compile(_EVENTS).search(text, at):  # behind a bare N/A, for instance
                return True
            break
        except (ValueError, RecursionError):
            break
        if names == ["schemaVersion"] and value != 1:
            return False
        separator = re.compile(_SEPARATOR).match(text, at)
        if separator is None:  # it ends, or is not JSON
            return False
        at = separator.end()
    return names[:1] == ["schemaVersion"] or not _CHROME.isdisjoint(names)


FILES = {
    *(FileName(f"**/*_ascend_{kind}/{name}") for kind in ("ms", "pt") for name in _ASCEND),
    *(
        FileName(f"**/{name}")
        for name in [*_MINDINSIGHT, *_TRACES, *_XPLANE, *_PERFETTO, *_ASCEND_DATABASES, *_RANK_STEPS]
    ),
    *(FileName(f"**/{name}{side}", makes_run=False) for name in _ASCEND_DATABASES for side in SIDE_FILES),
    *(FileName(f"**/{name}", makes_run=False) for name in _ANALYSES),
    *(FileName(f"**/{where}{name}") for where in ("", f"{CLUSTER_DIRECTORY}/") for name in CLUSTER_FILES),
    *(
        FileName(f"**/{where}{CLUSTER_FILES[0]}{side}", makes_run=False)
        for where in ("", f"{CLUSTER_DIRECTORY}/")
        for side in SIDE_FILES
    ),
    FileName(f"**/*{NSIGHT}", begins=is_nsight),
    FileName(f"**/*{ROCPD}", begins=is_rocpd),
    *(FileName(f"**/*{name}{side}", makes_run=False) for name in (NSIGHT, ROCPD) for side in SIDE_FILES),
    *(FileName(f"**/{name}", begins=is_trace_or_calls) for name in _ANY_TRACES),
    FileName(f"**/*{NAMED_TRACE}*", begins=is_trace_or_stacks),
    *(FileName(f"**/{name}") for name in (*_SPEEDSCOPE, *_PPROF)),
    *(FileName(f"**/{name}", begins=is_folded) for name in (*_FOLDED, "*.txt")),
    *(FileName(f"**/{name}", begins=is_pprof) for name in _MAY_BE_PPROF),
    *(FileName(f"**/*{ending}", begins=is_snapshot) for ending in SNAPSHOTS),
    *(FileName(f"**/{name}", begins=is_flight) for name in _FLIGHTS),
    *(FileName(f"**/{name}", makes_run=False) for name in _BESIDE),
}


@functools.cache
def _of_mindinsight() -> re.Pattern[str]:
    names = [re.escape(name).replace(re.escape("*"), "[^/]*") for name in (*_MINDINSIGHT, *_BESIDE)]
    return re.compile("|".join(f"(?:^|/){name}$" for name in names))


def is_mindinsight(path: str) -> bool:
    """Whether MindSpore wrote the file at a path for MindInsight, by the path."""
    return _of_mindinsight().search(path) is not None

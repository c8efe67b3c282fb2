"""Claims of the profiler plugin: profile files by name, traces of any name by their first bytes."""

from __future__ import annotations

import re

from insight_core.plugin import FileName, PluginNameEnum
from insight_profiler.beginnings import is_trace

NAME = str(PluginNameEnum.PROFILER)

# below the directory that MindSpore 2.x (_ascend_ms) or torch_npu (_ascend_pt) writes
_ASCEND = [
    "*.json",
    "ASCEND_PROFILER_OUTPUT/*.csv",
    "ASCEND_PROFILER_OUTPUT/*.json",
    "ASCEND_PROFILER_OUTPUT/*.db",
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
_ANY_TRACES = ["*.json", "*.gz", "*trace*"]  # if they begin like one
_XPLANE = ["*.xplane.pb"]

FILES = {
    *(FileName(f"**/*_ascend_{kind}/{name}") for kind in ("ms", "pt") for name in _ASCEND),
    *(FileName(f"**/{name}") for name in [*_MINDINSIGHT, *_TRACES, *_XPLANE]),
    *(FileName(f"**/{name}", begins=is_trace) for name in _ANY_TRACES),
    *(FileName(f"**/{name}", makes_run=False) for name in _BESIDE),
}

# paths of files that MindSpore wrote for MindInsight
IS_MINDINSIGHT = re.compile(
    "|".join(
        f"(?:^|/){re.escape(name).replace(re.escape('*'), '[^/]*')}$" for name in (*_MINDINSIGHT, *_BESIDE)
    )
)

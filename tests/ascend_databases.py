"""Databases as torch_npu and msprof write them, made by hand from the published tables
(https://gitcode.com/Ascend/msprof/blob/master/docs/en/user_guide/profile_data_file_references_db.md)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from tests.ascend_samples import EPOCH

NOW = int(EPOCH) * 1000  # ns

_TABLES = {
    "STRING_IDS": "id INTEGER PRIMARY KEY, value TEXT",
    "TASK": "startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, "
    "globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER",
    "COMPUTE_TASK_INFO": "name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, "
    "mixBlockDim INTEGER, taskType INTEGER, opType INTEGER, inputFormats INTEGER, "
    "inputDataTypes INTEGER, inputShapes INTEGER, outputFormats INTEGER, outputDataTypes INTEGER, "
    "outputShapes INTEGER, attrInfo INTEGER",
    "COMMUNICATION_TASK_INFO": "name INTEGER, globalTaskId INTEGER, taskType INTEGER, planeId INTEGER, "
    "groupName INTEGER, opId INTEGER",
    "COMMUNICATION_OP": "opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, "
    "groupName INTEGER, opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER, dataType INTEGER, "
    "algType INTEGER, count NUMERIC, opType INTEGER, deviceId INTEGER",
    "CANN_API": "startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, "
    "connectionId INTEGER PRIMARY KEY, name INTEGER",
    # the times of torch_npu's own tables have been declared as texts
    "PYTORCH_API": "startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, "
    "sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, "
    "callchainId INTEGER, type INTEGER",
    "CONNECTION_IDS": "id INTEGER, connectionId INTEGER",
    "STEP_TIME": "id INTEGER, startNs INTEGER, endNs INTEGER",
    "OP_MEMORY": "name INTEGER, size INTEGER, allocationTime INTEGER, releaseTime INTEGER, deviceId INTEGER",
    "MEMORY_RECORD": "component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER, "
    "totalActive INTEGER, streamPtr INTEGER, deviceId INTEGER",
    "NPU_INFO": "id INTEGER, name TEXT",
    "HOST_INFO": "hostUid TEXT, hostName TEXT",
    "META_DATA": "name TEXT, value TEXT",
    "RANK_DEVICE_MAP": "rankId INTEGER, deviceId INTEGER",
    "CommAnalyzerTime": "hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, "
    "transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, step TEXT, "
    "type TEXT",
    "CommAnalyzerBandwidth": "hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC, "
    "transit_time NUMERIC, bandwidth NUMERIC, large_packet_ratio NUMERIC, package_size NUMERIC, "
    "count NUMERIC, total_duration NUMERIC, step TEXT, type TEXT",
    "CommAnalyzerMatrix": "hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, "
    "transport_type TEXT, transit_size NUMERIC, transit_time NUMERIC, bandwidth NUMERIC, step TEXT, "
    "type TEXT, op_name TEXT",
    "StepTraceTime": "deviceId INTEGER, step TEXT, computing NUMERIC, communication_not_overlapped NUMERIC, "
    "overlapped NUMERIC, communication NUMERIC, free NUMERIC, stage NUMERIC, bubble NUMERIC, "
    "communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC",
}

Rows = Iterable[Mapping[str, object]]


def write_database(path: Path, tables: Mapping[str, Rows], schema: Mapping[str, str] | None = None) -> Path:
    """A database with rows of some of the tables, or of those of another schema. Texts in columns of numbers
    become numbers of STRING_IDS."""
    columns = schema or _TABLES
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers: dict[str, int] = {}
    with closing(sqlite3.connect(path)) as connection:
        for table, rows in tables.items():
            connection.execute(f'CREATE TABLE "{table}" ({columns[table]})')
            for row in rows:
                cells = {
                    name: numbers.setdefault(value, len(numbers))
                    if isinstance(value, str) and f"{name} INTEGER" in columns[table]
                    else value
                    for name, value in row.items()
                }
                names, marks = ", ".join(f'"{name}"' for name in cells), ", ".join("?" * len(cells))
                connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', list(cells.values()))
        if "STRING_IDS" not in tables and "STRING_IDS" in columns:
            connection.execute(f"CREATE TABLE STRING_IDS ({columns['STRING_IDS']})")
            connection.executemany(
                "INSERT INTO STRING_IDS VALUES (?, ?)", [(number, text) for text, number in numbers.items()]
            )
        connection.commit()
    return path


def task(
    number: int, stream: int, kind: str, start: int, duration: int, connection: int = 0xFFFFFFFF
) -> dict[str, object]:
    """A row of TASK; ``start`` is in ns from NOW."""
    return {
        "startNs": NOW + start,
        "endNs": NOW + start + duration,
        "deviceId": 0,
        "connectionId": connection,
        "globalTaskId": number,
        "taskType": kind,
        "streamId": stream,
    }


def _matmul(number: int) -> dict[str, object]:
    return {
        "name": "MatMulV2-op1",
        "globalTaskId": number,
        "blockDim": 24,
        "taskType": "AI_CORE",
        "opType": "MatMulV2",
        "inputFormats": "ND;ND",
        "inputDataTypes": "FLOAT16;FLOAT16",
        "inputShapes": "32,64;64,10",
        "outputFormats": "ND",
        "outputDataTypes": "FLOAT16",
        "outputShapes": "32,10",
    }


_THREAD = 4321 << 32
# the profile of KERNELS, TRACE, STEPS, MEMORY, RECORD of ascend_samples.py
RECORDS: Mapping[str, Rows] = {
    "TASK": [
        task(1, 2, "AI_CORE", 100, 10_500, connection=77),
        task(2, 2, "AI_CORE", 31_900, 11_500),
        task(3, 2, "EVENT_WAIT", 61_000, 5_000),
        task(4, 2, "MEMCPY_ASYNC", 67_000, 2_000),
        task(5, 3, "SDMA_SQE", 231_000, 100_000),
    ],
    "COMPUTE_TASK_INFO": [_matmul(1), _matmul(2)],
    "COMMUNICATION_TASK_INFO": [{"name": "Reduce_Inline", "globalTaskId": 5, "planeId": 0, "opId": 1}],
    "COMMUNICATION_OP": [
        {
            "opName": "hcom_allReduce_1",
            "startNs": NOW + 231_000,
            "endNs": NOW + 331_250,
            "connectionId": 78,
            "groupName": "5678",
            "opId": 1,
            "dataType": 4,
            "count": 1000,
            "opType": "hcom_allReduce_",
            "deviceId": 0,
        }
    ],
    "CANN_API": [
        {
            "startNs": NOW + 15,
            "endNs": NOW + 20,
            "type": 10000,
            "globalTid": _THREAD | 5,
            "connectionId": 77,
            "name": "launch",
        }
    ],
    "PYTORCH_API": [
        {
            "startNs": str(NOW),
            "endNs": str(NOW + 200_000),
            "globalTid": _THREAD | 9,
            "name": "ProfilerStep#1",
            "type": 50001,
        },
        {
            "startNs": str(NOW + 10),
            "endNs": str(NOW + 20_010),
            "globalTid": _THREAD | 9,
            "connectionId": 900,
            "name": "aten::matmul",
            "inputShapes": "32,64;64,10",
            "type": 50001,
        },
    ],
    "CONNECTION_IDS": [{"id": 900, "connectionId": 77}],
    "STEP_TIME": [{"id": 1, "startNs": NOW, "endNs": NOW + 200_000}],
    "OP_MEMORY": [
        {"name": "MatMulV2", "size": 2560, "allocationTime": NOW, "releaseTime": NOW + 500, "deviceId": 0},
        {"name": "Weights", "size": 1 << 20, "allocationTime": NOW + 250, "deviceId": 0},
        {"name": "before", "size": -16384, "allocationTime": NOW + 300, "releaseTime": NOW + 400},
    ],
    "MEMORY_RECORD": [
        {
            "component": component,
            "timestamp": NOW + time,
            "totalAllocated": taken,
            "totalReserved": held,
            "deviceId": 0,
        }
        for component, time, taken, held in (
            ("PTA", 0, 1536 << 10, 2 << 20),
            ("GE", 100, 512 << 10, 1 << 20),
            ("PTA", 200, 3 << 20, 4 << 20),
        )
    ],
    "NPU_INFO": [{"id": 0, "name": "Ascend910B2"}],
    "HOST_INFO": [{"hostUid": "1", "hostName": "node7"}],
    "META_DATA": [{"name": "SCHEMA_VERSION", "value": "1.2.0"}],
}
# COMMUNICATION, MATRIX and the steps
ANALYSIS: Mapping[str, Rows] = {
    "CommAnalyzerTime": [
        {
            "hccl_op_name": "hcom_allReduce__123_0_1",
            "group_name": "5678",
            "start_timestamp": f"{EPOCH}.500",
            "elapse_time": 0.10025,
            "transit_time": 0.06,
            "wait_time": 0.04,
            "step": "step1",
            "type": "collective",
        },
    ],
    "CommAnalyzerBandwidth": [
        {
            "hccl_op_name": "hcom_allReduce__123_0_1",
            "group_name": "5678",
            "transport_type": kind,
            "transit_size": 1.5,
            "step": "step1",
            "type": "collective",
        }
        for kind in ("HCCS", "SDMA")
    ],
    "CommAnalyzerMatrix": [
        {
            "hccl_op_name": "allReduce-top1",
            "group_name": "5678",
            "src_rank": source,
            "dst_rank": "1",
            "transport_type": kind,
            "transit_size": size,
            "transit_time": time,
            "step": "step1",
            "type": "collective",
        }
        for source, kind, size, time in (("0", "HCCS", 1.5, 0.05), ("1", "LOCAL", 0, 0))
    ],
    "StepTraceTime": [
        {
            "deviceId": 0,
            "step": step,
            "computing": computing,
            "communication_not_overlapped": alone,
            "overlapped": 0,
            "communication": alone,
            "free": free,
            "stage": stage,
            "bubble": 0,
            "communication_not_overlapped_and_exclude_receive": collective,
            "preparing": preparing,
        }
        for step, computing, alone, free, stage, collective, preparing in (
            ("1", 22.0, 100.25, 50.5, 172.75, 90.25, 3.5),
            ("2", 1.5, 0, 8.5, 10, 0, None),
        )
    ],
}

"""Files of profiles as MindSpore 2.4+ and torch_npu write them, made by hand from their headers."""

from __future__ import annotations

from typing import Any

EPOCH = "1795221433795769"  # µs

KERNELS = "\n".join(
    [
        "Step ID,Model Name,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,"
        "Start Time(us),Duration(us),Wait Time(us),"
        "Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
        "Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us)",
        *(
            f"1,N/A,4294967295,12,2,MatMulV2-op1,MatMulV2,AI_CORE,{start}\t,{duration},0,24,0,NO,"
            '"32,64;64,10",FLOAT16;FLOAT16,ND;ND,"32,10",FLOAT16,ND,N/A,9.1'
            for start, duration in ((f"{EPOCH}.100", "10.5"), ("1795221433795800.900", "11.5"))
        ),
        "2,N/A,4294967295,14,3,hcom_allReduce_1,hcom_allReduce_,HCCL,1795221433796000.000\t,100.25,0,0,0,NO,"
        "N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A",
        "2,N/A,4294967295,15,2,Add-op3,Add,AI_VECTOR_CORE,N/A,1,0,24,0,NO,32,FLOAT,ND,32,FLOAT,ND,N/A,N/A",
    ]
)

STEPS = """Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,\
Bubble,Communication(Not Overlapped and Exclude Receive),Preparing
0,1,22.0,100.25,0,100.25,50.5,172.75,0,90.25,3.5
0,2,1.5,0,0,0,8.5,10,0,0,N/A
"""

MEMORY = f"""Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),\
Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Stream Ptr,Device Type
MatMulV2,2.5,{EPOCH}.000,{EPOCH}.500,N/A,0.5,N/A,1,2,0,NPU:0
Weights,1024,{EPOCH}.250,N/A,N/A,N/A,N/A,1,2,0,NPU:0
before,-16,{EPOCH}.300,{EPOCH}.400,N/A,N/A,N/A,1,2,0,NPU:0
"""

RECORD = f"""Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Device Type
PTA,{EPOCH}.000,1.5,2,N/A,NPU:0
GE,{EPOCH}.100,0.5,1,N/A,NPU:0
PTA,{EPOCH}.200,3,4,N/A,NPU:0
"""

COMMUNICATION = {
    "step1": {
        "p2p": {},
        "collective": {
            "hcom_allReduce__123_0_1@5678": {
                "Communication Time Info": {
                    "Start Timestamp(us)": f"{EPOCH}.500",
                    "Elapse Time(ms)": 0.10025,
                    "Transit Time(ms)": 0.06,
                    "Wait Time(ms)": 0.04,
                    "Synchronization Time(ms)": 0.03,
                    "Idle Time(ms)": 0.00025,
                    "Wait Time Ratio": 0.4,
                },
                "Communication Bandwidth Info": {
                    "HCCS": {"Transit Size(MB)": 1.5, "Transit Time(ms)": 0.05, "Bandwidth(GB/s)": 30.0},
                    "SDMA": {"Transit Size(MB)": 1.5, "Transit Time(ms)": 0.05, "Bandwidth(GB/s)": 30.0},
                },
            },
            "Total Op Info": {"Communication Time Info": {"Elapse Time(ms)": 0.10025}},
        },
    }
}
MATRIX = {
    "step1": {
        "collective": {
            "allReduce-top1@5678": {
                "0-1": {
                    "Transport Type": "HCCS",
                    "Transit Size(MB)": 1.5,
                    "Transit Time(ms)": 0.05,
                    "Bandwidth(GB/s)": 7,
                },
                "1-1": {
                    "Transport Type": "LOCAL",
                    "Transit Size(MB)": 0,
                    "Transit Time(ms)": 0,
                    "Bandwidth(GB/s)": 0,
                },
            }
        }
    }
}


def layer(pid: int, name: str, order: int) -> list[dict[str, Any]]:
    return [
        {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}},
        {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": order}},
    ]


def thread(pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def timed(pid: int, tid: int, name: str, start: str, duration: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, **more}


def flow(phase: str, pid: int, tid: int, time: str, kind: str) -> dict[str, Any]:
    return {"ph": phase, "name": kind, "cat": kind, "id": "77", "pid": pid, "tid": tid, "ts": time}


TRACE = [
    *layer(1, "Python", 1),
    timed(1, 9, "ProfilerStep#1", f"{EPOCH}.000", 200),
    timed(1, 9, "aten::matmul", f"{EPOCH}.010", 20, cat="cpu_op"),
    *layer(2, "CANN", 2),
    timed(2, 5, "Node@launch", f"{EPOCH}.015", 0.005),
    flow("s", 2, 5, f"{EPOCH}.015", "HostToDevice"),
    *layer(3, "Ascend Hardware", 3),
    thread(3, 2, "Stream 2"),
    timed(3, 2, "MatMulV2-op1", f"{EPOCH}.100", 10.5, args={"Task Type": "AI_CORE"}),
    flow("f", 3, 2, f"{EPOCH}.100", "HostToDevice"),
    timed(3, 2, "MatMulV2-op1", "1795221433795800.900", 11.5, args={"Task Type": "AI_CORE"}),
    timed(3, 2, "EVENT_WAIT", "1795221433795830.000", 5, args={"Task Type": "EVENT_WAIT"}),
    timed(3, 2, "MEMCPY_ASYNC", "1795221433795836.000", 2, args={"Task Type": "MEMCPY_ASYNC"}),
    *layer(4, "HCCL", 4),
    thread(4, 1, "Plane 0"),
    timed(4, 1, "Reduce_Inline", "1795221433796000.000", 100, args={"task type": "Reduce_Inline"}),
    *layer(5, "Overlap Analysis", 5),
    timed(5, 0, "Computing", f"{EPOCH}.100", 22),
    *layer(6, "Scope Layer", 6),
    timed(6, 0, "Default", f"{EPOCH}.000", 150),
    *layer(7, "CPU OP", 7),
    timed(7, 0, "Default/net/Cast-op2", f"{EPOCH}.050", 1, args={"type": "HostCpuOps"}),
    {"ph": "C", "name": "AI Core Freq", "pid": 8, "ts": f"{EPOCH}.000", "args": {"MHz": "1850"}},
]

"""How logs end: what real programs print as they fail, texts of CUDA, NCCL and SLURM, and look-alikes."""

from __future__ import annotations

from pathlib import Path

import pytest
from insight_console.endings import ending_of

LOGS = Path(__file__).parent / "fixtures" / "logs"
STEPS = "".join(f"INFO step {step} loss 0.{step}\n" for step in range(10, 60, 10))
TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/home/user/project/train.py", line 7, in <module>\n    main()\n'
    '  File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1778, in _call_impl\n'
    "    return forward_call(*args, **kwargs)\n"
)
OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
    "79.15 GiB of which 1.31 GiB is free. Process 4242 has 77.83 GiB memory in use. If reserved but "
    "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
    "fragmentation.\n"
)


@pytest.mark.parametrize(
    ("name", "kind", "said", "place"),
    [
        ("shape", "traceback", "RuntimeError: mat1 and mat2 shapes cannot be multiplied", ("train.py", 9)),
        ("memory", "host_memory", "DefaultCPUAllocator: can't allocate memory", ("train.py", 11)),
        ("pymemory", "host_memory", "MemoryError", ("train.py", 13)),
        ("kill", "killed", "job.sh: line 2: 11947 Killed", ("", 0)),
        ("segv_handler", "crash", "Fatal Python error: Segmentation fault", ("train.py", 15)),
        ("loader_die", "traceback", "ValueError: bad sample 4", ("loader.py", 6)),
        ("rank1_stderr", "traceback", "RuntimeError: rank 1 has no data", ("ranks.py", 6)),
        ("torchrun_one", "traceback", "RuntimeError: rank 1 has no data", ("ranks.py", 6)),
        ("torchrun", "traceback", "ChildFailedError", ("", 0)),
        ("tqdm", "traceback", "ValueError: tqdm dies", ("bars.py", 7)),
    ],
)
def test_what_real_programs_print_as_they_fail(
    name: str, kind: str, said: str, place: tuple[str, int]
) -> None:
    log = (LOGS / f"{name}.log").read_bytes()
    ending = ending_of(log)
    assert ending is not None
    assert (ending.kind, Path(ending.file).name, ending.line) == (kind, *place)
    assert said in ending.said
    line = log[ending.offset :].split(b"\n")[0].decode()
    assert "Traceback (most recent" in line or ending.said == line.strip()


@pytest.mark.parametrize("name", ["caught", "tail_caught", "loader_recover"])
def test_an_exception_that_was_caught_is_no_failure(name: str) -> None:
    log = (LOGS / f"{name}.log").read_bytes()
    assert b"Traceback (most recent call last):" in log
    assert ending_of(log) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TRACEBACK + OUT_OF_MEMORY, "device_memory"),
        (
            TRACEBACK + "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 20.00 MiB.\n",
            "device_memory",
        ),
        (
            TRACEBACK + "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while "
            "trying to allocate 17179869184 bytes.\n",
            "device_memory",
        ),
        (
            "slurmstepd: error: *** JOB 4242 ON node12 CANCELLED AT 2026-11-28 DUE TO TIME LIMIT ***\n",
            "time_limit",
        ),
        (
            "slurmstepd: error: *** STEP 4242.0 ON node12 CANCELLED AT 2026-11-28 DUE TO TIME LIMIT ***\n"
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"
            "srun: error: node12: task 0: Terminated\n",
            "time_limit",
        ),
        (
            "slurmstepd: error: *** JOB 77 ON node3 CANCELLED AT 2026-11-28 DUE TO PREEMPTION ***\n",
            "preempted",
        ),
        (
            "slurmstepd: error: Detected 1 oom_kill event in StepId=4242.batch. Some of the step "
            "tasks have been OOM Killed.\n",
            "host_memory",
        ),
        (
            "srun: error: node12: task 0: Out Of Memory\n"
            "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=4242.0 cgroup.\n",
            "host_memory",
        ),
        (
            "[rank3]:[E1128 03:00:17.000 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective "
            "operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, Timeout(ms)=600000) ran "
            "for 600028 milliseconds before timing out.\n"
            "[rank3]:[E1128 03:00:17.100 ProcessGroupNCCL.cpp:630] To avoid data inconsistency, we take "
            "the entire process down.\n"
            "terminate called after throwing an instance of 'c10::DistBackendError'\n",
            "collective",
        ),
        ("job.sh: line 4: 999 Segmentation fault      (core dumped) python train.py\n", "crash"),
        ("Killed\n", "killed"),
        (
            TRACEBACK + "ValueError: no data\n" + "wandb: \nwandb: Run history:\nwandb: loss ▁▂▃\n",
            "traceback",
        ),
        (  # the bar of transformers, printed once more by the interpreter that ends
            "\r  7%|▋         | 39/500 [00:10<02:00,  4.00it/s]"
            + "\r  8%|▊         | 40/500 [00:10<02:00,  4.00it/s]"
            + TRACEBACK
            + "ValueError: no data\n\n  8%|▊         | 40/500 [00:10<02:00,  4.00it/s]",
            "traceback",
        ),
    ],
)
def test_what_schedulers_and_accelerators_say(text: str, kind: str) -> None:
    ending = ending_of((STEPS + text).encode())
    assert ending is not None
    assert ending.kind == kind


def test_the_cause_is_what_failed_first_and_not_what_died_of_it() -> None:
    timeout = "[rank0]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)\n"
    launched = (LOGS / "torchrun.log").read_text()
    prefixed = "".join(f"[rank2]: {line}\n" for line in (TRACEBACK + OUT_OF_MEMORY).splitlines())
    ending = ending_of((STEPS + timeout + prefixed + launched).encode())
    assert ending is not None
    assert (ending.kind, Path(ending.file).name, ending.line) == ("device_memory", "train.py", 7)
    assert ending.said.startswith("torch.OutOfMemoryError: CUDA out of memory.")


@pytest.mark.parametrize(
    "text",
    [
        STEPS,
        STEPS + "Training finished in 3 h\n",
        STEPS + "val/error 0.31 metrics/Killed 0 CUDA memory 31.2 GiB\n",
        "UserWarning: something\n  warnings.warn(\n" + STEPS,
        TRACEBACK + "ValueError: no data\n" + STEPS,
        "ERROR CUDA out of memory, skipping the batch\n" + STEPS,
        STEPS + "WARNING CUDA out of memory: retrying with batch size 8\n",
        STEPS + TRACEBACK + "KeyboardInterrupt\n",
        STEPS + TRACEBACK + "ValueError: no data\n" + "resuming from checkpoint-40\n",
        STEPS + TRACEBACK + "ValueError: no data\n" + "".join(f"sample {n}: a cat\n" for n in range(20)),
        "  8%|▊         | 40/500 [00:10<02:00,  4.00it/s]\n"
        + TRACEBACK
        + "ValueError: x\n  9%|▉         | 45/500 [00:11<02:00,  4.00it/s]\n",
        "=== FAILURES ===\n"
        + TRACEBACK
        + "E   ValueError: x\n=========== 1 failed, 2 passed in 0.31s ===========\n",
        "",
        "\x00\xff garbage",
    ],
)
def test_look_alikes_are_not_accused(text: str) -> None:
    assert ending_of(text.encode("utf-8", "surrogateescape") if text else b"") is None


def test_a_log_that_begins_in_the_middle_of_a_traceback_is_read_from_there() -> None:
    ending = ending_of((TRACEBACK + "ValueError: no data\n").encode()[40:], 1000)
    assert ending is None  # nothing says that it is one

"""Training steps with planted faults, as profiles: what rules must find, and healthy steps for comparison."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source

from tests.conformance.our_profiles import read_files
from tests.training_traces import COMPUTE, COPIES, NCCL, Machine

TENSOR_CORES = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"
PLAIN = "ampere_sgemm_128x64_tn"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_CONVOLUTION = "cudnn_infer_ampere_scudnn_128x64_relu_medium_nn_v1"
_CONVOLVED: Mapping[str, Any] = {
    "Input Dims": [[32, 64, 56, 56], [64, 64, 3, 3], *[[]] * 7],
    "Concrete Inputs": ["", "", "[1, 1]", "[1, 1]", "[1, 1]", "1", "False", "False", "True"],
}
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


@frozen
class Training:
    """How a simulated training behaves. Times are in us."""

    seed: int = 0
    steps: int = 6
    layers: int = 12
    kernel: float = 160.0  # a matrix product
    elementwise: float = 40.0
    host: float = 12.0  # of Python for an operator
    loading: float = 150.0
    loader: str = LOADER
    copy: float = 300.0
    copy_from: str = "Pinned"
    copies_on: int = COPIES
    matrix: str = TENSOR_CORES
    extra_kernels: tuple[tuple[str, str, float, int], ...] = ()  # operator, kernel, time, count, a layer
    items: int = 0  # reads of a value of the device, a layer
    compiles: float = 0.0  # in every other step
    allocations: int = 0  # a step
    grid: int = 1024
    occupancy: int = 70
    stalls: float = 0.0  # a step, of the device
    parameters: int = 0  # that the optimiser updates one by one
    zeroed: int = 0  # gradients
    ranks: int = 1
    rank: int = 0
    reduces: int = 4  # layers of a bucket
    reduction: float = 250.0
    overlaps: bool = True
    small_reductions: int = 0
    batches: int = 1  # a step of the optimiser
    slow_steps: int = 0  # one in so many steps takes three times as long
    experts: tuple[float, ...] = ()
    convolution: float = 0.0  # of 7.4 GFLOP, a layer
    memory: Callable[[int], int] | None = None
    warm_up: float = 20_000.0  # more in the first step
    slow: float = 1.0  # times as long as other ranks
    event: float = 0.0  # what the profiler costs for each event of the host
    reads_loss: bool = True  # once a step, for which the host waits
    between: tuple[str, str, float] = (
        "",
        "",
        0.0,
    )  # category, name and time of what the host does between steps


def simulate(training: Training) -> Machine:
    """Runs the training."""
    rng = random.Random(training.seed)
    machine = Machine(rank=training.rank, ranks=training.ranks, event=training.event)

    def about(microseconds: float) -> float:
        return microseconds * training.slow * rng.uniform(0.97, 1.03)

    for step in range(training.steps):
        with machine.span(f"ProfilerStep#{step + 1}", "user_annotation"):
            machine.work(training.warm_up if step == 0 else 0.0)
            times = 3 if training.slow_steps and step % training.slow_steps == training.slow_steps - 1 else 1
            for batch in range(training.batches * times):
                _batch(machine, training, about, batch)
            _update(machine, training, about, step)
            if training.reads_loss:
                with machine.span("aten::item"):
                    machine.wait(
                        machine.launch(
                            "Memcpy DtoH (Device -> Pinned)",
                            1.5,
                            call="cudaMemcpyAsync",
                            category="gpu_memcpy",
                        )
                    )
            if training.between[2]:
                with machine.span(training.between[1], training.between[0]):
                    machine.work(about(training.between[2]))
            if training.memory is not None:
                machine.memory(training.memory(step))
    return machine


def _batch(machine: Machine, training: Training, about: Callable[[float], float], batch: int) -> None:
    with machine.span(training.loader, "user_annotation"):
        machine.work(about(training.loading))
    copied = machine.launch(
        f"Memcpy HtoD ({training.copy_from} -> Device)",
        about(training.copy),
        stream=training.copies_on,
        call="cudaMemcpyAsync",
        category="gpu_memcpy",
    )
    if training.copy_from == "Pageable":
        machine.wait(copied, "cudaStreamSynchronize")
    name = "DistributedDataParallel.forward" if training.ranks > 1 else "forward"
    with machine.span(name, "user_annotation"):
        for layer in range(training.layers):
            _layer(machine, training, about, copied if layer == 0 else 0.0)
    reduced = 0.0
    for layer in range(training.layers):
        _layer(machine, training, about)
        _layer(machine, training, about)
        if training.ranks > 1 and training.overlaps and layer % training.reduces == training.reduces - 1:
            reduced = _reduce(machine, about(training.reduction), after=machine.free[COMPUTE])
    if training.ranks > 1 and not training.overlaps:
        for _ in range(training.layers // training.reduces):
            reduced = _reduce(machine, about(training.reduction), after=machine.free[COMPUTE])
    for _ in range(training.small_reductions):
        reduced = _reduce(machine, about(20.0), after=machine.free[COMPUTE])
    machine.free[COMPUTE] = max(machine.free[COMPUTE], reduced)


def _layer(machine: Machine, training: Training, about: Callable[[float], float], after: float = 0.0) -> None:
    machine.work(about(training.host))
    with machine.span("aten::linear"), machine.span("aten::addmm"):
        machine.launch(training.matrix, about(training.kernel), grid=training.grid, after=after)
    machine.work(about(training.host))
    with machine.span("aten::gelu"):
        machine.launch(
            ELEMENTWISE, about(training.elementwise), grid=training.grid, occupancy=training.occupancy
        )
    for operator, kernel, duration, count in training.extra_kernels:
        for _ in range(count):
            machine.work(about(training.host / 2))
            with machine.span(operator):
                machine.launch(kernel, about(duration), occupancy=training.occupancy)
    if training.convolution:
        with machine.span("aten::cudnn_convolution", **_CONVOLVED):
            machine.launch(_CONVOLUTION, about(training.convolution))
    for number, duration in enumerate(training.experts):
        layer = machine.span("nn.Module: MixtureOfExperts_0", "python_function")
        expert = machine.span(f"nn.Module: Expert_{number}", "python_function")
        with layer, expert, machine.span("aten::mm"):
            machine.launch(training.matrix, about(duration))
    for _ in range(training.items):
        with machine.span("aten::item"), machine.span("aten::_local_scalar_dense"):
            copied = machine.launch(
                "Memcpy DtoH (Device -> Pinned)", 1.5, call="cudaMemcpyAsync", category="gpu_memcpy"
            )
            machine.wait(copied)


def _reduce(machine: Machine, duration: float, after: float) -> float:
    machine.work(5.0)
    with machine.span("nccl:all_reduce", "user_annotation"):
        return machine.launch(ALL_REDUCE, duration, stream=NCCL, after=after, grid=24)


def _update(machine: Machine, training: Training, about: Callable[[float], float], step: int) -> None:
    with machine.span("Optimizer.step#AdamW.step", "user_annotation"):
        for _ in range(training.parameters):
            machine.work(about(10.0))
            with machine.span("aten::addcdiv_"):
                machine.launch(ELEMENTWISE, about(3.0), grid=16)
        for _ in range(3):
            machine.launch(
                "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4> >", 60.0
            )
    with machine.span("Optimizer.zero_grad#AdamW.zero_grad", "user_annotation"):
        machine.work(20.0)
        for _ in range(training.zeroed):
            machine.work(about(8.0))
            machine.launch("Memset (Device)", 2.0, call="cudaMemsetAsync", category="gpu_memset")
    if training.compiles and step % 2:
        with machine.span("entire_frame_compile (dynamo_timed)", "cpu_op"):
            machine.work(about(training.compiles))
    for _ in range(training.allocations):
        machine.wait(machine.free[COMPUTE], "cudaFree")
        machine.work(about(1000.0))
        machine.wait(0.0, "cudaMalloc")
    if training.stalls:
        machine.free[COMPUTE] = machine.free[COMPUTE] + about(training.stalls)


def profile_of(machine: Machine) -> Profile:
    """The trace of a training, read."""
    data = machine.trace()
    return read_files(Files({"a.pt.trace.json": len(data)}, lambda _: io.BytesIO(data)), Source.TORCH)


def step_time(machine: Machine) -> float:
    """How long all steps but the first take, us."""
    steps = sorted(
        (one["ts"], one["dur"]) for one in machine.events if one["name"].startswith("ProfilerStep#")
    )
    return float(sum(duration for _, duration in steps[1:]))


HEALTHY = Training()
DATA_PARALLEL = evolve(HEALTHY, ranks=8, layers=16)
_MATH = "aten::_scaled_dot_product_attention_math"
_SOFTMAX = "void (anonymous namespace)::cunn_SoftMaxForward<8, float, float, float>"
_CAST = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda, LoadWithCast<1> >"
DOUBLE = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<double, double, double> >"
)
_LAYOUT = "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>"

FAULTS: Mapping[str, Training] = {  # by the rule that must find it
    "data_loader": evolve(HEALTHY, loading=5000.0, loader=LOADER.replace("Multi", "Single")),
    "pinned_memory": evolve(HEALTHY, copy=4000.0, copy_from="Pageable"),
    "synchronisation": evolve(HEALTHY, items=1, host=40.0),
    "profiler_cost": evolve(HEALTHY, kernel=30.0, elementwise=12.0, host=20.0, loading=50.0, event=6.0),
    "host_bound": evolve(HEALTHY, kernel=30.0, elementwise=12.0, host=70.0),
    "recompilation": evolve(HEALTHY, compiles=8_000.0),
    "allocation": evolve(HEALTHY, allocations=2),
    "mixed_precision": evolve(HEALTHY, matrix=PLAIN),
    "double_precision": evolve(HEALTHY, extra_kernels=(("aten::mul", DOUBLE, 60.0, 1),)),
    "channels_last": evolve(HEALTHY, extra_kernels=(("aten::cudnn_convolution", _LAYOUT, 30.0, 1),)),
    "small_kernels": evolve(HEALTHY, extra_kernels=(("aten::add", ELEMENTWISE, 5.0, 12),)),
    "small_grids": evolve(HEALTHY, grid=32),
    "occupancy": evolve(HEALTHY, occupancy=12, elementwise=120.0),
    "idle_gaps": evolve(HEALTHY, stalls=3000.0),
    "memory_copies": evolve(HEALTHY, copy=2500.0, copies_on=COMPUTE),
    "fused_optimiser": evolve(HEALTHY, parameters=300),
    "zero_gradients": evolve(HEALTHY, zeroed=200),
    "convolution_algorithm": evolve(HEALTHY, convolution=2600.0, layers=6),
    "attention": evolve(HEALTHY, extra_kernels=((_MATH, _SOFTMAX, 80.0, 1),)),
    "type_conversion": evolve(HEALTHY, extra_kernels=(("aten::_to_copy", _CAST, 40.0, 1),)),
    "unbalanced_experts": evolve(HEALTHY, experts=(20.0, 25.0, 22.0, 150.0)),
    "communication": evolve(DATA_PARALLEL, overlaps=False, reduction=600.0),
    "small_collectives": evolve(DATA_PARALLEL, small_reductions=100),
    "gradient_accumulation": evolve(DATA_PARALLEL, batches=4, layers=8, overlaps=False, reduction=500.0),
    "step_jitter": evolve(HEALTHY, steps=12, slow_steps=6, layers=8),
    "full_memory": evolve(HEALTHY, memory=lambda _: 82_000_000_000),
    "memory_growth": evolve(HEALTHY, memory=lambda step: 10_000_000_000 + 900_000_000 * step),
}

# what else is true of a faulty training: not wrong, but not what was planted
ALSO: Mapping[str, frozenset[str]] = {
    "convolution_algorithm": frozenset({"mixed_precision"}),
    "pinned_memory": frozenset({"memory_copies"}),
    "gradient_accumulation": frozenset({"communication"}),
    "small_collectives": frozenset({"communication"}),
    "small_kernels": frozenset({"host_bound"}),
    "host_bound": frozenset({"small_kernels"}),
    "profiler_cost": frozenset({"small_kernels", "host_bound"}),
    "synchronisation": frozenset({"host_bound"}),
    "recompilation": frozenset({"step_jitter"}),
    "fused_optimiser": frozenset({"small_kernels", "host_bound"}),
    "zero_gradients": frozenset({"host_bound"}),
}


# what repairs a fault, where a repair changes nothing else: against these the estimates are checked
REPAIRS: Mapping[str, Mapping[str, Any]] = {
    "data_loader": {"loading": 0.0},
    "synchronisation": {"items": 0},
    "recompilation": {"compiles": 0.0},
    "allocation": {"allocations": 0},
    "channels_last": {"extra_kernels": ()},
    "type_conversion": {"extra_kernels": ()},
    "memory_copies": {"copy": 0.1},
    "communication": {"overlaps": True},
    "pinned_memory": {"copy": 2000.0, "copy_from": "Pinned"},
    "fused_optimiser": {"parameters": 0},
    "zero_gradients": {"zeroed": 0},
}


def faulty(seed: int) -> Iterator[tuple[str, Training]]:
    """Each fault once, in a training of other sizes."""
    for at, (rule, training) in enumerate(FAULTS.items()):
        rng = random.Random(seed * 1000 + at)
        scale = rng.uniform(0.8, 1.3)
        layers = max(6, round(training.layers * rng.uniform(0.8, 1.2)))
        yield (
            rule,
            evolve(training, seed=rng.randrange(1 << 30), layers=layers, kernel=training.kernel * scale),
        )


def healthy(seed: int, count: int = 20) -> Iterator[Training]:
    """Trainings without a fault: of other sizes, on one device or as one of several ranks."""
    rng = random.Random(seed)
    for number in range(count):
        base = DATA_PARALLEL if number % 2 else HEALTHY
        yield evolve(
            base,
            seed=rng.randrange(1 << 30),
            steps=rng.randint(5, 9),
            layers=rng.randint(8, 24),
            kernel=rng.uniform(80.0, 500.0),
            elementwise=rng.uniform(20.0, 60.0),
            host=rng.uniform(5.0, 15.0),
            loading=rng.uniform(30.0, 120.0),
            warm_up=rng.choice([0.0, 20_000.0, 200_000.0]),
            memory=rng.choice([None, lambda _: 40_000_000_000]),
        )

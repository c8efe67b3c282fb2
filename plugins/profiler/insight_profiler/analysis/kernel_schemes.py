"""Reads names of kernels by the naming schemes of their libraries: which compute products, of which types.

- Tensile and hipBLASLt, ``Cijk_Ailk_Bljk_BBS_BH_..._MT256x256x64_MI16x16x1``: indices of the result and both
  inputs, types, tile; ``MI`` is the instruction of matrix cores
- nvjet of cuBLAS, ``nvjet_sm90_tst_128x256_64x4_...``: a letter for each type, that of the inputs first
- trtllm-gen, ``bmm_Bfloat16_E4m3E4m3_Fp32_t128x8x512...``: types of the result, of both inputs, of the sum;
  ``fmhaSm100aKernel_QE4m3KvE2m1OBfloat16...``: those of queries, keys with values, result
- xmma of cuBLAS and cuDNN, ``sm80_xmma_gemm_tf32f32_tf32f32_f32_...``: types of the inputs first
- CUTLASS and cuBLAS, ``cutlass_80_tensorop_s1688gemm_...``: type of the sum and shape of the instruction
- triton_kernels, ``_matmul_ogs_NNT_bf16xbf16xmxfp4_...``: types of the result and of both inputs
- MIOpen, ``igemm_fwd_gtcx3_nhwc_bf16_...``: ``x`` for matrix cores, layout, type

All others are read by words of the function's own name, then by the types among its template arguments: other
words there do not say what a kernel computes.
"""

from __future__ import annotations

import enum
import functools
import re

from attrs import frozen


class InputType(enum.IntEnum):
    """Types that are multiplied, the widest first. Devices have a peak rate for each."""

    FLOAT64 = 0
    FLOAT32 = 1
    TF32 = 2
    HALF = 3  # bfloat16 and float16
    INT8 = 4
    FLOAT8 = 5
    FLOAT4 = 6


class MatrixWork(enum.Enum):
    """What is computed by products of matrices."""

    PRODUCT = enum.auto()
    CONVOLUTION = enum.auto()
    ATTENTION = enum.auto()


@frozen
class MatrixKernel:
    """A kernel that computes products. ``precision`` is None where its name does not tell.

    ``on_matrix_units``: on tensor cores (NVIDIA) or matrix cores (AMD). Where the name does not tell,
    products of float32 and float64 are not.
    """

    work: MatrixWork
    precision: InputType | None
    on_matrix_units: bool


_LOW = (InputType.TF32, InputType.HALF, InputType.INT8, InputType.FLOAT8, InputType.FLOAT4)

# --- schemes ------------------------------------------------------------------------------------------

_TENSILE = re.compile(r"(?:^|_)C[i-n]+_A[i-n]+C?_B[i-n]+C?_([A-Z0-9a-z]+(?:_MX)?)(?:_|$)")
_TENSILE_TYPES = (  # the first that the token begins with
    ("S_MX", InputType.TF32), ("X", InputType.TF32),
    ("F4", InputType.FLOAT4), ("F6", InputType.FLOAT8), ("B6", InputType.FLOAT8),
    ("F8", InputType.FLOAT8), ("B8", InputType.FLOAT8),
    ("4xi8", InputType.INT8), ("I8", InputType.INT8),
    ("H", InputType.HALF), ("B", InputType.HALF),
    ("S", InputType.FLOAT32), ("C", InputType.FLOAT32),
    ("D", InputType.FLOAT64), ("Z", InputType.FLOAT64),
)  # fmt: skip
_NVJET = re.compile(r"nvjet_(?:sm\d+[a-z]?_)?([a-z])")
_NVJET_TYPES = {
    "d": InputType.FLOAT64, "z": InputType.FLOAT64, "s": InputType.TF32, "h": InputType.HALF,
    "t": InputType.HALF, "i": InputType.INT8, "b": InputType.INT8, "q": InputType.FLOAT8,
    "r": InputType.FLOAT8, "o": InputType.FLOAT4,
}  # fmt: skip
_TYPE = r"(?:Mx)?(?:E\dm\d|Bfloat16|Fp16|Fp32|Int\d|Tf32)"
_GENERATED_PRODUCT = re.compile(rf"^(?:bmm|gemm)_{_TYPE}_({_TYPE})({_TYPE})?_")
_GENERATED_ATTENTION = re.compile(
    rf"^fmhaSm\d+[a-z]*Kernel_Q({_TYPE}|kv{_TYPE})(?:Kv({_TYPE}))?", re.IGNORECASE
)
_XMMA = re.compile(
    r"xmma_(gemm|fprop|dgrad|wgrad)\w*?_(tf32|bf16|f16|f32|f64|e4m3|e5m2|i8|s8|u8)(?:tf32|bf16|f16|f32|f64|e4m3|"
    r"e5m2|[isu]8|[is]32)_"
)
_TRITON_TYPE = r"((?:mx)?(?:bf16|fp\d+\w*?))"
_TRITON_PRODUCT = re.compile(rf"matmul\w*?_[NT]+_{_TRITON_TYPE}x{_TRITON_TYPE}x{_TRITON_TYPE}(?:_|$)")
_INSTRUCTION = re.compile(r"(?<![a-z0-9])([hsdi])(884|1688|16816|16832|16864|161616|\d+x\d+x\d+)(?![0-9])")
_MIOPEN = re.compile(r"^igemm_(?:fwd|bwd|wrw)_gtc(x?)\d*_\w*?(fp32|fp16|bf16|int8)")

# --- words --------------------------------------------------------------------------------------------

_ATTENTION = re.compile(
    r"fmha|flash_?(fwd|bwd|attn|attention|mla)|sdpa|(?<![a-z])attn_(fwd|bwd)|(?<![a-z])bwd_kernel_(dk_?dv|dq|fuse)|"
    r"(?<![a-z])mla_(dec|fwd|prefill|a8|a16)|(unified|flex|varlen|sparse)_attention|attentionscore|"
    r"fwd_(grouped_)?kernel_stage1|(batch|single)(prefill|decode)with|(?<![a-z])mha_(fwd|bwd)|"
    r"attention_\w*mfma|^pa_(bf16|fp16|fp8|a16w)"
)
_CONVOLUTION = re.compile(
    r"conv(?!ert)|(?<![a-z])[dw]grad|fprop|winograd|implicit_gemm|[sh]cudnn|\dcudnn|cudnn_(infer|train)|^fft2d|"
    r"igemm_(fwd|bwd|wrw)"
)
_PRODUCT = re.compile(
    r"gemm|gemv|mat_?mul|flatmm|(?<![a-z])(add|b)?mm(?![a-z0-9])|xmma|marlin|machete|fused_moe|fmoe|wvsplitk"
)
_HELPS = re.compile(  # does not compute the product, but prepares or finishes it
    r"reduce|reduction|combine|preprocess|dot_?do_?o|(?<![a-z])odo(?![a-z])|ograddoto|convert|permut|transpose_|"
    r"sort|finalize|prepare|offsets|strides|workspace|depthwise|im2col|col2im|align_block|repack|prepack"
)
_NO_CONVOLUTION = re.compile(r"norm|softmax|pool|elementwise|pointwise|causal_conv")
_COLLECTIVE = re.compile(
    r"nccl|rccl|msccl|hccl|hcom_|nvshmem|symmetric_memory::|deep_ep::|hybrid_ep::|quickreduce|userbuffers_|"
    r"cross_device_reduce|all[_-]?reduce|all[_-]?gather|reduce[_-]?scatter|all[_-]?to[_-]?all",
    re.IGNORECASE,
)
_GENERATED = re.compile(r"^triton_(?!tem_)[a-z]{3,}_fused")  # by Inductor, with the operators that it fused
_TEMPLATE = re.compile(r"^triton_tem_")
_WRAPPER = re.compile(r"(^|::)(Kernel2?|device_kernel|kentry\w*|enable_\w+)$")
_INNER = re.compile(r"([A-Za-z_][\w:]*)\s*<")

_TENSOR_CORES = re.compile(r"tensorop|[hiuw]g?mma|gmma|xmma|mma_atom|tcgen05")
_MATRIX_CORES = re.compile(r"mfma|xdl|wmma|mmac")  # AMD's multiply float32 too
_PLAIN = re.compile(
    r"simt|_ffma_|_dl_|(?<!x)dlops|gemv|naive(?![a-z])|sp3asmconv(?!fury|rage)|gcnasm|miopenconv"
)
_TYPES = (  # the first that is found
    (re.compile(r"(?<!fp8_)fp4|e2m1|xf4|(?<![a-z0-9])f4(?=gemm|_|$)"), InputType.FLOAT4),
    (re.compile(r"fp8|e4m3|e5m2|float8|bf8|(?<![a-z])f8|a8w8|w8a8"), InputType.FLOAT8),
    (re.compile(r"(?<!u)int8|imma|i8i8|i8gemm|_s8_s8|^[isu]8$"), InputType.INT8),
    (re.compile(r"bf16|bfloat|fp16|half|float16|(?<![a-z0-9])f16|hgemm|hcudnn|a16w"), InputType.HALF),
    (re.compile(r"tf32|tfloat32|xf32"), InputType.TF32),
    (re.compile(r"float|f32|fp32|sgemm|scudnn|cgemm"), InputType.FLOAT32),
    (re.compile(r"double|f64|fp64|dgemm|zgemm"), InputType.FLOAT64),
)
_OF_LETTER = {"d": InputType.FLOAT64, "i": InputType.INT8, "h": InputType.HALF}


@functools.lru_cache(maxsize=1 << 14)
def matrix_kernel(name: str) -> MatrixKernel | None:
    """What the name of a kernel says about the products that it computes; None if it computes none."""
    known = _by_scheme(name)
    if known is not None:
        return known
    own, arguments = (text.lower() for text in own_name(name))
    work = _work(own)
    return None if work is None else _by_words(work, own, arguments)


def own_name(name: str) -> tuple[str, str]:
    """The last part of the qualified name of a function, and its arguments; of wrappers whose names say
    nothing (``cutlass::Kernel<...>``) those of the wrapped function."""
    path, _, arguments = _readable(name).partition("<")
    while arguments and _WRAPPER.search(path):
        inner = _INNER.search(arguments) or re.search(r"([A-Za-z_][\w:]*)", arguments)
        if inner is None:
            break
        path, arguments = inner[1], arguments[inner.end() :]
    parts = path.partition("(")[0].split("::")
    return "::".join(parts[-2:]) if parts[-1] == "kernel" else parts[-1], arguments


def is_wrapper(path: str) -> bool:
    """Whether the qualified name of a function is that of a wrapper, which says nothing of what it runs."""
    return bool(_WRAPPER.search(path))


def is_collective(name: str) -> bool:
    """Whether a kernel of this name communicates with other ranks: those of NCCL, RCCL and HCCL, of symmetric
    memory, DeepEP and NVSHMEM, and all-reduces of torch, vLLM, TensorRT-LLM, FlashInfer and aiter."""
    path = _readable(name).partition("<")[0].partition("(")[0]
    if _GENERATED.match(path) or re.search(r"gemm|mat_?mul", path.rpartition("::")[2], re.IGNORECASE):
        return False
    return bool(_COLLECTIVE.search(path))


# --- schemes ------------------------------------------------------------------------------------------


def _by_scheme(name: str) -> MatrixKernel | None:
    if found := _TENSILE.search(name):
        precision = next((kind for start, kind in _TENSILE_TYPES if found[1].startswith(start)), None)
        low = precision in _LOW
        on_units = "_MI" in name or (low and not re.search(r"_TT\d+_\d+", name))
        return MatrixKernel(MatrixWork.PRODUCT, precision, on_units)
    if found := _NVJET.search(name):
        return MatrixKernel(MatrixWork.PRODUCT, _NVJET_TYPES.get(found[1]), True)
    if found := _GENERATED_PRODUCT.match(name):
        return MatrixKernel(MatrixWork.PRODUCT, _widest(found[1], found[2]), True)
    if found := _GENERATED_ATTENTION.match(name):
        return MatrixKernel(MatrixWork.ATTENTION, _widest(found[1], found[2]), True)
    if found := _XMMA.search(name):
        work = MatrixWork.PRODUCT if found[1] == "gemm" else MatrixWork.CONVOLUTION
        precision = InputType.TF32 if "tf32" in name else _type_of(found[2])
        on_units = precision in _LOW or "_tensor" in name
        return MatrixKernel(work, _of_units(precision) if on_units else precision, on_units)
    if found := _TRITON_PRODUCT.search(name):
        precision = _widest(found[2], found[3])
        return MatrixKernel(MatrixWork.PRODUCT, _of_units(precision), True)
    if found := _MIOPEN.match(name):
        return MatrixKernel(MatrixWork.CONVOLUTION, _type_of(found[2]), bool(found[1]))
    return None


def _of_units(precision: InputType | None) -> InputType | None:
    """What tensor cores multiply where the inputs are of this type."""
    return InputType.TF32 if precision is InputType.FLOAT32 else precision


def _widest(*types: str | None) -> InputType | None:
    known = [_type_of(one) for one in types if one]
    found = [one for one in known if one is not None]
    return min(found) if len(found) == len(known) else None


# --- words --------------------------------------------------------------------------------------------


def _work(own: str) -> MatrixWork | None:
    is_template = bool(_TEMPLATE.match(own))
    if _GENERATED.match(own) or (not is_template and _HELPS.search(own)):
        return None
    if _ATTENTION.search(own):
        return MatrixWork.ATTENTION
    if _CONVOLUTION.search(own) and not _NO_CONVOLUTION.search(own):
        return MatrixWork.CONVOLUTION
    return MatrixWork.PRODUCT if is_template or _PRODUCT.search(own) else None


def _by_words(work: MatrixWork, own: str, arguments: str) -> MatrixKernel:
    instruction = _INSTRUCTION.search(own)
    precision = _type_of(own)
    if instruction is not None and precision in (None, InputType.FLOAT32):
        precision = _of_instruction(instruction, own)
    if precision is None:
        precision = _type_of(arguments)
    whole = f"{own}<{arguments}"
    if _PLAIN.search(own) or "simt" in arguments:
        return MatrixKernel(work, precision, False)
    if instruction is not None or _TENSOR_CORES.search(whole):
        return MatrixKernel(work, precision if work is MatrixWork.ATTENTION else _of_units(precision), True)
    on_units = precision is None or precision in _LOW or bool(_MATRIX_CORES.search(whole))
    return MatrixKernel(work, precision, on_units)


def _of_instruction(instruction: re.Match[str], own: str) -> InputType:
    """The inputs of an instruction whose sums are of the type of its letter."""
    letter, shape = instruction.groups()
    if letter in _OF_LETTER:
        return _OF_LETTER[letter]
    is_volta_or_turing = re.search(r"volta|turing|_7[05]_", own) is not None
    depth = shape.rpartition("x")[2] if "x" in shape else {"884": "4", "1688": "8"}.get(shape, "16")
    return InputType.TF32 if depth == "8" and not is_volta_or_turing else InputType.HALF


def _type_of(text: str) -> InputType | None:
    lower = text.lower()
    return next((kind for pattern, kind in _TYPES if pattern.search(lower)), None)


# --- texts --------------------------------------------------------------------------------------------

_BEFORE = re.compile(r"^(?:void |std::enable_if<.*?>::type )")
_MANGLED = re.compile(r"S[0-9A-Z]*_|L[a-z]n?\d+E|DF16b|DF16_|Dh|\d+|.")
_HALVES = {"DF16b": "bfloat16", "DF16_": "half", "Dh": "half"}


def _readable(name: str) -> str:
    text = _demangled(name) if name.startswith("_Z") else name
    return _BEFORE.sub("", text.replace("(anonymous namespace)::", "")).removesuffix(".kd")


def _demangled(name: str) -> str:
    """The names in a mangled name, with ``::`` between those of a qualified name and ``<`` before arguments.
    Of builtin types only those of 16 bits are kept."""
    found: list[str] = []
    at, joined = 2, ""
    while at < len(name):
        token = _MANGLED.match(name, at)
        if token is None:
            break
        text = token[0]
        at = token.end()
        if text.isdecimal():
            size = int(text)
            found.append(f"{joined}{name[at : at + size]}")
            at, joined = at + size, "::"
        elif text == "I":
            found.append("<")
            joined = ""
        elif text in _HALVES:
            found.append(f",{_HALVES[text]}")
        elif text in "NKE":
            joined = joined if text == "K" else ","
    return "".join(found).replace("<,", "<").removeprefix(",")

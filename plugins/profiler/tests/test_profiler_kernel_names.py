"""What names of kernels say, by the naming schemes of their libraries."""

from __future__ import annotations

import pytest
from insight_profiler.advice.kernel_names import (
    changes_layout,
    is_convolution,
    is_double,
    is_matrix,
    uses_tensor_cores,
)
from insight_profiler.analysis.kernel_schemes import InputType, MatrixWork, is_collective, matrix_kernel
from insight_profiler.model import Category
from insight_profiler.reading.trace_kinds import torch_kind

_FLOAT8_CUTLASS = (
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
    "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<4>, "
    "cutlass::float_e4m3_t>, cutlass::bfloat16_t> >(cutlass::Params)"
)
_FLASH_3 = (
    "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<cutlass::half_t, float> > >"
)
_REDUCES_PARTS = (
    "void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<cutlass::gemm::GemmShape<4> > >"
)
_GEMV = "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, __nv_bfloat16>(x)"
_STRIDES = "void tensorrt_llm::cutlass_kernels::computeStridesTmaWarpSpecializedKernel<cutlass::half_t>(x)"
_MANGLED_CK = "_ZN2ck27kernel_gemm_xdl_cshuffle_v3INS_13GridwiseGemm_IDF16bLi256EEEEEvT_.kd"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [  # names of kernels in public traces
        ("volta_sgemm_128x64_nn", "matrix"),
        ("volta_h884gemm_64x64_ldg8_tn", "matrix tensor"),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_tn_align4>", "matrix tensor"),
        ("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn", "matrix tensor"),
        (
            "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw",
            "matrix tensor convolution",
        ),
        (
            "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nhwckrsc_nhwc_tilesize128x64x8",
            "matrix convolution",
        ),
        ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", "matrix tensor"),
        ("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >", "matrix tensor"),
        ("cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1", "matrix convolution"),
        ("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>", "matrix convolution"),
        ("void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>", "layout"),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective"),
        ("volta_dgemm_64x64_nn", "matrix double"),
        ("void fbgemm_gpu::permute_2D_data_kernel<false, int, int, decltype(nullptr)>", ""),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<double, double> >",
            "double",
        ),
    ],
)
def test_names_of_kernels_say_what_they_are(name: str, kinds: str) -> None:
    found = {
        "matrix": is_matrix(name),
        "tensor": uses_tensor_cores(name),
        "convolution": is_convolution(name),
        "layout": changes_layout(name),
        "collective": is_collective(name),
        "double": is_double(name),
    }
    assert {kind for kind, is_it in found.items() if is_it} == set(kinds.split())


@pytest.mark.parametrize(
    ("name", "work", "precision", "on_units"),
    [
        # Tensile: rocBLAS and hipBLASLt
        ("Cijk_Ailk_Bjlk_HHS_BH_Bias_HA_S_SAV_MT128x96x32_MI32x32x8x1_SN", "product", "half", True),
        ("Cijk_Alik_Bljk_BSS_BH_UserArgs_MT64x64x64_MI16x16x1_SN_LDSB1", "product", "half", True),
        ("Custom_Cijk_Alik_Bljk_F8B8BS_BH_MT256x256x128_MI16x16x1_gfx950", "product", "float8", True),
        ("Cijk_Ailk_Bljk_S_MX_B_Bias_HA_MT128x128x32_MI16x16x1", "product", "tf32", True),
        ("Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x2x1_SE_1LDSB0", "product", "float32", True),
        ("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_TT4_4_WG16_16_1", "product", "float32", False),
        ("Cijk_Alik_Bljk_I8II_BH_MT128x128x64_MI32x32x1", "product", "int8", True),
        # Composable Kernel, with and without matrix cores; as it is mangled
        ("void ck::kernel_grouped_conv_bwd_weight_xdl<ck::X<_Float16> >(x)", "convolution", "half", True),
        ("void ck::kernel_gemm_dl_v1r3<ck::GridwiseGemmDl<float> >(x)", "product", "float32", False),
        ("void ck_tile::kentry<2, ck_tile::FmhaBwdDQDKDVKernel<ck_tile::bf16_t>>", "attention", "half", True),
        (_MANGLED_CK, "product", "half", True),
        # MIOpen
        ("igemm_wrw_gtcx35_nhwc_fp16_bx0_ex0_bt256x128x32_wt32x32x8", "convolution", "half", True),
        ("igemm_bwd_gtcx3_nhwc_fp32_bx0_ex0_bt64x64x16", "convolution", "float32", True),
        ("igemm_fwd_gtc_nchw_fp32_bx0_bt128x128x16", "convolution", "float32", False),
        ("miopenSp3AsmConv_v21_1_3_gfx9_fp32_f3x2_stride1", "convolution", "float32", False),
        # AOTriton and aiter
        ("bwd_kernel_dq", "attention", None, True),
        ("_ZN5aiter31fmha_bwd_hd64_bf16_causal_a32_rE.kd", "attention", "half", True),
        ("aiter::fp8gemm_bf16_blockscale_BpreShuffle_80x128", "product", "float8", True),
        ("aiter::f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128", "product", "float4", True),
        # Blackwell: cuBLAS, trtllm-gen, CUTLASS 3
        ("nvjet_sm103_tst_128x8_64x12_4x1_v_bz_splitK_TNT", "product", "half", True),
        ("nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", "product", "float8", True),
        ("nvjet_sm100_oohsh_128x256_256x5_Avec16UE4M3_Bvec16UE4M3_TNT", "product", "float4", True),
        ("bmm_Bfloat16_E4m3E4m3_Fp32_t128x16x256u2_s5_et64x16", "product", "float8", True),
        ("bmm_E4m3_Bfloat16Bfloat16_Fp32_t128x8x128", "product", "half", True),
        ("bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x8x512_s4", "product", "float8", True),
        ("fmhaSm100aKernel_QE4m3KvE2m1OE4m3H128PagedKvCausalP32VarSeqQ128Kv128", "attention", "float8", True),
        ("fmhaSm100fKernel_QkvFp16OFp16H64PagedKvDenseP64", "attention", "half", True),
        ("cutlass3x_sm100_tensorop_s128x128x16gemm_f16_f16_f32_f16_f16_128x128x64", "product", "half", True),
        ("cutlass3x_sm100_tensorop_s128x128x8gemm_f32_f32_f32_f32_f32_128x128x32", "product", "tf32", True),
        ("cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_64x64x16", "product", "float32", False),
        ("cutlass3x_sm100_bstensorop_s256x192x64gemm_block_scaled_ue4m3xf4_f32", "product", "float4", True),
        # CUTLASS and cuBLAS before
        (_FLOAT8_CUTLASS, "product", "float8", True),
        ("turing_h1688gemm_128x128_ldg8_nn", "product", "half", True),
        ("turing_fp16_s1688gemm_fp16_64x64_sliced1x2_ldg8_f2f_tn", "product", "half", True),
        ("cutlass_80_tensorop_s1688gemm_128x64_16x6_nt_align4", "product", "tf32", True),
        ("cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1", "product", "float64", True),
        ("cutlass_80_tensorop_i16832gemm_s8_256x128_64x3_tn_align16", "product", "int8", True),
        ("sm90_xmma_gemm_f32f32_tf32f32_f32_nt_n_tilesize128x128x32_warpgroup", "product", "tf32", True),
        ("sm90_xmma_gemm_e4m3e4m3_e4m3f32_f32_tn_n_tilesize64x64x128", "product", "float8", True),
        ("volta_fp16_s884cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1", "convolution", "half", True),
        (_GEMV, "product", "half", False),
        ("sm90_xmma_gemm_i8i32_i8i32_i32_tn_n_tilesize128x128x128", "product", "int8", True),
        # triton_kernels, bitsandbytes
        ("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu", "product", "half", True),
        ("_p_matmul_NNT_bf16xfp8e4nvxmxfp4_128x256x128x1", "product", "float8", True),
        ("_p_matmul_NNT_fp8e4nvxmxfp4xmxfp4_128x256x128x1", "product", "float4", True),
        ("_matmul_NNN_fp32xfp32xfp32_64x64x32x1", "product", "tf32", True),
        ("void kgemm_4bit_inference_naive<__half, 128, 16>", "product", "half", False),
        # attention
        (_FLASH_3, "attention", "half", True),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7", "attention", "half", True),
        ("void paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16>(x)", "attention", "half", True),
        ("fmha_cutlassF_f32_aligned_64x64_rf_sm80(AttentionKernel<float>)", "attention", "float32", False),
        # made by compilers
        ("triton_tem_fused_addmm_relu_convert_3", "product", None, True),
        ("gemm_fusion_dot_12", "product", None, True),
    ],
)  # fmt: skip
def test_names_say_which_product_of_which_types_on_which_unit(
    name: str, work: str, precision: str | None, on_units: bool
) -> None:
    kernel = matrix_kernel(name)
    assert kernel is not None
    assert kernel.work is MatrixWork[work.upper()]
    assert kernel.precision == (None if precision is None else InputType[precision.upper()])
    assert kernel.on_matrix_units is on_units


@pytest.mark.parametrize(
    "name",
    [
        # work next to a product
        "Cijk_S_GA",
        "Cijk_BS_PostGSU8_VW4",
        _REDUCES_PARTS,
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>(x)",
        "fmhaReductionKernel",
        "_gemm_a16w16_reduce_kernel",
        "aiter::fmha_bwd_hd128_dq_convert_bf16",
        "bwd_preprocess",
        "void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64> >(x)",
        "void ck_tile::kentry<1, ck_tile::FmhaBwdOGradDotOKernel<ck_tile::bf16_t> >(x)",
        _STRIDES,
        # work of other kinds, next to products in names of spaces and arguments
        "void fbgemm_gpu::split_embedding_codegen_forward_kernel<float>(x)",
        "void deep_gemm::transpose_fp32<512, 64>(x)",
        "void at::native::elementwise_kernel<128, 4, cutlass::gemm::GemmShape<4> >(x)",
        "void vllm::act_and_mul_kernel<cutlass::bfloat16_t>(x)",
        "kernel_cutlass_kernel_flashinfernormkernelsrmsnormRMSNormKernel_object_at__tensorptrbf16gmem",
        # fused by a compiler, named by the operators
        "triton_poi_fused_addmm_gelu_7",
        "triton_red_fused__scaled_mm_convolution_backward_sum_2",
        "wrapped_convert",
        "MIOpenBatchNormFwdInferSpatialEst",
    ],
)
def test_what_computes_no_product_is_none(name: str) -> None:
    assert not is_matrix(name)
    assert not uses_tensor_cores(name)
    assert not is_convolution(name)


@pytest.mark.parametrize(
    ("name", "communicates"),
    [
        ("void vllm::cross_device_reduce_2stage<__half, 4>(vllm::RankData*)", True),
        ("void aiter::cross_device_reduce_1stage<__hip_bfloat16, 8>(aiter::RankData*)", True),
        ("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", True),
        (
            "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::Half, 16, 2>(c10::Half**)",
            True,
        ),
        (
            "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8>(tensorrt_llm::kernels::Params)",
            True,
        ),
        ("void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(x)", True),
        ("void tensorrt_llm::kernels::moe_comm::moeAllToAllKernel<2>(x)", True),
        ("void deep_ep::internode_ll::dispatch<true, 3>(x)", True),
        ("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", True),
        ("triton_poi_fused_add_all_reduce_4", False),
        ("void at::native::reduce_kernel<512, 1, ReduceOp<float, AllReduceFunctor> >(x)", False),
        ("void gemm_allreduce_kernel<cutlass::half_t>(x)", False),
        ("void at::native::_scatter_gather_elementwise_kernel<128, 4>(x)", False),
    ],
)
def test_kernels_of_collectives_are_communication(name: str, communicates: bool) -> None:
    kind = torch_kind("kernel", name)
    assert kind is not None
    assert kind.category is (Category.COMMUNICATION if communicates else Category.KERNEL)


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        ("batched_transpose_32x32_pack_2x2_ediv_half", True),
        ("transpose_NCHW2CNHW_opt", True),
        ("batched_transpose_kernel", False),
    ],
)
def test_layouts_of_miopen(name: str, is_it: bool) -> None:
    assert changes_layout(name) is is_it

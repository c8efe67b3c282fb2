"""Names of the arguments of PyTorch's operators, by which constants that they take are called.

Source: native_functions.yaml; tests compare them with PyTorch's own schemas. Operators whose overloads do not
agree are left out, and so are arguments that no model states.
"""

from __future__ import annotations

_ARGUMENTS = """
_convolution input weight bias stride padding dilation transposed output_padding groups
conv1d input weight bias stride padding dilation groups
conv2d input weight bias stride padding dilation groups
conv3d input weight bias stride padding dilation groups
embedding weight indices padding_idx scale_grad_by_freq sparse
batch_norm input weight bias running_mean running_var training momentum eps cudnn_enabled
layer_norm input normalized_shape weight bias eps cudnn_enable
group_norm input num_groups weight bias eps cudnn_enabled
instance_norm input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled
rms_norm input normalized_shape weight eps
max_pool1d self kernel_size stride padding dilation ceil_mode
max_pool2d self kernel_size stride padding dilation ceil_mode
max_pool3d self kernel_size stride padding dilation ceil_mode
avg_pool1d self kernel_size stride padding ceil_mode count_include_pad
avg_pool2d self kernel_size stride padding ceil_mode count_include_pad divisor_override
avg_pool3d self kernel_size stride padding ceil_mode count_include_pad divisor_override
adaptive_avg_pool1d self output_size
adaptive_avg_pool2d self output_size
adaptive_avg_pool3d self output_size
adaptive_max_pool2d self output_size
dropout input p train
feature_dropout input p train
softmax self dim dtype
log_softmax self dim dtype
gelu self approximate
leaky_relu self negative_slope
elu self alpha scale input_scale
celu self alpha
glu self dim
hardtanh self min_val max_val
softplus self beta threshold
threshold self threshold value
clamp self min max
scaled_dot_product_attention query key value attn_mask dropout_p is_causal scale enable_gqa
pad self pad mode value
constant_pad_nd self pad value
reshape self shape
flatten self start_dim end_dim
permute self dims
transpose self dim0 dim1
unsqueeze self dim
squeeze self dim
select self dim index
slice self dim start end step
narrow self dim start length
chunk self chunks dim
unbind self dim
expand self size implicit
repeat self repeats
roll self shifts dims
cat tensors dim
stack tensors dim
add self other alpha
sub self other alpha
mul self other
div self other rounding_mode
argmax self dim keepdim
topk self k dim largest sorted
cumsum self dim dtype
tril self diagonal
triu self diagonal
masked_fill self mask value
pixel_shuffle self upscale_factor
"""
ARGUMENTS = {f"aten::{name}": names for name, *names in map(str.split, _ARGUMENTS.strip().splitlines())}


def argument(type_name: str, slot: int) -> str:
    """The name of an input of an operator; its number where the name is not known."""
    names = ARGUMENTS.get(type_name.removesuffix("_"), [])
    return names[slot] if slot < len(names) else str(slot)

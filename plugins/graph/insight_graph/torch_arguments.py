"""Names and defaults of the arguments of PyTorch's operators: names for constants that operators take,
defaults for arguments that a file leaves out.

Source: native_functions.yaml; tests compare them with PyTorch's own schemas. Operators whose overloads do not
agree are left out, and so are arguments that no model states, and defaults of numbers that a file may state
as 1 or as 1.0.
"""

from __future__ import annotations

import re

_ARGUMENTS = """
_convolution input weight bias stride padding dilation transposed output_padding groups
conv1d input weight bias=None stride=[1] padding=[0] dilation=[1] groups=1
conv2d input weight bias=None stride=[1,1] padding=[0,0] dilation=[1,1] groups=1
conv3d input weight bias=None stride=[1,1,1] padding=[0,0,0] dilation=[1,1,1] groups=1
embedding weight indices padding_idx=-1 scale_grad_by_freq=False sparse=False
batch_norm input weight bias running_mean running_var training momentum eps cudnn_enabled
layer_norm input normalized_shape weight=None bias=None eps=1e-05 cudnn_enable=True
group_norm input num_groups weight=None bias=None eps=1e-05 cudnn_enabled=True
instance_norm input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled
rms_norm input normalized_shape weight=None eps=None
max_pool1d self kernel_size stride padding=[0] dilation=[1] ceil_mode=False
max_pool2d self kernel_size stride padding=[0,0] dilation=[1,1] ceil_mode=False
max_pool3d self kernel_size stride padding=[0,0,0] dilation=[1,1,1] ceil_mode=False
avg_pool1d self kernel_size stride padding=[0] ceil_mode=False count_include_pad=True
avg_pool2d self kernel_size stride padding=[0,0] ceil_mode=False count_include_pad=True \
  divisor_override=None
avg_pool3d self kernel_size stride padding=[0,0,0] ceil_mode=False count_include_pad=True \
  divisor_override=None
adaptive_avg_pool1d self output_size
adaptive_avg_pool2d self output_size
adaptive_avg_pool3d self output_size
adaptive_max_pool2d self output_size
dropout input p train
feature_dropout input p train
softmax self dim dtype
log_softmax self dim dtype
gelu self approximate=none
leaky_relu self negative_slope
elu self alpha scale input_scale
celu self alpha
glu self dim=-1
hardtanh self min_val max_val
softplus self beta threshold
threshold self threshold value
clamp self min=None max=None
scaled_dot_product_attention query key value attn_mask=None dropout_p=0.0 is_causal=False scale=None \
  enable_gqa=False
pad self pad mode=constant value=None
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
chunk self chunks dim=0
unbind self dim
expand self size implicit=False
repeat self repeats
roll self shifts dims
cat tensors dim=0
stack tensors dim=0
add self other alpha
sub self other alpha
mul self other
div self other rounding_mode
argmax self dim=None keepdim=False
topk self k dim=-1 largest=True sorted=True
cumsum self dim dtype=None
tril self diagonal=0
triu self diagonal=0
masked_fill self mask value
pixel_shuffle self upscale_factor
"""
_LINES = [line.split() for line in _ARGUMENTS.strip().splitlines()]
ARGUMENTS = {f"aten::{name}": [word.partition("=")[0] for word in words] for name, *words in _LINES}
# By the type that a ``.pt2`` file gives to the overload without a name: the text of each default
DEFAULTS = {
    f"aten.{name}": dict(word.replace(",", ", ").split("=") for word in words if "=" in word)
    for name, *words in _LINES
}
_OF_PYTORCH = re.compile(r"[/\\](site|dist)-packages[/\\]torch[/\\]")


def argument(type_name: str, slot: int) -> str:
    """The name of an input of an operator; its number where the name is not known."""
    names = ARGUMENTS.get(type_name.removesuffix("_"), [])
    return names[slot] if slot < len(names) else str(slot)


def line_of_code(trace: str) -> str:
    """The innermost frame that is not PyTorch's own, with its line of code; empty without one."""
    lines = [line.strip() for line in trace.splitlines()]
    frames = [place for place, line in enumerate(lines) if line.startswith("File ")]
    own = [place for place in frames if not _OF_PYTORCH.search(lines[place])] or frames
    if not own:
        return ""
    code = [line for line in lines[own[-1] + 1 : own[-1] + 2] if not line.startswith("File ")]
    return "\n".join([lines[own[-1]], *code])

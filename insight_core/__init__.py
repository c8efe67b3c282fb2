"""insight-host: a plugin framework for TensorBoard-compatible hosting of training logs."""

import sys

from insight_core.moved import MovedModules

sys.meta_path.append(MovedModules())

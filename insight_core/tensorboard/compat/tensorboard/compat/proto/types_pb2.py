"""As in TensorBoard's module of this name."""

from insight_core.rpc.schema.tensorboard_pb2 import DataType as DataType

globals().update(DataType.items())  # DT_FLOAT and its like

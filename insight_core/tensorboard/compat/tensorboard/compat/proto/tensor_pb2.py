"""As in TensorBoard's module of this name."""

from insight_core.rpc.schema.tensorboard_pb2 import TensorProto as TensorProto

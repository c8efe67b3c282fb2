"""As in TensorBoard's module of this name."""

from insight_core.rpc.schema.tensorboard_pb2 import DATA_CLASS_BLOB_SEQUENCE as DATA_CLASS_BLOB_SEQUENCE
from insight_core.rpc.schema.tensorboard_pb2 import DATA_CLASS_SCALAR as DATA_CLASS_SCALAR
from insight_core.rpc.schema.tensorboard_pb2 import DATA_CLASS_TENSOR as DATA_CLASS_TENSOR
from insight_core.rpc.schema.tensorboard_pb2 import DATA_CLASS_UNKNOWN as DATA_CLASS_UNKNOWN
from insight_core.rpc.schema.tensorboard_pb2 import DataClass as DataClass
from insight_core.rpc.schema.tensorboard_pb2 import HistogramProto as HistogramProto
from insight_core.rpc.schema.tensorboard_pb2 import Summary as Summary
from insight_core.rpc.schema.tensorboard_pb2 import SummaryMetadata as SummaryMetadata

"""Protobuf message classes of the graph formats, in a separate descriptor pool.

Only fields that are read are declared. Texts are ``bytes``: a log may hold anything, and a text that is no
UTF-8 must not make a graph unreadable. What only the details of one node need (attributes) are the bytes
of messages, which protobuf then leaves alone.

Numbers and names: MindSpore's mindinsight_anf_ir.proto and mindinsight_lineage.proto; TensorFlow's
graph.proto, node_def.proto, attr_value.proto, function.proto, op_def.proto, tensor_shape.proto, config.proto,
step_stats.proto, meta_graph.proto.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

_PACKAGE = "insight.graph.v1"

_SCALARS = {
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "float": FieldDescriptorProto.TYPE_FLOAT,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
}

# message -> field -> (number, type); a type with a star is repeated
_Schema = Mapping[str, Mapping[str, tuple[int, str]]]

_MINDSPORE: _Schema = {
    "MindSporeModel": {"graph": (4, "MindSporeGraph")},
    "MindSporeGraph": {
        "node": (1, "MindSporeNode*"),
        "name": (2, "bytes"),
        "parameters": (3, "MindSporeParameter*"),
        "outputs": (4, "MindSporeParameter*"),
        "const_vals": (5, "MindSporeConstant*"),
    },
    "MindSporeInput": {"name": (1, "bytes"), "type": (2, "int64")},
    "MindSporeNode": {
        "input": (1, "MindSporeInput*"),
        "name": (2, "bytes"),
        "op_type": (3, "bytes"),
        "scope": (4, "bytes"),
        "attribute": (5, "bytes*"),
        "output_type": (6, "bytes"),
        "output_i": (7, "uint64"),
        "full_name": (8, "bytes"),
        "source_address": (9, "bytes"),
        "instance_name": (10, "bytes"),
    },
    "MindSporeParameter": {
        "name": (1, "bytes"),
        "type": (2, "bytes"),
        "default_val": (3, "bytes"),
        "trainable": (100, "bool"),  # of insight_core.recording; MindSpore's message has no such field
    },
    "MindSporeConstant": {"key": (1, "bytes"), "value": (2, "bytes"), "full_name": (3, "bytes")},
    "MindSporeAttribute": {"name": (1, "bytes"), "value": (2, "MindSporeValue")},
    "MindSporeValue": {
        "dtype": (1, "int64"),
        "bool_val": (2, "bool"),
        "int_val": (3, "int64"),
        "uint_val": (4, "uint64"),
        "float_val": (5, "float"),
        "double_val": (6, "double"),
        "str_val": (7, "bytes"),
        "tensor_val": (8, "bytes"),
        "graph": (9, "bytes"),
        "bool_vals": (10, "bool*"),
        "int_vals": (11, "int64*"),
        "uint_vals": (12, "uint64*"),
        "float_vals": (13, "float*"),
        "double_vals": (14, "double*"),
        "str_vals": (15, "bytes*"),
        "tensor_vals": (16, "bytes*"),
        "graphs": (17, "bytes*"),
        "values": (18, "MindSporeValue*"),
        "dict_val": (19, "MindSporeEntry*"),
        "type_val": (20, "MindSporeType"),
    },
    "MindSporeEntry": {"key": (1, "bytes"), "value": (2, "MindSporeValue")},
    "MindSporeTensor": {"dims": (1, "int64*"), "data_type": (2, "int64")},
    "MindSporeDimension": {"size": (1, "int64")},
    "MindSporeShape": {"dim": (1, "MindSporeDimension*")},
    "MindSporeTensorType": {"elem_type": (1, "int64"), "shape": (2, "MindSporeShape")},
    "MindSporeSequence": {"elem_types": (1, "MindSporeType*")},
    "MindSporeType": {
        "data_type": (1, "int64"),
        "tensor_type": (2, "MindSporeTensorType"),
        "sequence_type": (3, "MindSporeSequence"),
    },
}

_LINEAGE: _Schema = {
    "LineageEvent": {"wall_time": (1, "double"), "dataset_graph": (9, "DatasetGraph")},
    "DatasetGraph": {
        "children": (1, "DatasetGraph*"),
        "parameter": (2, "OperationParameter"),
        "operations": (3, "Operation*"),
        "sampler": (4, "Operation"),
    },
    "Operation": {
        "operation_param": (1, "OperationParameter"),
        "size": (2, "int64*"),
        "weights": (3, "float*"),
    },
    "OperationParameter": {
        "map_str": (1, "TextEntry*"),
        "map_str_list": (2, "TextsEntry*"),
        "map_bool": (3, "BoolEntry*"),
        "map_int": (4, "IntEntry*"),
        "map_double": (5, "DoubleEntry*"),
    },
    "TextEntry": {"key": (1, "bytes"), "value": (2, "bytes")},
    "TextsEntry": {"key": (1, "bytes"), "value": (2, "TextList")},
    "TextList": {"str_value": (1, "bytes*")},
    "BoolEntry": {"key": (1, "bytes"), "value": (2, "bool")},
    "IntEntry": {"key": (1, "bytes"), "value": (2, "int64")},
    "DoubleEntry": {"key": (1, "bytes"), "value": (2, "double")},
}

_TENSORFLOW: _Schema = {
    "GraphDef": {"node": (1, "NodeDef*"), "library": (2, "FunctionLibrary")},
    "NodeDef": {
        "name": (1, "bytes"),
        "op": (2, "bytes"),
        "input": (3, "bytes*"),
        "device": (4, "bytes"),
        "attr": (5, "bytes*"),
        "debug_info": (6, "DebugInfo"),
    },
    "DebugInfo": {"original_node_names": (1, "bytes*"), "original_func_names": (2, "bytes*")},
    "FunctionLibrary": {"function": (1, "FunctionDef*")},
    "FunctionDef": {
        "signature": (1, "OpDef"),
        "node_def": (3, "NodeDef*"),
        "ret": (4, "TextEntryOfFunction*"),
        "control_ret": (6, "TextEntryOfFunction*"),
    },
    "TextEntryOfFunction": {"key": (1, "bytes"), "value": (2, "bytes")},
    "OpDef": {"name": (1, "bytes"), "input_arg": (2, "ArgDef*"), "output_arg": (3, "ArgDef*")},
    "ArgDef": {"name": (1, "bytes"), "type": (3, "int64"), "type_attr": (4, "bytes")},
    "AttrEntry": {"key": (1, "bytes"), "value": (2, "AttrValue")},
    "AttrValue": {
        "list": (1, "AttrList"),
        "s": (2, "bytes"),
        "i": (3, "int64"),
        "f": (4, "float"),
        "b": (5, "bool"),
        "type": (6, "int64"),
        "shape": (7, "Shape"),
        "tensor": (8, "bytes"),
        "placeholder": (9, "bytes"),
        "func": (10, "NamedFunction"),
    },
    "AttrList": {
        "s": (2, "bytes*"),
        "i": (3, "int64*"),
        "f": (4, "float*"),
        "b": (5, "bool*"),
        "type": (6, "int64*"),
        "shape": (7, "Shape*"),
        "tensor": (8, "bytes*"),
        "func": (9, "NamedFunction*"),
    },
    "NamedFunction": {"name": (1, "bytes")},
    "Shape": {"dim": (2, "Dimension*"), "unknown_rank": (3, "bool")},
    "Dimension": {"size": (1, "int64")},
    "MetaGraphDef": {"graph_def": (2, "GraphDef")},
    "RunMetadata": {
        "step_stats": (1, "StepStats"),
        "partition_graphs": (3, "GraphDef*"),
        "function_graphs": (4, "FunctionGraphs*"),
    },
    "FunctionGraphs": {"pre_optimization_graph": (2, "GraphDef")},
    "StepStats": {"dev_stats": (1, "DeviceStats*")},
    "DeviceStats": {"device": (1, "bytes"), "node_stats": (2, "NodeStats*")},
    "NodeStats": {
        "node_name": (1, "bytes"),
        "all_start_micros": (2, "int64"),
        "op_end_rel_micros": (4, "int64"),
        "all_end_rel_micros": (5, "int64"),
    },
}


def _classes() -> dict[str, type[Any]]:
    file = FileDescriptorProto(name="insight_graph/messages.proto", package=_PACKAGE, syntax="proto2")
    for schema in (_MINDSPORE, _LINEAGE, _TENSORFLOW):
        for name, fields in schema.items():
            message = file.message_type.add(name=name)
            for field, (number, kind) in fields.items():
                bare = kind.removesuffix("*")
                declared = message.field.add(
                    name=field,
                    number=number,
                    label=FieldDescriptorProto.LABEL_REPEATED
                    if bare != kind
                    else FieldDescriptorProto.LABEL_OPTIONAL,
                )
                if bare in _SCALARS:
                    declared.type = _SCALARS[bare]
                else:
                    declared.type, declared.type_name = (
                        FieldDescriptorProto.TYPE_MESSAGE,
                        f".{_PACKAGE}.{bare}",
                    )
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindFileByName(file.name).message_types_by_name
    return {name: GetMessageClass(descriptor) for name, descriptor in found.items()}


_CLASSES = _classes()


def parsed(name: str, data: bytes) -> Any:  # noqa: ANN401  made at run time: nothing static knows its fields
    """The message of that name. Raises ValueError for bytes that are none."""
    try:
        return _CLASSES[name].FromString(data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no {name}") from error


def empty(name: str, **fields: object) -> Any:  # noqa: ANN401
    return _CLASSES[name](**fields)


def is_set(message: Message, field: str) -> bool:
    return message.HasField(field)

"""The gRPC data server: TensorBoard's data-provider service and ``insight.data.v1``."""

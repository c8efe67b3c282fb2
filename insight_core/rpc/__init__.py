"""A data provider served over gRPC: in TensorBoard's protocol, and in one that can say everything."""

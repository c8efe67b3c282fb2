"""Values of TensorBoard's plugins, encoded as ``SummaryWriter`` records them."""

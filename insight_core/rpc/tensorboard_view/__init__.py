"""Our data as TensorBoard's data provider sees it."""

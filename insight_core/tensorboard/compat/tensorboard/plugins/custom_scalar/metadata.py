"""Under which name the data are."""

PLUGIN_NAME = "custom_scalars"

"""Under which name the data are."""

PLUGIN_NAME = "text"

"""Under which name the data are."""

PLUGIN_NAME = "pr_curves"

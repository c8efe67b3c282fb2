"""The mark of plugins that are shown only to who asks for them."""


class ExperimentalPlugin:
    """Mixed into a TBPlugin or TBLoader: ``?experimentalPlugin=NAME`` shows it."""

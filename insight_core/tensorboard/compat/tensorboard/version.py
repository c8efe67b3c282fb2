"""Whose contract this follows."""

from tensorboard import __version__

VERSION = __version__

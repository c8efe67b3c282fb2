"""What plugins import of TensorBoard, for environments that do not have it.

insight-host puts the directory of this package at the end of the path, and only where no package
``tensorboard`` is installed. A process that inherits the path may have one nevertheless (another
interpreter): then it gets that one.
"""

from _insight_stand_in import become_the_real_one

__version__ = "2.21.0"  # whose contract this follows

become_the_real_one(__name__)

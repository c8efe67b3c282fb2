"""``python -m insight_host``: the command line, where no ``insight-host`` is on the path."""

import sys

from insight_core.cli import main

if __name__ == "__main__":
    sys.exit(main())

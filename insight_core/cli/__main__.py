"""``python -m insight_core.cli``: the command line of a source tree that is not installed."""

import sys

from insight_core.cli import main

sys.exit(main())

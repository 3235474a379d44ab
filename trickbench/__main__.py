"""``python -m trickbench``."""

import sys

from trickbench.cli import main

if __name__ == "__main__":
    sys.exit(main())

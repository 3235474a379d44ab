"""Settings for every test: no window is opened, and compilation is not taken for slowness."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")

# The first example of a test may compile a kernel. Everything else stays as hypothesis has it, its CI profile too.
settings.register_profile("trickbench", deadline=None)
settings.load_profile("trickbench")

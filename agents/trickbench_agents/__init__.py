"""The built-in agents of trickbench, one idea a file; each declares ``agent``, found by its entry point."""

"""Measuring speed: deals a second against a scalar yardstick, compile times, start-up, memory, threads."""

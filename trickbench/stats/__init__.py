"""Statistics: intervals and summaries."""

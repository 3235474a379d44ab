"""Studies: questions that take many deals in several seatings, each answered by totals of integers that add up exactly."""

"""What :mod:`trickbench.plots` is made of: text that fits, sheets with a heading, and the pictures of each game."""

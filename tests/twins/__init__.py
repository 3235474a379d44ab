"""The rules of the games said a second time: slow, naive, readable, and sharing nothing with the package they check."""

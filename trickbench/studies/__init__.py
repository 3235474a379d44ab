"""Studies: questions about a game that one run does not answer, each with the numbers it takes and the words for them."""

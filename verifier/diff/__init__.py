"""Two laws held against each other by their words, and the rules on them as they are written."""

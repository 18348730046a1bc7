"""A lower bound of what can be won from a player of Twenty-nine."""

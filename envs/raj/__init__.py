"""Raj: players bid cards, all at once, for items that come up in random order."""

"""Scotch: two players bid in secret for a bottle that moves along a line."""

"""Scotch: its classical bots, its exact solution."""

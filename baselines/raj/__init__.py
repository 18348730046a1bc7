"""Raj: its classical bots, its exact solution."""

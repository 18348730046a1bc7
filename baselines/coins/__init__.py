"""Coins: its classical bots, its exact solution."""

"""Bots written elsewhere as ours, and ours behind the protocols of others."""

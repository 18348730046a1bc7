"""Matches between bots, and benchmarks."""

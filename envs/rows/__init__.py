"""Rows of a batch: their seeds, and the threads that share them."""

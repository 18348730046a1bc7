"""Trained policies that come with the package; `shipped` in policy_file.py finds them."""

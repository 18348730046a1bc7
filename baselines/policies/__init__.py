"""Trained policies that come with the package; see `bidarena.baselines.policy_file.shipped`."""

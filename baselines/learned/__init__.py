"""Learned policies as bots.

- network.py: a network as a compiled bot; afterstates.py and pairs.py for two special heads
- policy_file.py: policies as files and as bots; policy_format.py writes and reads the files
- sb3.py: networks of Stable-Baselines3
- policies/: the policies that come with the package
"""

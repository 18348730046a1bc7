"""Exact solvers that serve any game: the numbers that learners are measured against.

- positions.py: the index of all positions of a game, which the solvers are written against
- matrix.py: solves one matrix game
- probabilities.py: how likely a bot or policy takes each action in a position
- best_response.py: the best response to a bot or policy, and the bot that plays it
- solution.py, store.py: solved games in memory and on disk
- advice.py: what is known about every move of a position, for people and tools
- richman.py, poorman.py, richman_bids.py: bidding games on graphs, after D. R. Richman
"""

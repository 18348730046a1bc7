"""The truth about any game, from its seven functions alone: exact values, plans, best responses.

- size.py: how large a game is, estimated before it is solved
- solve.py: solves a game by its graph of positions or by its information sets; keeps the solution
- plan.py: how to choose in every situation, as solvers write it and bots and hints read it
- respond.py: the best response to any bot or policy
- bots.py: the bots `exact` and `best_response`, hints, and what `bidarena solve` shows

A game may register solvers of its own that are faster; see `bidarena.envs.registry.tools`.
"""

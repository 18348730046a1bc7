"""Games without hidden cards: the graph of all positions, valued from its ends to its beginning.

- tables.py: the arrays of a graph
- facts.py: facts of a game as numbers
- explore.py, expand.py: find all positions
- order.py: puts them into the order in which they are valued
- sweep.py: values all positions once
- solve.py: solves a game, or responds best to a given player
"""

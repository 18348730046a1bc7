"""Games with hidden information: information sets, and strategies over sequences of actions.

- tables.py: the arrays of information sets and of the ends of all histories
- build.py: walks through all histories
- sequences.py: what strategies are worth, and best responses
- linear.py: solves small games by linear programs
- regret.py: solves larger games by regret, up to a gap that best responses certify
"""

"""Where the numbers of a search stand: its options in the bot's `params`, and what it reports."""

from __future__ import annotations

# Techniques: which decisions have a node in the tree, and by what they are told apart.
MCTS = 0  # all decisions, by the state: nothing is hidden
DMCTS = 1  # the same, in several guesses of what is hidden, a tree for each
ISMCTS = 2  # all decisions, by what the searching player sees
MOM = 3  # all decisions, by what the player to move sees: a tree for each player
POM = 4  # the searching player's decisions only
BANDIT = 5  # the present decision only
TECHNIQUES = ("mcts", "dmcts", "ismcts", "mom", "pom", "bandit")

# Selection rules (bandits.py), each with its usual constant of exploration
UCB1, UCB_TUNED, THOMPSON, REGRET = 0, 1, 2, 3
SELECTIONS = ("ucb1", "ucb_tuned", "thompson", "regret")
EXPLORATION = (0.7, 1.0, 1.0, 0.1)

# How the move is chosen in the end
AUTO, MOST, SAMPLE = 0, 1, 2
FINALS = ("auto", "visits", "sample")

# params, from the front; the belief's and the playing bot's own numbers follow
TECHNIQUE = 0
SELECTION, TOGETHER = 1, 2  # the rule at moves that are seen, and at those made at the same time
C, TOGETHER_C = 3, 4  # their constants of exploration
ITERATIONS = 5
SECONDS = 6  # instead; negative: no clock
CAPACITY = 7  # edges that the tree may have
SLOTS = 8  # places in its table, a power of two
TREES = 9  # guesses of `DMCTS`
FINAL = 10
EARLY_STOP = 11
PLAYERS, VIEW = 12, 13  # of the game: players, size of an observation
LOW, SCALE = 14, 15  # (return - LOW) * SCALE is between 0 and 1
MOMENT, MOMENT_END = 16, 17  # `Game.simultaneous` in the state; twice the same: there is none
BELIEF_AT, BELIEF_END = 18, 19  # where the belief's numbers stand; at the same place: no belief
HEAD = 20  # the playing bot's begin at BELIEF_END

# columns of `out`, a row per action: what was found at the root
VISITS, AVAILABLE, TOTAL, WEIGHT, DROPPED = 0, 1, 2, 3, 4
OUT_COLUMNS = 5

# entries of `report`
DONE, NODES, EDGES, MIXED = 0, 1, 2, 3  # MIXED: is the root a decision made at the same time?
REPORT_SIZE = 4

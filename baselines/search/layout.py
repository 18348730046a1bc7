"""Indexes of the numbers of a search: options in the bot's `params`, columns of its results."""

from __future__ import annotations

# Techniques: which decisions have a node in the tree, and what tells two nodes apart.
MCTS = 0  # all decisions, by the state: nothing is hidden
DMCTS = 1  # all decisions, by the guessed state: a tree for each of several guesses
ISMCTS = 2  # all decisions, by what the searching player sees
MOM = 3  # all decisions, by what the player to move sees: a tree for each player
POM = 4  # the searching player's decisions only, by what that player sees
BANDIT = 5  # the decision at the root only
TECHNIQUES = ("mcts", "dmcts", "ismcts", "mom", "pom", "bandit")

# Selection rules (bandits.py), and the default exploration constant of each
UCB1, UCB_TUNED, THOMPSON, REGRET, PUCT = 0, 1, 2, 3, 4
SELECTIONS = ("ucb1", "ucb_tuned", "thompson", "regret", "puct")
EXPLORATION = (0.7, 1.0, 1.0, 0.1, 1.0)

# How the move is chosen in the end
AUTO, MOST, SAMPLE = 0, 1, 2
FINALS = ("auto", "visits", "sample")

# params: first these, then the numbers of the belief, of the policy, and of the playout bot
TECHNIQUE = 0
SELECTION, TOGETHER = 1, 2  # the rule at moves in turn, and at moves made at the same time
C, TOGETHER_C = 3, 4  # the exploration constants of these two rules
ITERATIONS = 5
SECONDS = 6  # limit of real time; negative: none
CAPACITY = 7  # edges that the tree may have
SLOTS = 8  # of the table, a power of two
TREES = 9  # number of guesses of `DMCTS`
FINAL = 10
EARLY_STOP = 11
PLAYERS, VIEW = 12, 13  # number of players, size of an observation
LOW, SCALE = 14, 15  # (return - LOW) * SCALE is between 0 and 1
MOMENT, MOMENT_END = 16, 17  # slice of the state that `Game.simultaneous` names; empty if none
BELIEF_AT, BELIEF_END = 18, 19  # slice of params with the numbers of the belief; empty if none
POLICY_END = 20  # the sides of all players and the numbers of the policy end here; none: BELIEF_END
VALUES = 21  # 1: the policy judges the positions at which the tree ends; 0: they are played out
NOISE = 22  # share of the priors at the root that is drawn at random
BY_POLICY = 23  # 1: the policy answers where the opening book would
NODES_ALLOWED = 24  # nodes that the tree may have
HEAD = 25  # how many there are; the numbers of the playout bot begin at POLICY_END

# columns of `out`, which has a row per action: what was found at the root
VISITS, AVAILABLE = 0, 1
TOTAL = 2  # sum of the results, scaled to 0..1
WEIGHT = 3  # sum of the probabilities of the rule `regret`
DROPPED = 4  # 1: `early_stop` has dropped the move
OUT_COLUMNS = 5

# entries of `report`
DONE, NODES, EDGES = 0, 1, 2  # iterations done, nodes and edges in use
MIXED = 3  # 1: others decide at the same time as the player at the root
REPORT_SIZE = 4

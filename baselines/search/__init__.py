"""One family of searches for all games: flat bandits, MCTS, ISMCTS and variants of it."""

from bidarena.baselines.search.analyse import Analysis, analyse
from bidarena.baselines.search.bots import bandit, dmcts, ismcts, mcts, mom, pom

__all__ = ["Analysis", "analyse", "bandit", "dmcts", "ismcts", "mcts", "mom", "pom"]

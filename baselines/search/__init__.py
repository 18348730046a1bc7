"""One search family for all games: bandits, MCTS, ISMCTS and its relatives."""

from bidarena.baselines.search.analyse import Analysis, analyse
from bidarena.baselines.search.bots import bandit, dmcts, ismcts, mcts, mom, pom

__all__ = ["Analysis", "analyse", "bandit", "dmcts", "ismcts", "mcts", "mom", "pom"]

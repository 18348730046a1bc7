"""What learns policies: `start` begins a run, `resume` goes on with one.

From the command line these are `bidarena train GAME ...` and `bidarena train --resume RUN`.
`register_algorithm` makes an algorithm of one's own known to both. Importing this package imports
neither torch nor an algorithm.
"""

import bidarena.envs.moved  # noqa: F401  lets old import paths work
from bidarena.train.algorithms import register_algorithm
from bidarena.train.run import RunProgress
from bidarena.train.start import FinishedRun, resume, start
from bidarena.train.stepwise import Stepwise
from bidarena.train.task import Learner, Task

__all__ = [
    "FinishedRun",
    "Learner",
    "RunProgress",
    "Stepwise",
    "Task",
    "register_algorithm",
    "resume",
    "start",
]

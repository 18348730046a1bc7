"""Sets of up to 62 things as whole numbers.

sets.py            how many things, the n-th one, a random subset
instructions.py    functions that are single instructions of the processor in compiled code
"""

from bidarena.envs.bits.sets import count, highest, lowest, nth, subset

__all__ = ["count", "highest", "lowest", "nth", "subset"]

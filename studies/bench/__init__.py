"""The benchmark: speeds, each beside something real measured in the same run."""

from bidarena.studies.bench.environments import (
    BATCHES,
    EXACT,
    LARGE,
    SCALING,
    THREADED,
    TRAINING,
    bench,
)

__all__ = ["BATCHES", "EXACT", "LARGE", "SCALING", "THREADED", "TRAINING", "bench"]

"""The study of searches in Twenty-nine."""

from bidarena.studies.twentynine.search import Settings, study

__all__ = ["Settings", "study"]

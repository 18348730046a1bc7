"""Drawings of Twenty-nine as one seat sees it: as text in text.py, as a picture in picture.py.

view.py has what a browser needs to draw it.
"""

from bidarena.envs.twentynine.render.picture import picture
from bidarena.envs.twentynine.render.text import ansi

__all__ = ["ansi", "picture"]

"""A window on the screen that shows pictures, by pygame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Window:
    """A window that opens with the first picture.

    Args:
        title: stands above the pictures.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._surface: Any = None
        self._clock: Any = None

    def show(self, picture: NDArray[np.uint8], fps: float) -> None:
        """Show a (height, width, 3) picture; wait so that there are at most `fps` in a second.

        Raises:
            ImportError: pygame is missing; the message says how to install it.
        """
        try:
            import pygame
        except ImportError as missing:
            raise ImportError(
                'render_mode="human" needs pygame: pip install "bidarena[render]"'
            ) from missing
        size = (picture.shape[1], picture.shape[0])
        if self._surface is None or self._surface.get_size() != size:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._surface = pygame.display.set_mode(size)
            self._clock = pygame.time.Clock()
        drawn = pygame.surfarray.make_surface(np.transpose(picture, (1, 0, 2)))
        self._surface.blit(drawn, (0, 0))
        pygame.event.pump()  # else the system takes the window for one that hangs
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window; the next picture opens a new one."""
        if self._surface is not None:
            import pygame

            pygame.display.quit()
            self._surface = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_title": self._title, "_surface": None, "_clock": None}  # a screen has no copy

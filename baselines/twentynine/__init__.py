"""Twenty-nine: its bots, beliefs about hidden cards, the double-dummy solver."""

"""Our own PPO, against opponents and against itself."""

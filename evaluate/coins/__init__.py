"""How well a player keeps the value of positions of Coins."""

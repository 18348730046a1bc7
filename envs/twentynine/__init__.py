"""Twenty-nine: four players in two sides, an auction, a hidden trump, eight tricks."""

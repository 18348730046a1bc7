"""Richman games: a token on any graph, moved by whoever wins the bid."""

"""Exact solvers and the theory of the games: numbers the learners are measured against."""

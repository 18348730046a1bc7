"""Learners that play all seats themselves, with small torch networks."""

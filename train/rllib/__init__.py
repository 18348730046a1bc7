"""PPO of RLlib as a learner."""

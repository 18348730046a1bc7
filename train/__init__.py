"""Scripts that learn policies on the environments."""

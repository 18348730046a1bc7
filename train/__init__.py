"""Scripts that learn policies; run them with `python -m bidarena.train.NAME`."""

"""Models of one operator, by family: `ops()` lists them, `test_builtins.py` judges them."""

"""Pictures of runs and checks with matplotlib (the `plot` extra).

`run_picture`, `check_picture` and `run_plot` are the pictures; `stage` draws a scene in perspective through `camera`, `painter`
and `ground`, and `look` sets the style.
"""

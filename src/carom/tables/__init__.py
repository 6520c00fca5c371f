"""The columns of the tables that all kernels share, each named once.

`body_columns` holds one row per body (state, links, shape), `run_columns` the small bookkeeping arrays of an event loop. The
arrays themselves live in `carom.engine.tables`.
"""

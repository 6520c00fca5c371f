"""The pairs of shapes behind the queries: one class per combination of kinds, selected by `choose`."""

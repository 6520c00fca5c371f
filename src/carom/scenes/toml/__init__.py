"""Scene files: TOML text to a `Scene`; every fault is one error with its line.

`document` parses, `schema` defines what is allowed, `toml_file` builds the scene, `lines` finds the line of a fault and
`fault_words` describes what was expected.
"""

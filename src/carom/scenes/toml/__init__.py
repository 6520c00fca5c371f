"""Scene files: TOML text to a `Scene`, every fault one error with its line.

`document` parses, `schema` says what is allowed, `toml_file` builds the scene, `lines` finds the line of a fault and
`fault_words` says what was expected.
"""

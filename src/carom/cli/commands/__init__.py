"""The subcommands of `carom`; each only reads options and calls the library."""

"""Other libraries on carom's scenes, each used as well as its Python interface allows."""

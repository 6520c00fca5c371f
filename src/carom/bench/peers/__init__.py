"""Other libraries on carom's scenes, each used as efficiently as its Python interface allows."""

"""What all commands share: tables and JSON on standard output, completion, interrupts, closed or full streams, and help."""

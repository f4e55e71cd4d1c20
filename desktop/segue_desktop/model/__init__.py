"""What the window shows, without a toolkit and without a bus: dictionaries of the daemon go in, rows come out."""

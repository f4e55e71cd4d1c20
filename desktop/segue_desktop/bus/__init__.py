"""The way to the daemon. Every call is asynchronous and has a time limit."""

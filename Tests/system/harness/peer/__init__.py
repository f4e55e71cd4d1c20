"""A whole paired device made by hand, from docs/link-protocol.md alone: it talks to a daemon as another one would, and
misbehaves wherever a test wants it to."""

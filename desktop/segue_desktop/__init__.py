"""Segue's window: what can be continued here, the devices that it is continued from, and pairing with another one."""

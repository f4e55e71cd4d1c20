"""The harness of the system tests: devices, applications and probes, each of one or several real processes."""
